// What is asked and what is published: quantiles with exact differential privacy, counts, shares and means with them, and comparisons of
// released values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

// --- Quantiles -------------------------------------------------------------------------------------------------------
//
// Quantiles with exact differential privacy: what is asked. The section on releases describes what is published.
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
  Rational level;  ///< with at least this probability, in (0, 0.999999], an interval holds its quantile
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
  std::uint64_t count;                    ///< in records, whatever the table
  std::vector<std::uint64_t> below = {};  ///< likewise, one for each of StatisticsRequest::below
  std::vector<Rational> shares = {};      ///< likewise, approximately, since the released count has noise, too
  /// Approximately, for values in the middle of the range; rounding of dates and times included.
  std::optional<Rational> mean = {};
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

// --- Releases --------------------------------------------------------------------------------------------------------
//
// Releases: a query and a counted column become published quantiles, of one profile or of groups. Bounds are known, or found with a
// part of the budget. fractile/receipts.hpp writes, reads and shows them.
// Thread-safety: functions of their arguments; threads may share profiles, each with random bits of its own.

/// How a release's bounds were found with a part of its budget.
struct PrivateBounds {
  Rational share;  ///< the share of the budget that the bounds cost; the rest paid for the quantiles
  Budget cost;     ///< the same as a budget
  /// The number of records from which on the bounds hold all quantiles, at the confidence of the release's worst case; nothing
  /// where no number ensures that.
  std::optional<std::uint64_t> enough_records = {};
};

/// Worst cases hold for tables of at most this many records when nothing is known about their number.
inline constexpr std::uint64_t any_number_of_rows = 4'294'967'295;

/// Rank errors, in records: by how many records a published value misses its quantile. It is the distance of q n from the interval
/// [records below the value, records at or below the value]; 0 for a true quantile, however tied. The records are those that count,
/// each at the possible value at which it counts (Lattice::position_of), so rounding is not a rank error.
struct ErrorTerms {
  Rational confidence;
  std::uint64_t rows = 0;  ///< for tables of at most this many records
  /// With probability at least `confidence` no quantile's rank error is larger.
  std::optional<std::uint64_t> simultaneous_rank = {};
  std::string unbounded_reason = {};  ///< why some have no bound; empty when all have one
  /// When values are rounded to a granularity that was found: at most this much of each rank error is due to records that are finer
  /// than it. Nothing for a declared step.
  std::optional<std::uint64_t> rounding = {};
};

struct WorstCase : ErrorTerms {
  /// One per quantile: whatever the table, the rank error is larger with probability at most 1 - confidence. Nothing for a quantile
  /// without a known bound.
  std::vector<std::optional<std::uint64_t>> ranks;

  /// The largest of `ranks`; nothing when one of them has no bound.
  std::optional<std::uint64_t> largest() const;
};

/// Values that are mostly noise: in releases of the normal reference table with `rows` rows, their mean rank error exceeds a
/// quarter of the rows between a quantile and the nearest other requested one (or the nearer end of the table). A value drawn
/// blindly between two quantiles has about this error.
struct MostlyNoise {
  std::uint64_t rows = 0;  ///< expected, declared or counted with noise; of one group where there are groups
  double share = 0;        ///< the mean over the quantiles, above 1/4
  /// About the smallest budget at which the share is at most 1/4, in two significant digits; up to epsilon 1000.
  std::optional<Budget> sufficient_budget;
};

/// The entry of a ledger that paid for a release.
struct Charge {
  std::string dataset;  ///< empty in receipts of version 1, which do not have it
  std::int64_t entry = 0;
  std::string token;  ///< of that entry, and of no other
};

namespace detail {
struct Course;
}  // namespace detail

/// Published quantiles, of a column or of its groups, and the terms under which they were published. Holds nothing that was not
/// paid for.
struct Release {
  /// What was published of one group, or of the whole column.
  struct Group {
    GroupKey key = {};                   ///< as it was asked for, public; empty without groups
    std::vector<std::uint64_t> indices;  ///< one candidate per quantile, in order, never decreasing
    MechanismUsed used;
    std::vector<PartCost> spent = {};      ///< part by part, in order; determined by what is public or published
    std::vector<Interval> intervals = {};  ///< one per quantile, when they were asked for
    /// The same at level_in_pairs(): any two of these intervals, of one group or of two, hold at once with the level asked for.
    /// compare() uses them.
    std::vector<Interval> intervals_in_pairs = {};
    /// As WorstCase::ranks; empty until with_receipt().
    std::vector<std::optional<std::uint64_t>> rank_errors = {};
    std::optional<MostlyNoise> noise = {};      ///< nothing until with_receipt()
    std::optional<Statistics> statistics = {};  ///< when they were asked for
    /// How the mechanism ran, for worst_case(); public, like `used`. Nothing in a release that was read back.
    std::shared_ptr<const detail::Course> course = {};
  };

  /// The query as asked; without quantiles where only statistics were asked for. Its budget is the cost of the whole release: of
  /// all groups together, and of bounds that were found.
  QuantileQuery query;
  Lattice lattice;
  std::vector<Group> groups;                       ///< a single one without a key, or one for each key
  std::optional<PrivateBounds> bounds = {};        ///< when none were declared
  std::optional<StatisticsTerms> statistics = {};  ///< of all groups' statistics, when they were asked for
  std::optional<std::uint64_t> public_rows =
      {};  ///< how many rows the table has, with or without a number, when declared public
  std::optional<std::uint64_t> unsafe_seed = {};  ///< set when the bits were reproducible: not private
  SourceDescription source = {};                  ///< the publisher's description of where the records came from
  std::optional<Charge> charge = {};              ///< when a ledger paid for it
  std::optional<ErrorTerms> errors = {};          ///< of all groups' rank errors; nothing until with_receipt()
  std::string program = {};                       ///< which made it, with its version
  std::string receipt = {};  ///< byte for byte; empty until with_receipt() of fractile/receipts.hpp

  const Budget& cost() const { return query.budget; }
  bool is_grouped() const { return !groups.empty() && !groups.front().key.empty(); }
  /// The groups' keys, in order; empty without groups.
  std::vector<GroupKey> keys() const;
  /// Whether the same mechanism ran for all groups, apart from round numbers, which are searched for in each group separately.
  bool ran_alike() const;

  /// The one group of a release without groups. Throws `usage` when there are keys, or no groups at all.
  const Group& only() const;
  /// The i-th quantile's value.
  Rational value(const Group& group, std::size_t i) const { return lattice.at(group.indices[i]); }
  Rational value(std::size_t i) const { return value(only(), i); }
  /// The value of a quantile that was asked for, such as "1/2", without groups. Throws `usage` when it was not.
  Rational at(std::string_view quantile) const;
};

/// Bounds that may be found: 0 and plus or minus step, 2 step, 4 step, ..., 2^doublings step.
/// Source: ours; a smaller relative of Algorithm 1 of approximate-quantiles 2021 on a geometric lattice.
struct BoundsSearch {
  Rational step;
  int doublings = 60;

  /// As many doublings as the query's mechanism has room for: 60, or 44 for joint selections.
  static BoundsSearch widest(const Rational& step, const QuantileQuery& query);

  /// All multiples of step between the widest bounds: the lattice on which the records must be counted. Throws `usage` as
  /// Lattice::regular() does, and unless 1 <= doublings <= 60.
  Lattice lattice() const;
};

/// A search for unknown bounds, and what may be spent on it.
struct BoundsToFind {
  BoundsSearch search;
  Rational share;  ///< of the budget, in (0, 1), for the bounds; the rest pays for the quantiles
};

/// What is asked of a release. A query alone asks for a release within the bounds of the lattice on which the column was counted.
struct ReleaseOptions {
  QuantileQuery query;
  /// Bounds to be found before the quantiles, with a share of the query's budget, when none were declared.
  std::optional<BoundsToFind> bounds;
  /// Statistics to be published besides the quantiles, with a share of the query's budget.
  std::optional<StatisticsRequest> statistics;
  /// The number of threads that draw groups, at least 1. A release from reproducible bits is the same for any number.
  std::size_t threads = 1;

  ReleaseOptions(QuantileQuery asked,  // NOLINT(google-explicit-constructor): a query is a release's options
                 std::optional<BoundsToFind> to_find = {}, std::optional<StatisticsRequest> beside = {})
      : query(std::move(asked)), bounds(std::move(to_find)), statistics(std::move(beside)) {}
};

/// Releases the query's quantiles of what was counted, among the candidates of its lattice; with groups, those of every group, even
/// an empty one. The output's law is exactly the mechanism's, and the whole release keeps the query's budget. The promise is made
/// to persons of query.records_per_person records of the table; over a query of a declared stability, the release's `query` says
/// how many rows these are. Time: O(distinct log m) and a few passes per level, independent of the lattice's size.
/// * With groups, query.expected_rows is the number of one group, and bounds are found once, for all groups, among the records of
///   all of them.
/// * With bounds to find, the column must be counted on the lattice of their search. The bounds are meant to hold the quantiles
///   asked for, not all records: records outside count as the nearest bound.
/// * Statistics are of the records as they were counted, before bounds are found. A query without quantiles releases statistics
///   alone, for all of its budget.
/// Throws `usage` as query.validate() does for the lattice, and with groups as group_query() does; when one person may have more
/// records in what was counted than the query says; with bounds, unless 0 < share < 1, when the query's mechanism does not take the
/// widest bounds, and when the column was counted on another lattice; with statistics, as StatisticsRequest::validate() does.
/// Throws `internal` when random bits fail or draws cost more than the budget, before anything is returned.
/// Proof: docs/proofs/single_quantile.md
/// Proof: docs/proofs/approximate_quantiles.md
/// Proof: docs/proofs/odometer.md
/// Proof: docs/proofs/groups.md
/// Proof: docs/proofs/private_bounds.md
/// Proof: docs/proofs/counts.md
Release release(const CountedColumn& counted, const ReleaseOptions& options, RandomBits& bits);

/// The query over units of weight: the records of a person and the expected rows become their numbers of units. Throws `usage` as
/// RecordWeights::validate() does; for a stability of fewer records than one person may have; for more than 4,294,967,295 units in
/// all; under change-one, as a record's replacement has another weight; for expected rows without a mean weight; and for intervals
/// of a population.
/// Proof: docs/proofs/weights.md
QuantileQuery over_weights(const QuantileQuery& query, const RecordWeights& weights);

/// The query that every group runs. With it, all groups together keep the promise of `query` to a person whose records lie in any
/// of them. An add_remove query stays as it is. A change_one query becomes add_remove with twice the records per person, since a
/// replaced record may leave one group and enter another. Throws `usage` as validate() does, and when no such query is known: for
/// an approximate budget, except under add_remove with one record per person.
/// Proof: docs/proofs/groups.md
QuantileQuery group_query(const QuantileQuery& query);

// --- Comparisons -----------------------------------------------------------------------------------------------------
//
// Comparisons of released quantiles: differences and ratios with confidence intervals, for no further budget.
// Thread-safety: values, and functions of their arguments; threads may share values that none changes.

/// A published number with the interval for what it estimates; in the column's unit or, for ratios, without a unit.
struct Estimate {
  Rational value;
  Rational lower;
  Rational upper;
  bool or_below = false;  ///< The lower end comes from the end of the range, beyond which nothing is known.
  bool or_above = false;  ///< likewise
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// A second quantile compared with a first.
struct Comparison {
  Estimate difference;            ///< second - first
  std::optional<Estimate> ratio;  ///< second / first; absent unless the first and all of its interval are above 0
};

/// The i-th quantile of a group of a release with intervals, with its interval at level_in_pairs(). Throws `usage` without intervals,
/// and when there are fewer quantiles.
Estimate estimate_in_pairs(const Release& release, const Release::Group& group, std::size_t i);

/// Compares two quantiles of one release (an interquartile range), or the same quantile in two groups, chosen before the values
/// were seen. When both estimates come from estimate_in_pairs(), the intervals of the difference and of the ratio hold at once with
/// the level that was asked for the release's intervals. This holds for each comparison by itself; with `is_simultaneous`, for all
/// comparisons of the same two groups at once, and for all comparisons of quantiles of one release at once.
/// Proof: docs/proofs/intervals.md
Comparison compare(const Estimate& first, const Estimate& second);

}  // namespace fractile
