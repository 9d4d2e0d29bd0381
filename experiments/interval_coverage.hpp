// Do confidence intervals hold their quantiles as often as they state? How wide are they, compared with non-private intervals? By how much
// do they make the quantiles less accurate? No result is a private release.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/figures.hpp"
#include "experiments/interval_laws.hpp"
#include "experiments/metrics.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"
#include "fractile/release.hpp"

namespace fractile::experiments::interval_coverage {

/// The settings to run: every combination, or a number of combinations drawn at random. For intervals of the population, each person has
/// one record.
struct Plan {
  std::vector<const IntervalLaw*> laws;
  std::vector<std::uint64_t> quantile_counts = {3};  ///< m; the quantiles are i/(m+1)
  std::vector<std::uint64_t> records_per_person = {1};
  std::vector<std::uint64_t> rows;
  std::vector<Budget> budgets;
  std::vector<IntervalSubject> of;
  Rational level = Rational(19, 20);
  std::optional<std::uint64_t> sample = {};
  std::uint64_t trials = 200;
  std::uint64_t seed = 1;
};

/// One quantile in one combination, over all trials. Widths are in steps from end to end, where an open end counts as the lattice's end.
struct QuantileResult {
  Rational quantile;
  /// The share of intervals that held the quantile. If the quantile is ambiguous, the smaller of the shares for its lowest and its highest
  /// value.
  Estimate covered;
  Estimate width;
  Estimate open;             ///< the share of intervals with an open end
  std::uint64_t missed = 0;  ///< the tables in which the lowest value was missed, or the highest, whichever is more
  Estimate plain_covered;    ///< as `covered`, for the non-private interval of order statistics, for the population
  Estimate plain_width;
  Estimate of_table;        ///< the distance of the value from the table's quantile, in records, as tie_rank in Errors
  Estimate of_law;          ///< the distance from the law's quantile, in shares times the number of records
  Estimate alone_of_table;  ///< as of_table, for a release with the same budget and no intervals
  Estimate alone_of_law;
};

struct Cell {
  const IntervalLaw* law = nullptr;
  std::uint64_t rows = 0;
  Budget budget;
  IntervalSubject of = IntervalSubject::population;
  std::uint64_t quantiles = 3;
  std::uint64_t records_per_person = 1;
  std::vector<QuantileResult> results = {};
  std::optional<TableWidths> widths = {};  ///< if the intervals are of the table

  /// The coverage of the quantile that is held least often.
  Estimate least_covered() const;
  /// How many times as wide as the non-private intervals these are, for all quantiles together; 0 if those have no width.
  double width_ratio() const;
  /// The largest such ratio of one quantile, among the quantiles whose non-private interval is at least a step wide; 0 if there are none.
  double widest_ratio() const;
  /// The mean error over the quantiles, divided by that of a release without intervals.
  double error_ratio(Estimate QuantileResult::*with, Estimate QuantileResult::*alone) const;
};

/// Runs the plan on two threads. All combinations with the same law and number of rows see the same tables. The results depend on the plan
/// alone.
std::vector<Cell> run(const Plan& plan, const Observer& observer);

/// The largest number of tables that an interval may miss. If all intervals keep their level, the probability that any interval of the plan
/// misses more is at most 1/1000.
std::uint64_t most_missed(const Plan& plan, const std::vector<Cell>& cells);

/// intervals.csv, with one line per quantile and combination; intervals.txt, with one line per combination; table_widths.csv, with one line
/// per combination whose intervals are of the table; and laws/NAME.csv.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells);

/// For intervals of the population: coverage and width of quartiles against the number of rows, one panel per budget. For intervals of the
/// table: half widths against the number of records between two quantiles, one panel per number of quantiles.
std::vector<Figure> figures_of(const Plan& plan, const std::vector<Cell>& cells);

}  // namespace fractile::experiments::interval_coverage
