// The noise of counts.
// Proof: docs/proofs/count_tree.md
#pragma once

#include <cstdint>
#include <variant>

#include "exact/gaussian.hpp"
#include "exact/laplace.hpp"
#include "fractile/quantiles.hpp"
#include "quantiles/draws/odometer.hpp"

namespace fractile {

/// The noise of every count. A record is counted in `height` nodes; replacing one changes up to 2 * height counts by 1.
/// pure: discrete Laplace, rate epsilon / (changed counts * records per person). zCDP: discrete Gaussian,
/// sigma^2 = changed counts * (records per person)^2 / (2 rho).
class CountTreeNoise {
 public:
  /// From the query's budget, relation and records per person. Error(usage) when rho is so small that sigma^2 > 2^80.
  CountTreeNoise(const QuantileQuery& query, int height);

  Measure measure() const { return measure_; }
  /// Only for pure budgets, and only for zCDP budgets.
  const Exponent& rate() const { return rate_; }
  const Rational& sigma_squared() const { return sigma_squared_; }
  NoisePrice price() const { return {rate_, sigma_squared_}; }

 private:
  Measure measure_;
  Exponent rate_;
  Rational sigma_squared_;
};

/// Draws such noise.
class NoiseSampler {
 public:
  explicit NoiseSampler(const CountTreeNoise& noise, Filter filter = {});

  /// The count with noise, clamped to +-2^61.
  std::int64_t noisy(std::int64_t count, RandomBits& bits) const;

 private:
  std::variant<DiscreteLaplace, DiscreteGaussian> law_;
};

}  // namespace fractile
