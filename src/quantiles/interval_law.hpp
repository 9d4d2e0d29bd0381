// Laws of sums of noise and of sampling, rounded to the safe side, and the critical values of confidence intervals.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"
#include "quantiles/odometer.hpp"

namespace fractile {

__extension__ using int128 = __int128;

/// An upper bound of the distribution function of a real variable X: for every t, P(X < t) <= the mass below t. Masses lie at
/// multiples of 2^log2_step, each bounded from above; `missing` lies below all of them. Every operation keeps the bound: what is
/// rounded moves down, and masses are rounded up.
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

  /// Of the sum of two independent variables; both on the same step.
  static LowerLaw sum(const LowerLaw& a, const LowerLaw& b);
  /// Of the variable times numerator / denominator >= 0, on another step.
  LowerLaw scaled(std::uint64_t numerator, std::uint64_t denominator, int log2_step) const;
  /// masses_below()[k]: the mass below (first + k) steps, for k = 0 .. size.
  std::vector<double> masses_below() const;

 private:
  void trim();

  int log2_step_ = 0;
  std::int64_t first_ = 0;
  std::vector<double> masses_;
  double missing_ = 1;
};

/// Of one draw of a count's noise, on a step of 2^log2_step >= 1. Error(usage) when the noise is so wide that this takes
/// more than 2^20 masses.
LowerLaw noise_law(Measure measure, const NoisePrice& noise, int log2_step);

/// About the standard deviation of such noise.
double noise_deviation(Measure measure, const NoisePrice& noise);

/// Of B - q n, B a binomial variable of `least` trials of probability q, and n = `most` >= least.
LowerLaw binomial_law(const QuantileFraction& q, std::uint64_t least, std::uint64_t most, int log2_step);

/// Numbers of cells below a cut, from the first to the last.
struct CellsBelow {
  std::size_t first;
  std::size_t last;
};

/// The ends of an interval. An upper end is a lower one of the mirrored column: its statistic is -T, and 1 - q stands for q.
enum class IntervalEnd { lower, upper };

/// Samples are drawn of at most so many records: laws of larger ones have more masses than their rounding is bounded for.
inline constexpr std::uint64_t most_sampled_records = 0xffff'ffff;

/// Finds critical values for the statistic T = (1 - q) below - q above of noisy counts of `cells` cells, i of them below a cut,
/// whichever i of some. Z_i is its noise. For one thread at a time: it keeps laws that it has computed.
class CriticalValues {
 public:
  CriticalValues(Measure measure, const NoisePrice& noise, std::size_t cells);

  /// A threshold in units of 2^log2_step.
  struct Threshold {
    std::int64_t value;
    int log2_step;
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();  ///< nothing is less
    /// Whether statistic / denominator is less, exactly.
    bool exceeds(int128 statistic, std::uint64_t denominator) const;
  };

  /// The largest c of its step, c <= 0, for which P(Z_i < c) <= failure for every i: of the table, at either end.
  Threshold of_table(const QuantileFraction& q, const CellsBelow& below, double failure);
  /// The same with sum over b of P(B = b) max over i of P(Z_i < c - (b - q n)) <= failure, for every n that may have led to the
  /// sum of the noisy counts but for a probability of `failure_of_n`; none when that may be more than most_sampled_records.
  Threshold of_population(const QuantileFraction& q, IntervalEnd end, const CellsBelow& below, double failure,
                          std::int64_t noisy_records, double failure_of_n);

  /// Bounds of the number of records, given the sum of all noisy counts; both fail with at most this probability together.
  struct Records {
    std::uint64_t least;
    std::uint64_t most;
  };
  /// Nothing when the noise has no bounds that fail so seldom.
  std::optional<Records> records(std::int64_t noisy_records, double failure) const;

 private:
  /// max over i of P(Z_i < t) for t on a step, from `first` on.
  struct Worst {
    int log2_step;
    std::int64_t first;
    std::vector<double> below;
    double at(std::int64_t t) const;
  };
  const Worst& worst_noise(const QuantileFraction& q, const CellsBelow& below, int log2_step);
  Worst computed_worst(const QuantileFraction& q, const CellsBelow& below, int log2_step) const;
  const LowerLaw& sampled(const QuantileFraction& q, std::uint64_t least, std::uint64_t most, int log2_step);
  int step_for(const QuantileFraction& q, const CellsBelow& below, double records) const;

  double deviation_;            // of one count's noise
  std::vector<LowerLaw> sums_;  // of 0, 1, ..., cells draws
  // Computed once, for several levels: by the quantile, what it is of, and the step.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, int>;
  std::map<Key, Worst> worst_;
  std::map<Key, LowerLaw> sampled_;
};

}  // namespace fractile
