// The law of the sum of any number of draws of a count's noise, and how far from the truth such a sum is.
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

  /// The least whole number w, except for rounding to the safe side, with P(|S| > w) <= failure. The failure must be at least
  /// 10^-8.
  std::uint64_t half_width(double failure) const;

 private:
  LowerLaw first_;
  LowerLaw second_;            // independent of the first part; the law is that of their sum
  std::vector<double> below_;  // masses below, of the other part
};

/// The law of such a sum, on a step of about 1/128 of its deviation: for multiplying and adding.
LowerLaw noise_sum_law(Measure measure, const NoisePrice& noise, std::uint64_t draws);

/// The largest number of draws for which a sum's law can be computed.
inline constexpr std::uint64_t most_noise_draws = std::uint64_t{1} << 20;

/// The largest number t <= 0, except for rounding to the safe side, with P(X + Y < t steps) <= failure. Both laws are on one step;
/// `below` is y.masses_below().
std::int64_t largest_rejected(const LowerLaw& x, const LowerLaw& y, const std::vector<double>& below, double failure);

/// 1 - level, rounded down slightly.
double failure_of(const Rational& level);

}  // namespace fractile
