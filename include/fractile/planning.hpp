// What is known of a release before any record is read: its errors, what it reveals about a person, what it is worth, and audits of
// mechanisms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile {

// --- Plans -----------------------------------------------------------------------------------------------------------
//
// What a release will be worth, before any record is read: how wrong its quantiles may be at worst, how wrong they typically are,
// and which budget makes them good enough. Everything here is computed from public facts alone.
// Source: approximate-quantiles 2021, Lemma A.1 and the recursion of Lemma 3.2, with the constants of what is run here; docs/papers.md says
// which of its theorems are wrong.
// Thread-safety: functions of their arguments, for any number of threads.

/// The worst case over everything that the query may run, for tables of query.expected_rows rows, or of 2^32 - 1 rows when the
/// query does not say. Explicit candidates have no bound, since records may lie between two of them. Certified: rounded up to whole
/// records. Throws `usage` as QuantileQuery::validate() does, and unless 0 < confidence < 1.
/// Proof: docs/proofs/rank_error.md
WorstCase worst_case(const QuantileQuery& query, const Lattice& lattice, const Rational& confidence);

/// The bounds for what ran, one per group. They are for release.public_rows rows, or else for the query's as above.
/// Proof: docs/proofs/rank_error.md
std::vector<WorstCase> worst_cases(const Release& release, const Rational& confidence);

/// The bound of a release without groups.
/// Proof: docs/proofs/rank_error.md
WorstCase worst_case(const Release& release, const Rational& confidence);

/// The number of records (on the search's lattice) from which on the bounds that a release has found hold all its quantiles with
/// probability at least `confidence`. Nothing where no number ensures that, for groups, and for declared bounds.
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

/// The shape's table: `rows` records at its quantiles (i - 1/2)/rows. Explicit candidates are all equally frequent (uniform), or as
/// frequent as their places among the candidates say. Throws `usage` for more than any_number_of_rows rows.
RankProfile reference_table(const Lattice& lattice, Shape shape, std::uint64_t rows);

/// Rank errors of releases of a reference table.
struct TypicalError {
  Shape shape = Shape::normal;
  std::uint64_t rows = 0;
  std::uint64_t releases = 0;        ///< how many were drawn from the mechanism's own law
  std::vector<double> median;        ///< one per quantile
  std::vector<double> nine_in_ten;   ///< one per quantile: at most this in nine releases of ten
  std::vector<double> mean;          ///< one per quantile
  std::vector<double> largest = {};  ///< one per release, increasing: the largest error among its quantiles
};

/// Draws releases with reproducible bits: the same for the same arguments. Throws `usage` as QuantileQuery::validate() does, and
/// unless rows and releases are positive and there are at most any_number_of_rows rows.
TypicalError typical_error(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                           std::uint64_t releases);

/// A warning for a query that says how many rows to expect. Nothing when the query does not say that, and when its values are more
/// than noise. Nothing also with intervals (they show how wrong a value may be), for more than 200 quantiles (they are read
/// together), and where simulating one release would take some tenth of a second, by an operation count that is known beforehand.
/// No sufficient budget is named where finding one would take longer. No record is read. Throws `usage` as
/// QuantileQuery::validate() does.
std::optional<MostlyNoise> mostly_noise(const QuantileQuery& query, const Lattice& lattice);

/// The same for each group, in order, from public and published numbers alone. A group's rows are the table's when that number is
/// public; otherwise those of the branch that a noisy count chose (`used.rows`); otherwise the expected ones.
std::vector<std::optional<MostlyNoise>> mostly_noise(const Release& release);

/// The errors of a few simulated releases like this one, of the normal reference table. The table has as many records as the
/// largest group is known to have, at most 10,000, and 10,000 where nothing is known. Nothing with intervals, for more than 200
/// quantiles, and where ten such releases would take longer than a tenth of a second, by an operation count that is known
/// beforehand. Only public and published numbers are read, and a release gives the same result as its receipt read back. Throws
/// `usage` for a release without any group.
std::optional<TypicalError> typical_error(const Release& release);

/// What is published besides the quantiles, and how far off it is.
struct PlannedStatistics {
  StatisticsTerms terms;
  StatisticsErrors errors;
};

/// A warning that intervals are expected to end at the range for want of records. An approximation, for values that are not tied.
struct UnsettledEnds {
  std::uint64_t rows;          ///< the number of rows that is assumed
  std::uint64_t settled_from;  ///< among this many rows, all but about one end in a hundred are inside the range
  std::optional<Budget> sufficient_budget;  ///< with which these rows suffice; empty where no epsilon up to 1000 does
};

/// About how many records it takes until all but about one in a hundred ends of the query's intervals are inside the range, to two
/// digits. Nothing without intervals, and where no number suffices. Throws `usage` as QuantileQuery::validate() does.
std::optional<std::uint64_t> records_that_settle(const QuantileQuery& query);

/// Nothing where the ends of intervals among this many rows are settled, where no number of rows settles them, and without intervals.
/// Throws `usage` as QuantileQuery::validate() does.
std::optional<UnsettledEnds> unsettled_ends(const QuantileQuery& query, std::uint64_t rows);

/// Describes the group with the fewest rows, by its noisy count, among the groups with an interval that ends at the range. Nothing
/// where no interval ends at the range for want of records.
std::optional<UnsettledEnds> unsettled_ends(const Release& release);

/// What the requested intervals will be like.
struct PlannedIntervals {
  std::uint64_t rows;                         ///< of the table on which the widths are simulated
  std::vector<double> widths;                 ///< medians, in records between the ends; one per quantile
  std::optional<std::uint64_t> settled_from;  ///< records_that_settle()
  std::optional<UnsettledEnds> unsettled;     ///< among the query's expected rows, or those of the reference table
};

/// What a query would run, cost and be worth. Its budget also pays for statistics where they are asked for.
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
  std::uint64_t rows = 10'000;   ///< of the reference table, when the query has no expected rows
  std::uint64_t releases = 500;  ///< fewer when they would take long
  /// Whether mostly_noise() is called, which simulates further releases.
  bool with_noise = true;
  std::optional<StatisticsRequest> statistics = {};  ///< in addition to the quantiles
};

/// Throws `usage` as QuantileQuery::validate() and StatisticsRequest::validate() do.
ReleasePlan plan_release(const QuantileQuery& query, const Lattice& lattice, const PlanOptions& options = {});

/// The query with the smallest budget, in the query's measure and in four significant digits, whose worst-case rank error is at
/// most `ranks` for every quantile. The query's own budget is ignored. Throws `usage` when there is no such budget: when a quantile
/// has no bound, or no epsilon up to 1000 reaches the error.
QuantileQuery query_for_rank_error(QuantileQuery query, const Lattice& lattice, std::uint64_t ranks,
                                   const Rational& confidence);

/// The query with about the smallest budget, in the query's measure and in two significant digits, at which the intervals are
/// expected to be this narrow: on a public normal table of `rows` rows, half of each quantile's intervals have at most this share
/// of the records between their ends. Formulas in floating point and a few simulated releases find the budget; for other tables,
/// nothing is guaranteed. Throws `usage` when the query has no intervals, unless 0 < share < 1 and rows > 0, and when no epsilon up
/// to 1000 makes them so narrow.
QuantileQuery query_for_interval_width(QuantileQuery query, const Lattice& lattice, std::uint64_t rows,
                                       const Rational& share);

// --- What a release tells about a person -----------------------------------------------------------------------------
//
// How often the best guess about one person in a table is right, without a release of its quantiles and with it: from public
// numbers alone, before any record is read. All numbers are probabilities; those with a release are certified upper bounds.
// Proof: docs/proofs/leakage.md, "Releases of quantiles"
// Thread-safety: functions of their arguments, for any number of threads.

/// What an attacker guesses about a person who has one record in the table.
struct PersonGuess {
  enum class About {
    value,     ///< at which possible value their record counts
    presence,  ///< whether their record is in the table, which has prior 1/2; all other records are in either case
    above,     ///< whether their value is above the limit
  };
  About about = About::value;
  Rational limit = {};
};

/// The probability of a right guess, rounded up except for `before`.
struct PersonLeakage {
  Rational before;  ///< without the release, by the distribution of the reference table
  /// With the release, for an attacker who knows all other records, when these are spread as in the reference table. It is within
  /// 10^-9 of the truth when nothing is selected besides the one quantile. Nothing for several quantiles, for several records per
  /// person, and where noisy counts decide.
  std::optional<Rational> knowing_these_others = {};
  /// The same whatever the other records are, from what each selection may cost.
  Rational knowing_any_others;
  /// For an attacker who knows the distribution of values and the number of records, but no person's value.
  Rational knowing_the_distribution;
  Rational allowed;  ///< for any mechanism and any attacker, from the budget alone; 1 where the budget bounds nothing
};

/// `reference`: a public table, of any number of records on this lattice, that stands for one of `rows` records. Throws `usage` as
/// QuantileQuery::validate(lattice) does, when the reference table is empty, unless 1 <= rows <= RankProfile::max_records, and when
/// the limit has no possible value above it, or none at or below it, or lies between two listed candidates.
PersonLeakage person_leakage(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                             std::uint64_t rows, const PersonGuess& guess);

/// `allowed` alone, for possibilities with these probabilities. The possibilities differ in the value of one person's record, or in
/// their presence. Throws `usage` unless no probability is below 0 and all add up to 1.
Rational allowed_guesses(const Budget& budget, Neighbors neighbors, PersonGuess::About about,
                         const std::vector<Rational>& priors);

/// An upper bound of `knowing_the_distribution` for any release about `rows` records, when the guess is whether a value is above a
/// limit and this share of the distribution lies above the limit. Throws `usage` unless 0 <= share <= 1 and
/// 1 <= rows <= RankProfile::max_records.
Rational guesses_by_share(const Rational& share, std::uint64_t rows);

// --- What a release is worth to an analyst ---------------------------------------------------------------------------
//
// At which epsilons a release of quantiles serves an analyst who takes the published values as they are. Computed on a public table
// that stands for the secret one. Proof: docs/proofs/choosing.md, "Releases"
// Thread-safety: functions of their arguments, for any number of threads.

/// An analyst's loss from the published values, and how much of it they accept.
struct ReleaseAnalyst {
  enum class Loss {
    missed_records,  ///< by how many records a value misses its quantile; for several quantiles, the mean
    missed_by_more,  ///< 1 when any value misses its quantile by more than `tolerance` records, and 0 otherwise
  };
  Loss loss = Loss::missed_records;
  std::uint64_t tolerance = 0;  ///< in records
  Rational accepted_loss;       ///< the largest expected loss that they accept
};

/// Bounds of an expected loss.
struct LossBounds {
  Rational lower;
  Rational upper;
};

/// One epsilon, and what is known of the expected loss at it.
struct AnalystTrial {
  enum class Answer { served, not_served, unknown };
  Rational epsilon;
  std::optional<LossBounds> loss;  ///< nothing where the mechanism that runs is not examined
  Answer answer;
};

/// The answer for epsilons low .. high. Where one quantile is selected and nothing before it, the expected loss never rises with
/// epsilon. Then both ends hold for all of these epsilons, less than a millionth lies between the ends, and `tried` has some
/// epsilons around them.
/// Otherwise only what was tried is known: ten epsilons per decade, from `high` down until four in a row do not serve, and then
/// epsilons of two digits, by bisection, where serving begins.
struct ServedEpsilons {
  Rational low;
  Rational high;
  bool never_rises = false;  ///< the first case
  /// From `low` (or the least epsilon tried) up to here, the analyst loses more than they accept.
  std::optional<Rational> not_served_to;
  std::optional<Rational> served_from;   ///< from here up to `high`, the analyst loses at most what they accept
  std::vector<AnalystTrial> tried = {};  ///< in order
};

/// For `rows` records that are spread as in the reference table. Only the measure of the query's budget matters. Throws `usage`
/// when the budget is not pure; when at no epsilon one quantile, or several at once, are selected without counting anything; when
/// there are no records; and unless 0 < low < high.
ServedEpsilons served_epsilons(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                               std::uint64_t rows, const ReleaseAnalyst& analyst, const Rational& low,
                               const Rational& high);

// --- Audits ----------------------------------------------------------------------------------------------------------
//
// Exact audits of every mechanism: enumerate all small tables and all their neighbors, compute the probability of every
// output as a certified enclosure, and certify or refute the claimed privacy.
// Thread-safety: functions of their arguments, for any number of threads.

/// What to audit: all tables of at most `records` records of `values` values (change_one and scores of known size: of exactly that
/// many), and all pairs of neighbors. Mechanisms of a release are audited by running the release with every draw in turn. The sizes
/// from which a release takes further steps are set so small (docs/proofs/audit.md) that all steps run on such tables.
struct AuditRequest {
  std::string mechanism;     ///< one of audited_mechanisms()
  int records = 4;           ///< 1..6
  std::uint64_t values = 4;  ///< 1..12
  Budget budget;             ///< what the mechanism is calibrated to cost
  Neighbors neighbors = Neighbors::add_remove;
  std::vector<Rational> quantiles =
      {};  ///< Empty: the median or, for mechanisms of several quantiles, two to five evenly spaced ones.
  std::optional<Budget> claim = {};  ///< what is to be certified, in the budget's measure; empty: the budget
  // For mechanisms of a release:
  std::uint32_t records_per_person = 1;
  Base base = Base::by_mechanism;
  /// With intervals, the noisy count of rows has two outcomes: this number (32 if empty), and 16 times this number.
  std::optional<std::uint64_t> expected_rows = {};
  std::optional<Lattice> lattice =
      {};               ///< `values` of its points are tried, evenly spread; empty: 0, 1, ..., values - 1
  bool groups = false;  ///< two groups with public keys, every record in either
  /// Bounds are found privately with `bounds_share` of the budget, among 0 and +-1, +-2, ..., +-2^doublings.
  std::optional<int> doublings = {};
  Rational bounds_share = Rational(1, 10);
  std::optional<IntervalRequest> intervals = {};  ///< with brackets and counts of their cells
  std::optional<StatisticsRequest> statistics = {};
};

struct AuditReport {
  bool holds;  ///< certified for every pair and output; otherwise, refuted by a pair
  /// Decimal: epsilon (largest log ratio), rho (largest Renyi divergence / order), or delta (largest hockey-stick divergence).
  std::string claimed;
  std::string attained;  ///< decimal, certified digits
  std::string first;     ///< with `second`, the pair of neighbors that attains it: "{0, 1, 1}"
  std::string second;
  std::uint64_t pairs;  ///< ordered pairs of neighbors tried
};

struct AuditedMechanism {
  std::string name;
  std::string description;
};

/// Every mechanism of the library.
std::vector<AuditedMechanism> audited_mechanisms();

/// Throws `usage` for an unknown mechanism, sizes out of range, or a budget in a measure that the mechanism does not support; and
/// when enclosures of 128 bits neither certify nor refute the claim, as for budgets that are extremely small or large.
AuditReport audit(const AuditRequest& request);

}  // namespace fractile
