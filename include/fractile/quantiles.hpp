// What is asked: quantiles with exact differential privacy, and counts, shares and means with them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

// --- Quantiles -------------------------------------------------------------------------------------------------------
//
// Quantiles with exact differential privacy: what is asked. fractile/release.hpp describes what is published.
// Sources: approximate-quantiles 2021 (Algorithm 1, appendix A), quantile-score-candidates 2025.
// Thread-safety: values; threads may share them while none changes one.

/// exponential: one quantile, the exponential mechanism over all candidates with interval_score.
/// approximate: ApproximateQuantiles, a recursion of single quantiles over floor(log2 m) + 1 levels.
/// joint: all quantiles in one exponential mechanism (JointExp). joint_total: the same with the total selected as well,
/// which doubles the slope. joint_tree: a recursion whose nodes are joint_total.
/// independent: one exponential mechanism per quantile. tree: noisy counts on a tree of intervals, made consistent.
/// automatic: one of these, chosen from what is public.
enum class Mechanism { automatic, exponential, approximate, joint, joint_total, joint_tree, independent, tree };
inline constexpr Mechanism all_mechanisms[] = {Mechanism::automatic,   Mechanism::exponential, Mechanism::approximate,
                                               Mechanism::joint,       Mechanism::joint_total, Mechanism::joint_tree,
                                               Mechanism::independent, Mechanism::tree};

/// How a budget becomes rates. tight: from the true number of levels and, for zCDP, from range^2 / 8 per level. as_published:
/// approximate-quantiles 2021 to the letter: log2 m + 1 levels, and for zCDP epsilon^2 / 2 per level (Theorem 3.10).
enum class Rates { tight, as_published };

/// Which outputs a selection prefers before it looks at the records. uniform: none. adaptive: round numbers (multiples of powers of
/// ten, and what records are found to heap on), and the parts of the range that earlier selections of the same release show to be
/// filled. by_mechanism: adaptive for automatic, joint_total and joint_tree, uniform for the published ones. Privacy is the same in
/// all cases.
enum class Base { by_mechanism, uniform, adaptive };

/// "auto", "exponential", "approximate", "joint", "joint-total", "joint-tree", "independent", "tree".
std::string to_string(Mechanism mechanism);
/// "tight", "as-published".
std::string to_string(Rates rates);

/// What a confidence interval is about. table: the quantile of the records that were read. population: the quantile of the
/// distribution from which these records are a simple random sample. These are different questions.
enum class IntervalSubject { table, population };

/// "table", "population".
std::string to_string(IntervalSubject subject);

/// Confidence intervals that a release is to have.
/// Proof: docs/proofs/intervals.md
struct IntervalRequest {
  Rational level;  ///< with at least this probability, in (0, 1), an interval holds its quantile
  IntervalSubject subject = IntervalSubject::population;
  bool is_simultaneous =
      false;  ///< the level holds for all intervals of a release at once; otherwise for each by itself
};

/// The level at which an interval fails half as often as asked for: two such intervals hold at once with the level asked for.
Rational level_in_pairs(const IntervalRequest& request);

/// A confidence interval, by its candidates: the quantile's lattice point is one of lower .. upper.
struct Interval {
  std::uint64_t lower;
  std::uint64_t upper;
  bool or_below =
      false;  ///< The lower end is the end of the range, and the quantile of the unclamped records may lie below it.
  bool or_above = false;  ///< likewise
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What is asked of a column. All of it is public.
struct QuantileQuery {
  std::vector<Rational> quantiles;  ///< strictly increasing, in [0, 1]
  Budget budget;                    ///< for all quantiles together, for one person
  Neighbors neighbors = Neighbors::add_remove;
  std::uint32_t records_per_person = 1;  ///< at most this many records of the table are one person's; see over_query()
  Mechanism mechanism = Mechanism::automatic;
  Rates rates = Rates::tight;
  Base base = Base::by_mechanism;
  /// About how many records there are, by public knowledge, 1 to RankProfile::max_records: a hint to automatic, and the table size of
  /// worst cases.
  std::optional<std::uint64_t> expected_rows = {};
  bool interpolate = true;  ///< automatic may release fewer quantiles and interpolate the others
  /// The intervals to release, if any. For them, the number of records is counted approximately, whatever expected_rows says.
  std::optional<IntervalRequest> intervals = {};
  /// The names of the quantiles in tables, as fractions or in decimals; none: all as fractions. Nothing else depends on them.
  std::vector<std::string> names = {};

  /// What tables call the i-th quantile.
  std::string name(std::size_t i) const {
    return names.size() == quantiles.size() ? names[i] : quantiles[i].to_string();
  }

  /// Throws `usage` unless the query can be answered, whatever the data: call it before rows are read.
  void validate() const;
  /// As above, and throws `usage` unless the mechanism takes this many candidates: joint selections and adaptive bases take at most
  /// 2^46.
  void validate(const Lattice& lattice) const;
};

/// The query over the result of a SQL query when one record changes at most `stability` rows of the result
/// (TableOptions::sql_stability): it has `stability` times as many records per person. Throws `usage` for 0 and for more than
/// 4,294,967,295 in all.
/// Proof: docs/proofs/row_wise_queries.md
QuantileQuery over_query(const QuantileQuery& query, std::uint32_t stability);

/// The quantiles 1/rows, 2/rows, ..., 1. A release of them is a synthetic column of this many rows, distributed like the table's
/// (quantiles sanitization, approximate-quantiles 2021, Corollary 3.6). Throws `usage` unless 1 <= rows <= 1,000,000.
std::vector<Rational> synthetic_rows(std::uint64_t rows);

/// The mechanism that ran for a query, and its public or released parameters.
struct MechanismUsed {
  Mechanism mechanism = Mechanism::exponential;  ///< never automatic
  /// For recursions: for each level, the most quantiles that one node decides.
  std::vector<std::size_t> widths = {};
  std::size_t selected = 0;                  ///< how many quantiles were selected; the others are interpolated linearly
  std::string reason = {};                   ///< of automatic's choice; empty otherwise
  std::optional<std::uint64_t> rows = {};    ///< about how many records there are, by a private count
  std::optional<Rational> granularity = {};  ///< of the values, found privately, if it was searched for
  std::optional<Rational> heaping = {};      ///< many values are multiples of this, as was found privately

  friend bool operator==(const MechanismUsed&, const MechanismUsed&) = default;
};

/// What the draws of one part of a release cost one person: the exact sum that the release's odometer charged, at the rates that
/// were used. All parts together cost at most what the release costs; with groups, this holds in each group.
/// Proof: docs/proofs/odometer.md
struct PartCost {
  /// "bounds", "count", "sum", "rows", "granularity", "heaps", "level 1", "level 2", ..., "quantiles", "counts" or "cells"
  std::string part;
  EpsilonSum amount;    ///< of epsilon, or of rho under zCDP
  Rational delta = {};  ///< of approximate budgets
};

// --- Counts, shares and means ----------------------------------------------------------------------------------------
//
// Counts, shares and means with quantiles: what is asked, what is published, and the sums of several groups' counts.
// Proof: docs/proofs/counts.md
// Thread-safety: values; threads may share them while none changes one.

/// What is published besides the quantiles, for every group: how many records count, and what else is asked. A count is the number
/// of records with a value in the column, after persons were sampled where that is asked. It is a number of people only where each
/// person has one record.
struct StatisticsRequest {
  /// For each of these values, the number and the share of records below it are published. A record lies at the value at which it
  /// counts. The values are possible values above the smallest one, strictly increasing.
  std::vector<Rational> below = {};
  /// The mean of the values at which records count: clamped to the bounds, and rounded to the step.
  bool mean = false;
  /// The part of the budget, in (0, 1), that pays for all of these; without quantiles it is 1. If the mean is asked for, half of
  /// this part pays for it.
  Rational share = Rational(1, 10);

  /// 1/10, and with the mean 1/5.
  static Rational usual_share(bool mean) { return mean ? Rational(1, 5) : Rational(1, 10); }

  /// At most this many values in `below`, and this many possible values for a mean.
  static constexpr std::size_t most_below = 100;
  static constexpr std::uint64_t largest_mean_lattice = std::uint64_t{1} << 32;

  /// Throws `usage` when the request does not fit the lattice, the query (with groups, group_query()) or `bounds_share`, and when
  /// the noise is too wide for intervals. `bounds_share` is the share for bounds to be found, 0 for declared bounds.
  void validate(const Lattice& lattice, const QuantileQuery& query, const Rational& bounds_share = 0) const;
};

/// The noise of a count: discrete Laplace under pure privacy, discrete Gaussian under zCDP. The noise of the sum of lattice
/// positions is of the same kind, in half steps.
struct CountNoise {
  Measure measure = Measure::pure;
  Exponent rate = {};           ///< of pure privacy: P(k) is proportional to exp(-rate |k|)
  Rational sigma_squared = {};  ///< of zCDP: P(k) is proportional to exp(-k^2 / (2 sigma^2))
  friend bool operator==(const CountNoise&, const CountNoise&) = default;
};

/// An interval that holds a number of records with at least the probability that was asked for.
struct CountInterval {
  std::uint64_t lower;
  std::uint64_t upper;
  friend bool operator==(const CountInterval&, const CountInterval&) = default;
};

/// A number of records that was released with noise, or a sum of such numbers: counts of disjoint cells add up. Each was drawn
/// once, so a sum costs nothing more and has the noise of all its draws.
class ReleasedCount {
 public:
  /// `draws`: how many draws of the noise are in the value. Throws `usage` for 0, and above 2^40. A value beyond +-2^61 is clamped.
  ReleasedCount(std::int64_t value, CountNoise noise, std::uint64_t draws = 1);

  std::int64_t value() const { return value_; }
  const CountNoise& noise() const { return noise_; }
  std::uint64_t draws() const { return draws_; }

  /// Adds a count of other records, whose noise is independent. Throws `usage` unless both have the same law of noise,
  /// and when both together have more than 2^40 draws.
  ReleasedCount& operator+=(const ReleasedCount& other);
  friend ReleasedCount operator+(ReleasedCount a, const ReleasedCount& b) { return a += b; }
  friend bool operator==(const ReleasedCount&, const ReleasedCount&) = default;

 private:
  std::int64_t value_;
  CountNoise noise_;
  std::uint64_t draws_;
};

/// The sum of these counts, for a margin of a table. Throws `usage` for no counts, and as += does.
ReleasedCount sum_of(std::span<const ReleasedCount> counts);

/// One interval for each count. Each by itself holds the true number with probability at least `level`, by the certified law of the
/// sum of the count's draws. Counts with equally many draws from one law share the work. Throws `usage` unless 0 < level < 1 and
/// the noise has a rate or a variance above 0, and when the noise is too wide.
/// Proof: docs/proofs/counts.md
std::vector<CountInterval> intervals_of(std::span<const ReleasedCount> counts, const Rational& level);

/// What was published besides the quantiles of one group, or of the whole column.
struct Statistics {
  /// A number of records as it was drawn: it may be below 0, so that counts add up.
  struct Records {
    std::int64_t value;
    CountInterval interval;
    friend bool operator==(const Records&, const Records&) = default;
  };
  /// A share of the records, or their mean. Where the released count is not positive, there is no value, and the interval is the
  /// whole range.
  struct Ratio {
    std::optional<Rational> value;
    Rational lower;
    Rational upper;
    friend bool operator==(const Ratio&, const Ratio&) = default;
  };

  Records count;
  std::vector<Records> below = {};  ///< one for each of StatisticsRequest::below
  std::vector<Ratio> shares = {};   ///< likewise
  std::optional<Ratio> mean = {};
  /// With the mean: the noisy sum of 2 i - M over the records, where i is the index, among 0 .. M, of the possible value at which
  /// the record counts. Centered sums of groups add up as counts do.
  std::optional<std::int64_t> centered_sum = {};

  friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// What all groups' statistics have in common.
struct StatisticsTerms {
  StatisticsRequest request;
  Rational level;  ///< each interval by itself holds the table's number with at least this probability
  /// One draw per bin: the values in request.below divide the records into request.below.size() + 1 bins, and the count is their
  /// sum.
  CountNoise count_noise;
  std::optional<CountNoise> sum_noise = {};  ///< of centered_sum
};

/// The largest error of each number that will be published about a given number of records. Each bound holds with the probability
/// StatisticsTerms::level.
struct StatisticsErrors {
  std::uint64_t rows;
  std::uint64_t count;                        ///< in records, whatever the table
  std::vector<std::uint64_t> below = {};      ///< likewise, one for each of StatisticsRequest::below
  std::vector<Rational> shares = {};          ///< likewise, approximately, since the released count has noise, too
  std::optional<Rational> mean = {};          ///< approximately, for values in the middle of the range
  std::optional<Rational> mean_at_ends = {};  ///< likewise, for values near its ends
};

/// The released count of a group, to be added to others of one release.
ReleasedCount count_of(const Statistics& statistics, const StatisticsTerms& terms);
/// The released number of a group's records below the i-th value. Throws `usage` when there are fewer values.
ReleasedCount count_below(const Statistics& statistics, const StatisticsTerms& terms, std::size_t i);

class StatisticsIntervals;

/// The statistics of several groups of a release together, such as a total: sums of what was drawn for each group, at no further
/// cost, and the shares, means and intervals that follow. Each interval holds with the probability of the level. Only one thread
/// may use it at a time: it keeps the laws that it has computed.
/// Proof: docs/proofs/counts.md
class Margins {
 public:
  /// `lattice`: the release's.
  Margins(StatisticsTerms terms, Lattice lattice);
  ~Margins();
  Margins(Margins&&) noexcept;
  Margins& operator=(Margins&&) noexcept;

  /// Throws `usage` for no groups, for statistics that lack what the terms say, for more than 2^20 draws, and when the noise is too wide.
  Statistics of(std::span<const Statistics> groups);

 private:
  StatisticsTerms terms_;
  Lattice lattice_;
  std::map<std::uint64_t, std::unique_ptr<StatisticsIntervals>> of_groups_;  // by their number
};

}  // namespace fractile
