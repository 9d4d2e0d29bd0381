// What a plan says, for its table and its page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// A heading, and one row per quantile: its errors.
std::vector<Row> plan_rows(const ReleasePlan& plan);
/// What they mean: a first line, then a word at the beginning of a line and its meaning from the 14th column on.
std::string plan_meaning(const ReleasePlan& plan);
/// A heading, and one row per number beside the quantiles: how far off it will be; none without statistics.
std::vector<Row> planned_statistics_rows(const PlanReport& report);
/// What these mean: one line.
std::string planned_statistics_meaning(const PlanReport& report);
/// This many units, an error of the plan, as a share of the expected total of the weights.
Rational share_of_total(const PlanReport& report, double units);
/// A smaller largest weight that may be worth it.
struct Trimming {
  Rational upper;
  Rational share;  ///< of the total: about what nine releases in ten would miss by at most, of the worst quantile
  Rational
      saved;  ///< how much less that is: it pays where what weights exceed `upper` by is less than this share of their total
};
/// Nothing where the largest weight is not much above the mean one.
std::optional<Trimming> trimming_of(const PlanReport& report);
/// A heading, and one row per quantile: its errors as weights, and in shares of the total. None without weights.
std::vector<Row> planned_weights_rows(const PlanReport& report);
/// What they mean, and whether a smaller largest weight is worth it: sentences.
std::vector<std::string> planned_weights_meaning(const PlanReport& report);

/// What it costs: lines.
std::string plan_cost(const ReleasePlan& plan);
/// A heading, and one row per budget: the worst quantile's errors, and the widest interval.
std::vector<Row> budget_rows(const std::vector<ReleasePlan>& plans);
/// Epsilon or rho, with decimals where it has them.
std::string budget_number(const Budget& budget);
/// A warning that few values are possible, and how far rounding to them moves others; nothing where there are many.
std::optional<NoiseInWords> coarse_step(const Lattice& lattice);
double largest(const std::vector<double>& errors);

}  // namespace fractile::report_detail
