// Laws of sums of noise and of samples, rounded to the safe side.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"
#include "quantiles/draws/odometer.hpp"

namespace fractile {

/// An upper bound of an increasing function of whole numbers u, from the largest u down. values[k] is the bound at u = last - k;
/// values[0] holds for every larger u, and values[size - 1] for every smaller u.
struct IncreasingBound {
  std::int64_t last;
  const double* values;
  std::size_t size;
};

/// An upper bound of the distribution function of a real variable X: for every t, P(X < t) <= the mass below t. Masses are at
/// multiples of 2^log2_step, each bounded from above; the mass `missing` lies below all of them. Every operation keeps the bound:
/// places are rounded down, and masses are rounded up.
class LowerLaw {
 public:
  LowerLaw() = default;
  LowerLaw(int log2_step, std::int64_t first, std::vector<double> masses, double missing)
      : log2_step_(log2_step), first_(first), masses_(std::move(masses)), missing_(missing) {}

  int log2_step() const { return log2_step_; }
  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(masses_.size()); }
  const std::vector<double>& masses() const { return masses_; }
  double missing() const { return missing_; }

  /// The law of the sum of two independent variables on the same step.
  static LowerLaw sum(const LowerLaw& a, const LowerLaw& b);
  /// The law of the variable times a whole number, on another step.
  LowerLaw times(std::uint64_t factor, int log2_step) const;
  /// The law of the variable minus this number, which need not be a multiple of the step.
  LowerLaw less(std::int64_t number) const;
  /// masses_below()[k]: the mass below (end - k) steps, for k = 0 .. size.
  std::vector<double> masses_below() const;
  /// An upper bound of E f(t - X). If f(u) = P(Y < u) for an independent Y on the same step, this is P(X + Y < t).
  double expectation(const IncreasingBound& f, std::int64_t t) const;
  /// Removes the two tails of negligible mass: the lower tail's mass becomes missing, and the upper tail's is moved to the last
  /// mass.
  void trim();

 private:
  int log2_step_ = 0;
  std::int64_t first_ = 0;
  std::vector<double> masses_;
  double missing_ = 1;
};

/// The law of one draw of a count's noise, on a step of 2^log2_step >= 1. Throws `usage` when the noise is so wide that this
/// takes more than 2^20 masses.
LowerLaw noise_law(Measure measure, const NoisePrice& noise, int log2_step);

/// The base-2 logarithm of the largest step that is a power of two, at most `most`, and at least 1.
int step_below(double most);

/// About the standard deviation of such noise.
double noise_deviation(Measure measure, const NoisePrice& noise);

/// The law of the sum of `draws` draws of discrete Gaussian noise, on a step of 2^log2_step >= 1. Throws `usage` as above.
LowerLaw gaussian_sum_law(const Rational& sigma_squared, std::uint64_t draws, int log2_step);

/// The laws of the sums of 0, 1, ..., `most` independent draws of a count's noise, each on a step that is fine enough for it.
std::vector<LowerLaw> noise_sums(Measure measure, const NoisePrice& noise, std::size_t most);

/// The law of (B - q n) times the denominator of q, where n = `most` >= `least`, and B is the smaller of floor(q least) and a
/// binomial variable with `least` trials of probability q. Masses are listed from floor(q least) down, until one is below this
/// fraction of the first.
LowerLaw sample_law(const QuantileFraction& q, std::uint64_t least, std::uint64_t most, int log2_step,
                    double negligible_mass);

}  // namespace fractile
