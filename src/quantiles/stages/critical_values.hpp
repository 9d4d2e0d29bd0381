// The critical values of confidence intervals.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "quantiles/stages/interval_law.hpp"

namespace fractile {

__extension__ using int128 = __int128;

/// Numbers of cells below a cut, from the first to the last.
struct CellsBelow {
  std::size_t first;
  std::size_t last;
};

/// The ends of an interval. An upper end is a lower one of the mirrored column: its statistic is -T, 1 - q stands for q, and the cells
/// above a cut for those below.
enum class IntervalEnd { lower, upper };

/// max over i of P(Z_i < t), where Z_i is the sum of two independent parts: certified from above, and kept for the t that were asked for.
class WorstNoise {
 public:
  struct Parts {
    LowerLaw one;
    LowerLaw other;
  };
  /// From `one_from` on the bound is 1.
  WorstNoise(std::vector<Parts> noises, std::int64_t one_from);

  std::int64_t first() const { return first_; }
  double at(std::int64_t t);
  /// For u from `least` to `most`, and for every u below with what bounds `least`. Do not ask for values above `most`, unless the
  /// bound there is 1.
  IncreasingBound between(std::int64_t least, std::int64_t most);

 private:
  struct Sum {
    LowerLaw one;
    std::int64_t end;
    std::vector<double> below;                                        // of the other, from its end down
    std::int64_t last_at = std::numeric_limits<std::int64_t>::min();  // where it was looked at last
    double last_bound = 1;                                            // and what bounds it there, and everywhere below
  };

  std::vector<Sum> sums_;
  std::size_t largest_ = 0;  // where it was largest the last time
  std::int64_t first_;
  std::int64_t one_from_;
  std::vector<double> values_;  // from one_from_ down to first_
  std::int64_t known_from_;     // those that were asked for, and the first
  std::int64_t known_to_;
};

/// Samples are drawn of at most this many records: laws of larger ones have more masses than their rounding is bounded for.
inline constexpr std::uint64_t most_sampled_records = 0xffff'ffff;

/// Finds critical values for the statistic T = (1 - q) below - q above of noisy counts of `cells` cells, i of them below a cut, for
/// several i. Z_i is its noise, and a margin is added to it that depends on i alone. For one thread at a time: it keeps what it has
/// computed.
class CriticalValues {
 public:
  CriticalValues(Measure measure, const NoisePrice& noise, std::size_t cells);

  /// A threshold in units of 2^log2_step / the denominator of the quantile.
  struct Threshold {
    std::int64_t value;
    int log2_step;
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();  ///< nothing is less
    /// Whether a statistic, in units of 1 / the denominator, is less: exactly.
    bool exceeds(int128 statistic) const {
      return value != none && statistic < static_cast<int128>(value) * (int128{1} << log2_step);
    }
  };

  /// What is added, in units of 1 / the denominator, to the statistic of a cut with this many cells below it: none at the innermost of those
  /// of an end, and the more the wider the noise is in comparison, so that cuts far out cost the near ones almost nothing.
  std::int64_t margin(const QuantileFraction& q, IntervalEnd side, const CellsBelow& below,
                      std::size_t cells_below) const;

  /// The largest c of its step, c <= 0, for which P(Z_i + margin < c) <= failure for every i.
  Threshold of_table(const QuantileFraction& q, IntervalEnd side, const CellsBelow& below, double failure);
  /// The same with sum over b of P(B = b) max over i of P(Z_i + margin < c - (b - q n)) <= failure, for every n that may have led to the
  /// sum of the noisy counts except for a probability of `failure_of_n`; none when that may be more than most_sampled_records.
  Threshold of_population(const QuantileFraction& q, IntervalEnd side, const CellsBelow& below, double failure,
                          std::int64_t noisy_records, double failure_of_n);

  /// Bounds of the number of records, given the sum of all noisy counts; both fail with at most this probability together.
  struct Records {
    std::uint64_t least;
    std::uint64_t most;
  };
  /// Nothing when the noise has no bounds that fail so seldom.
  std::optional<Records> records(std::int64_t noisy_records, double failure) const;

 private:
  /// A lower end: what is below, of how many cells, and at which quantile.
  struct LowerEnd {
    QuantileFraction q;
    CellsBelow below;

    double probability() const { return static_cast<double>(q.numerator) / static_cast<double>(q.denominator); }
    auto key() const { return std::tuple(q.numerator, q.denominator, below.first, below.last); }
  };
  LowerEnd lower_end(const QuantileFraction& q, IntervalEnd end, const CellsBelow& below) const;
  /// About the deviation of the noise with this many cells below, in units of 1 / the denominator.
  double deviation_of_noise(const LowerEnd& end, std::size_t below) const;
  /// At the innermost cut.
  double deviation_of_noise(const LowerEnd& end) const { return deviation_of_noise(end, end.below.last); }
  std::int64_t margin(const LowerEnd& end, std::size_t below) const;
  WorstNoise computed_worst(const LowerEnd& end, int log2_step) const;
  WorstNoise& worst_noise(const LowerEnd& end, int log2_step);

  double deviation_;            // of one count's noise
  std::vector<LowerLaw> sums_;  // of 0, 1, ..., cells draws
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::size_t, std::size_t>;
  std::map<std::tuple<Key, int>, WorstNoise> worst_;
  // Symmetric quantiles share their ends' thresholds. Keys include the failure probabilities, and the noisy number of records.
  std::map<std::tuple<Key, double>, Threshold> of_tables_;
  std::map<std::tuple<Key, double, std::int64_t, double>, Threshold> of_populations_;
};

}  // namespace fractile
