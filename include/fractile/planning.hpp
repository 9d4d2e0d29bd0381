// What a release will be worth, before any record is read: how wrong its quantiles may be at worst, how wrong they typically
// are, and which budget makes them good enough. Everything here is computed from what is public.
// Source: approximate-quantiles 2021, Lemma A.1, Theorems 3.3 to 3.11, with the constants of what is run here.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/release.hpp"

namespace fractile {

/// The worst case of all that the query may run. Rows: query.expected_rows, or 2^32 - 1. Explicit candidates have no bound, since
/// records may lie between two of them. Certified: rounded up to whole records. Throws `usage` as QuantileQuery::validate() does,
/// and unless 0 < confidence < 1.
/// Proof: docs/proofs/rank_error.md
WorstCase worst_case(const QuantileQuery& query, const Lattice& lattice, const Rational& confidence);

/// The bounds of what ran, one per group; the rows are release.public_rows, or else a group's as above.
/// Proof: docs/proofs/rank_error.md
std::vector<WorstCase> worst_cases(const Release& release, const Rational& confidence);

/// The bound of a release without groups.
/// Proof: docs/proofs/rank_error.md
WorstCase worst_case(const Release& release, const Rational& confidence);

/// The number of records (on the search's lattice) from which on the bounds that a release has found hold all its quantiles with
/// probability at least `confidence`. Nothing where no number makes that sure, for groups, and for declared bounds.
/// Proof: docs/proofs/rank_error.md
std::optional<std::uint64_t> records_that_bounds_hold(const Release& release, const Rational& confidence);

/// Public tables that stand for the secret one, over bounds [a, b] of width w = b - a.
enum class Shape {
  uniform,     ///< evenly from a to b
  normal,      ///< mean in the middle, standard deviation w/8
  log_normal,  ///< a + w/16 times a log-normal factor: exp of a normal with mean 0 and standard deviation 3/4
};
inline constexpr Shape all_shapes[] = {Shape::uniform, Shape::normal, Shape::log_normal};
/// "uniform", "normal", "log-normal".
std::string to_string(Shape shape);

/// The shape's table: `rows` records at its quantiles (i - 1/2)/rows. Explicit candidates: each is as likely as the others
/// (uniform), or by its place among them.
RankProfile reference_table(const Lattice& lattice, Shape shape, std::uint64_t rows);

/// Rank errors of releases of a reference table.
struct TypicalError {
  Shape shape = Shape::normal;
  std::uint64_t rows = 0;
  std::uint64_t releases = 0;        ///< how many were drawn from the mechanism's own law
  std::vector<double> median;        ///< one per quantile
  std::vector<double> nine_in_ten;   ///< one per quantile: nine releases in ten have at most this
  std::vector<double> mean;          ///< one per quantile
  std::vector<double> largest = {};  ///< one per release, increasing: the error of the quantile that it misses by most
};

/// Draws releases with reproducible bits: the same for the same arguments. Throws `usage` unless rows and releases are
/// positive.
TypicalError typical_error(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                           std::uint64_t releases);

/// A warning for a query that says how many rows to expect. Nothing when the query does not say that, when its values are more than
/// noise, with intervals (they show how wrong a value may be), for more than 200 quantiles (they are read together), and where
/// simulating one release would take some tenth of a second, by a count that is known beforehand. A sufficient budget is not named
/// where finding it would take longer. No record is read. Throws `usage` as QuantileQuery::validate() does.
std::optional<MostlyNoise> mostly_noise(const QuantileQuery& query, const Lattice& lattice);

/// The same for each group, in order, from public and published numbers alone. A group's rows are the table's when that number is
/// public, else those of the branch that a noisy count chose (`used.rows`), else the expected ones.
std::vector<std::optional<MostlyNoise>> mostly_noise(const Release& release);

/// The errors of a few simulated releases like this one. The table is the normal reference table. It has as many records as the
/// largest group is known to have, but at most 10,000, and 10,000 where nothing is known. Nothing with intervals, for more than 200
/// quantiles, and where ten such releases would take longer than a tenth of a second, by a count that is known beforehand. Only
/// public and published numbers are read, and a release gives the same result as its receipt read back.
std::optional<TypicalError> typical_error(const Release& release);

/// What is published besides the quantiles, and how far off it is.
struct PlannedStatistics {
  StatisticsTerms terms;
  StatisticsErrors errors;
};

/// A warning that intervals are expected to end at the range for want of records. An approximation, for values that are not tied.
struct UnsettledEnds {
  std::uint64_t rows;            ///< as many as there are believed to be
  std::uint64_t settled_from;    ///< among this many, all but about one end in a hundred are inside the range
  std::optional<Budget> enough;  ///< with which this few rows suffice; empty where none up to 1000 does
};

/// About how many records it takes for the ends of the query's intervals to be inside the range, all but about one in a hundred;
/// nothing without intervals, and where no number suffices. Two digits. Throws `usage` as QuantileQuery::validate() does.
std::optional<std::uint64_t> records_that_settle(const QuantileQuery& query);

/// Nothing where the ends of intervals among this many rows are settled, where no number of rows settles them, and without intervals.
/// Throws `usage` as QuantileQuery::validate() does.
std::optional<UnsettledEnds> unsettled_ends(const QuantileQuery& query, std::uint64_t rows);

/// Describes the group with the fewest rows, by its noisy count, among the groups with an interval that ends at the range. Nothing
/// where no interval ends there for want of records.
std::optional<UnsettledEnds> unsettled_ends(const Release& release);

/// What the requested intervals will be like.
struct PlannedIntervals {
  std::uint64_t rows;                         ///< of the table that widths are of
  std::vector<double> widths;                 ///< medians, in records between the ends; one per quantile
  std::optional<std::uint64_t> settled_from;  ///< records_that_settle()
  std::optional<UnsettledEnds> unsettled;     ///< among the query's expected rows, or those of the reference table
};

/// What a query would run, cost and be worth. Its budget pays for statistics, too, where they are asked for.
struct ReleasePlan {
  QuantileQuery query;
  Lattice lattice;
  MechanismUsed used;
  WorstCase worst;
  TypicalError typical;
  std::optional<PlannedIntervals> intervals = {};
  std::optional<MostlyNoise> noise = {};
  std::optional<PlannedStatistics> statistics = {};
};

/// What `plan_release` is to find.
struct PlanOptions {
  Rational confidence = Rational(19, 20);
  Shape shape = Shape::normal;
  std::uint64_t rows = 10'000;                       ///< of the reference table, when the query does not say
  std::uint64_t releases = 500;                      ///< fewer when they would take long
  bool with_noise = true;                            ///< whether mostly_noise() is asked, which takes further releases
  std::optional<StatisticsRequest> statistics = {};  ///< beside the quantiles
};

/// Throws `usage` as QuantileQuery::validate() and StatisticsRequest::validate() do.
ReleasePlan plan_release(const QuantileQuery& query, const Lattice& lattice, const PlanOptions& options = {});

/// The query with the smallest budget, of its own measure, in four significant digits, whose worst-case rank error is at most
/// `ranks` for every quantile. The query's own budget is ignored. Throws `usage` when there is none: a quantile without
/// a bound, or an error that no epsilon up to 1000 reaches.
QuantileQuery query_for_rank_error(QuantileQuery query, const Lattice& lattice, std::uint64_t ranks,
                                   const Rational& confidence);

/// The query with about the smallest budget, of its own measure, in two significant digits, at which the intervals are expected to
/// be this narrow: for a public normal table of `rows` rows, half of each quantile's intervals have at most this share of the
/// records between their ends. The budget is found by formulas in floating point and a few simulated releases; nothing is promised
/// for other tables. Throws `usage` when the query has no intervals, unless 0 < share < 1 and rows > 0, and when no epsilon up to
/// 1000 makes them so narrow.
QuantileQuery query_for_interval_width(QuantileQuery query, const Lattice& lattice, std::uint64_t rows,
                                       const Rational& share);

}  // namespace fractile
