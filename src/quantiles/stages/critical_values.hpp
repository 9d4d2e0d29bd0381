// The critical values of confidence intervals.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "exact/wide_integers.hpp"
#include "quantiles/stages/interval_law.hpp"

namespace fractile {

/// The ends of an interval. An upper end is a lower end of the mirrored column: its statistic is -T, with 1 - q in place of q, and
/// the cells above a cut in place of those below.
enum class IntervalEnd { lower, upper };

/// max over i of P(Z_i < t), where Z_i is the sum of two independent parts. Certified from above, and kept for every t that was
/// asked for.
class WorstNoise {
 public:
  /// Both on one step. Other sums may have other steps; t is counted in the finest.
  struct Parts {
    LowerLaw one;
    LowerLaw other;
  };
  /// For t >= one_from, the bound is 1.
  WorstNoise(std::vector<Parts> noises, std::int64_t one_from);

  std::int64_t first() const { return first_; }
  double at(std::int64_t t);
  /// Bounds for u from `least` to `most`; the bound at `least` also holds for every smaller u. Do not ask for values above `most`,
  /// unless the bound there is 1.
  IncreasingBound between(std::int64_t least, std::int64_t most);

 private:
  struct Sum {
    LowerLaw one;
    std::int64_t end;
    // Masses below, of the other part, from its end down.
    std::vector<double> below;
    int coarser;                                                      // a step is 2^coarser of the finest
    std::int64_t last_at = std::numeric_limits<std::int64_t>::min();  // the last t that was asked for
    double last_bound = 1;                                            // the bound at last_at and below
  };

  std::vector<Sum> sums_;
  std::size_t largest_ = 0;  // index of the largest term at the last call
  std::int64_t first_;
  std::int64_t one_from_;
  std::vector<double> values_;  // bounds from one_from_ down to first_
  std::int64_t known_from_;     // the least t that was asked for
  std::int64_t known_to_;
};

/// The normal deviate that is exceeded with this probability, or 0 above one half.
double deviate_of(double failure);

/// What is added to the statistic of a cut whose noise is wider than that of an end's innermost cut, and of cuts beyond that one. It decides
/// which cuts are rejected, but not how often an end errs.
struct CutMargins {
  double times = 0;   ///< the excess of the cut's deviation over the innermost one's
  double beyond = 0;  ///< deviations of the innermost cut, for cuts beyond it

  /// Just enough for the innermost cut to decide the critical value: the deviate of the failure probability, rounded up to quarters.
  static CutMargins of_table(double failure) { return {std::ceil(4 * deviate_of(failure)) / 4, 0.5}; }
  /// With these, a cut with wider noise errs less often than the innermost one also where sampling adds to either.
  static CutMargins of_population() { return {4, 1}; }
};

/// The law of a sample is computed for at most this many records: larger samples have more masses than the bound on rounding
/// allows.
inline constexpr std::uint64_t most_sampled_records = 0xffff'ffff;

/// Finds critical values for the statistic T = (1 - q) below - q above of noisy counts of `cells` cells, i of them below a cut, for every i
/// from 1 on. Z_i is the noise of T, and a margin that depends on i alone is added to T. An end's `innermost` is the number of cells below
/// the innermost of the cuts that were made for it. For one thread at a time: it keeps what it has computed.
class CriticalValues {
 public:
  CriticalValues(Measure measure, const NoisePrice& noise, std::size_t cells);
  /// The same noise with at most as many cells. The laws of its sums are shared, not computed again.
  CriticalValues of_fewer(std::size_t cells) const { return {deviation_, sums_, cells}; }

  /// A threshold in units of 2^log2_step / the denominator of the quantile.
  struct Threshold {
    std::int64_t value;
    int log2_step;
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();  ///< nothing is less
    /// Whether a statistic, in units of 1 / the denominator, is less than the threshold; decided exactly.
    bool exceeds(int128 statistic) const {
      return value != none && statistic < static_cast<int128>(value) * (int128{1} << log2_step);
    }
  };

  /// The margin, in units of 1 / the denominator, that is added to the statistic of a cut with this many cells below it. It is 0 at
  /// the innermost cut of an end, and grows with the width of the noise relative to that cut's. So the other cuts cost the innermost one
  /// almost nothing.
  std::int64_t margin(const QuantileFraction& q, IntervalEnd side, std::size_t innermost, std::size_t cells_below,
                      const CutMargins& margins) const;

  /// The largest threshold c <= 0, a multiple of its step, with P(Z_i + margin < c) <= failure for every i.
  Threshold of_table(const QuantileFraction& q, IntervalEnd side, std::size_t innermost, double failure);
  /// The same with (sum over b of P(B = b) max over i of P(Z_i + margin < c - (b - q n))) <= failure, for every number of records n
  /// that could have led to the sum of the noisy counts, except with probability `failure_of_n`, and for a few more. Threshold::none
  /// when n may exceed most_sampled_records.
  Threshold of_population(const QuantileFraction& q, IntervalEnd side, std::size_t innermost, double failure,
                          std::int64_t noisy_records, double failure_of_n);

  /// Bounds of the number of records, given the sum of all noisy counts. The probability that either fails is at most `failure`.
  struct Records {
    std::uint64_t least;
    std::uint64_t most;
  };
  /// Nothing when no bounds of the noise fail with so small a probability.
  std::optional<Records> records(std::int64_t noisy_records, double failure) const;

 private:
  /// A lower end: the quantile, the number of cells below its innermost cut, and the margins of its cuts.
  struct LowerEnd {
    QuantileFraction q;
    std::size_t innermost;
    CutMargins margins;

    bool is_median() const { return 2 * q.numerator == q.denominator; }  // then Z_i has one law for all i
    double probability() const { return static_cast<double>(q.numerator) / static_cast<double>(q.denominator); }
    /// All but the margins, which follow from the kind of interval and its failure probability.
    auto key() const { return std::tuple(q.numerator, q.denominator, innermost); }
  };
  using Sums = std::shared_ptr<const std::vector<LowerLaw>>;
  CriticalValues(double deviation, Sums sums, std::size_t cells)
      : deviation_(deviation), sums_(std::move(sums)), cells_(cells) {}

  const LowerLaw& sum_of(std::size_t draws) const { return (*sums_)[draws]; }
  LowerEnd lower_end(const QuantileFraction& q, IntervalEnd end, std::size_t innermost,
                     const CutMargins& margins) const;
  /// About the deviation of the noise with this many cells below, in units of 1 / the denominator.
  double deviation_of_noise(const LowerEnd& end, std::size_t below) const;
  /// The same at the innermost cut.
  double deviation_of_noise(const LowerEnd& end) const { return deviation_of_noise(end, end.innermost); }
  std::int64_t margin(const LowerEnd& end, std::size_t below) const;
  WorstNoise computed_worst(const LowerEnd& end, int log2_step) const;
  WorstNoise& worst_noise(const LowerEnd& end, int log2_step);

  double deviation_;  // standard deviation of one count's noise
  Sums sums_;         // laws of the sums of 0, 1, ... draws, of `cells_` draws at least
  std::size_t cells_;
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::size_t>;
  std::map<std::tuple<Key, int>, WorstNoise> worst_;  // of populations
  // The ends of symmetric quantiles share thresholds. Keys include the failure probabilities and the bounds of the number of records.
  std::map<std::tuple<Key, double>, Threshold> of_tables_;
  std::map<std::tuple<Key, double, std::uint64_t, std::uint64_t>, Threshold> of_populations_;
};

}  // namespace fractile
