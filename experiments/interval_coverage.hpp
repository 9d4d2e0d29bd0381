// Do confidence intervals hold their quantiles as often as they say, how wide are they beside the non-private ones, and what do they cost
// the quantiles themselves? Nothing of it is a private release.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/figures.hpp"
#include "experiments/interval_laws.hpp"
#include "experiments/metrics.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"
#include "fractile/quantiles.hpp"

namespace fractile::experiments::interval_coverage {

/// The settings to run: every combination, or a number of them drawn at random. Settings of the population have one record per person.
struct Plan {
  std::vector<const IntervalLaw*> laws;
  std::vector<std::uint64_t> quantile_counts = {3};  ///< m: i/(m+1) each time
  std::vector<std::uint64_t> records_per_person = {1};
  std::vector<std::uint64_t> rows;
  std::vector<Budget> budgets;
  std::vector<IntervalOf> of;
  Rational level = Rational(19, 20);
  std::optional<std::uint64_t> sample = {};
  std::uint64_t trials = 200;
  std::uint64_t seed = 1;
};

/// One quantile in one combination, over all trials. Widths are in steps, between the ends; an open end is the lattice's.
struct QuantileResult {
  Rational quantile;
  Estimate
      covered;  ///< the share of intervals that held it; the lesser of the law's (or table's) lowest and highest one
  Estimate width;
  Estimate open;             ///< intervals with an open end
  std::uint64_t missed = 0;  ///< tables of which it did not hold the one of these that it missed most often
  Estimate plain_covered;    ///< of the non-private interval, of order statistics, for the population
  Estimate plain_width;
  Estimate of_table;        ///< how far the value is from the table's quantile, in records, ties included
  Estimate of_law;          ///< and from that of the law, times the records
  Estimate alone_of_table;  ///< the same for a release of the same budget without intervals
  Estimate alone_of_law;
};

struct Cell {
  const IntervalLaw* law = nullptr;
  std::uint64_t rows = 0;
  Budget budget;
  IntervalOf of = IntervalOf::population;
  std::uint64_t quantiles = 3;
  std::uint64_t records_per_person = 1;
  std::vector<QuantileResult> results = {};
  std::optional<TableWidths> widths = {};  ///< of intervals of the table

  /// The coverage of the quantile that is held least often.
  Estimate least_covered() const;
  /// How many times as wide as the non-private intervals, all quantiles together; 0 where those have no width.
  double width_ratio() const;
  /// The same for the quantile for which it is largest, among those whose non-private interval is a step wide at least; 0 without
  /// any.
  double widest_ratio() const;
  /// Mean errors over the quantiles, beside those of a release without intervals.
  double error_ratio(Estimate QuantileResult::*with, Estimate QuantileResult::*alone) const;
};

/// Runs the plan on two threads; all combinations of a law and a number of rows see the same tables. What is returned depends on the plan
/// alone.
std::vector<Cell> run(const Plan& plan, const Observer& observer);

/// How many tables an interval may miss before that is less than its level with a probability of 1 - 1/1000, all intervals of the plan
/// together.
std::uint64_t most_missed(const Plan& plan, const std::vector<Cell>& cells);

/// intervals.csv, one line per quantile and combination; intervals.txt, one line per combination; table_widths.csv, one line per
/// combination of the table; and laws/NAME.csv.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells);

/// For the population: coverage and width of quartiles against the rows, one panel per budget. For the table: half widths against the
/// records between two quantiles, one panel per number of quantiles.
std::vector<Figure> figures_of(const Plan& plan, const std::vector<Cell>& cells);

}  // namespace fractile::experiments::interval_coverage
