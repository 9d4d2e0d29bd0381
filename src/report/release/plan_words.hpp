// What a plan says, for its table and its page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// A heading, and a row a quantile: its errors.
std::vector<Row> plan_rows(const ReleasePlan& plan);
/// What they mean: a first line, then a word at the beginning of a line and its meaning from the 14th column on.
std::string plan_meaning(const ReleasePlan& plan);
/// A heading, and a row a number beside the quantiles: how far off it will be; none without statistics.
std::vector<Row> planned_statistics_rows(const ReleasePlan& plan);
/// What these mean: one line.
std::string planned_statistics_meaning(const ReleasePlan& plan);
/// What it costs: lines.
std::string plan_cost(const ReleasePlan& plan);
/// A heading, and a row a budget: the worst quantile's errors, and the widest interval.
std::vector<Row> budget_rows(const std::vector<ReleasePlan>& plans);
/// Epsilon or rho, with decimals where it has them.
std::string budget_number(const Budget& budget);
/// A warning that few values are possible, and how far rounding to them moves others; nothing where there are many.
std::optional<NoiseInWords> coarse_step(const Lattice& lattice);
double largest(const std::vector<double>& errors);

}  // namespace fractile::report_detail
