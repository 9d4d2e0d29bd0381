// Discrete Gaussian noise, exactly. Proof: docs/proofs/discrete_gaussian.md
#pragma once

#include <cstdint>

#include "exact/laplace.hpp"
#include "exact/majorant.hpp"

namespace fractile {

/// An integer k with probability proportional to exp(-k^2 / (2 sigma^2)), prepared for many draws. About 0.3 us a draw.
/// Source: Canonne, Kamath and Steinke 2020, Algorithm 3.
/// Proof: docs/proofs/discrete_gaussian.md
class DiscreteGaussian {
 public:
  /// sigma^2 may be at most 2^80, so that draws are machine words.
  static constexpr int max_log2_sigma_squared = 80;

  /// Throws `usage` unless 0 < sigma_squared <= 2^80.
  explicit DiscreteGaussian(const Rational& sigma_squared);
  /// Throws `internal` when a proposal exceeds 2^62, which has probability below exp(-2^20) and does not depend on the data.
  std::int64_t operator()(RandomBits& bits, Filter filter = {}) const;

  /// Certified bounds, of relative width about 2^-37, of the probability that a proposal of this magnitude is kept.
  Bounds acceptance(std::int64_t magnitude) const;
  /// That probability, exp(-(magnitude - sigma^2/t)^2 / (2 sigma^2)), where 1/t is the proposal's rate.
  Enclosure acceptance_enclosure(std::int64_t magnitude, std::int64_t precision) const;

 private:
  Rational sigma_squared_;
  Rational scale_;  // t
  DiscreteLaplace proposal_;
  RateBounds fine_;     // exp(-j 2^-40) for integers j
  double centre_;       // sigma^2 / t, relative error at most 2^-52
  double slope_lower_;  // at most 1 / (2 sigma^2)
  double slope_upper_;  // at least 1 / (2 sigma^2), perhaps infinity
};

}  // namespace fractile
