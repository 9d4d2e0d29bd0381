// The law of a sum of draws of a count's noise, however many, and how far from the truth such a sum is.
// Proof: docs/proofs/counts.md
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/stages/interval_law.hpp"

namespace fractile {

class NoiseSum {
 public:
  /// The sum of `draws` draws, at most `most_noise_draws`. Throws `usage` for more, and when the noise is too wide.
  NoiseSum(Measure measure, const NoisePrice& noise, std::uint64_t draws);

  /// A whole number w, the least except for rounding to the safe side, with P(|S| > w) <= failure. The failure is at least 10^-8.
  std::uint64_t half_width(double failure) const;

 private:
  LowerLaw one_;
  LowerLaw other_;             // independent of it: the law is that of their sum
  std::vector<double> below_;  // of the other
};

/// The law of such a sum, on a step of about 1/128 of its deviation: to be multiplied, and added to another.
LowerLaw noise_sum_law(Measure measure, const NoisePrice& noise, std::uint64_t draws);

/// The most draws of which a sum's law is known.
inline constexpr std::uint64_t most_noise_draws = std::uint64_t{1} << 20;

/// A number t, the largest except for rounding to the safe side, with P(X + Y < t steps) <= failure: t <= 0, both laws on one step,
/// `below` those masses of Y.
std::int64_t largest_rejected(const LowerLaw& x, const LowerLaw& y, const std::vector<double>& below, double failure);

/// 1 - level, or almost nothing less.
double failure_of(const Rational& level);

}  // namespace fractile
