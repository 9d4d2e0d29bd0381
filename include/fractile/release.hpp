// What is published: releases of quantiles, and comparisons of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

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
