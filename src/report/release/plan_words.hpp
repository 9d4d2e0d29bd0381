// What a plan says in its table and on its page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// A bound for any number of records that is larger is a share of the largest number, and says nothing about a table.
inline constexpr std::uint64_t largest_bound_of_any_number = any_number_of_rows / 1000;
/// The report without such bounds where the number of records is not known.
PlanReport with_told_bounds(PlanReport report);
Release with_told_bounds(Release release);

/// A heading, and one row per quantile with its errors.
std::vector<Row> plan_rows(const ReleasePlan& plan);
/// What a plan's errors count: "records" or, with weights, "units of weight".
std::string planned_noun(const PlanReport& report);
/// "1 record", "20 records" or, with weights, "20 units of weight".
std::string planned_amount(const PlanReport& report, std::uint64_t number);
/// What the errors of plan_rows() mean. The first line stands alone. Then each line begins with a word, and its meaning begins in the 14th
/// column.
std::string plan_meaning(const PlanReport& report);
/// The words without line breaks.
std::string in_one_line(std::string words);
/// A heading, and one row for each number that is not a quantile, with its error. No rows without statistics.
std::vector<Row> planned_statistics_rows(const PlanReport& report);
/// What the errors of planned_statistics_rows() mean, without line breaks.
std::string planned_statistics_meaning(const PlanReport& report);
/// An error of the plan in units, as a share of the expected total of the weights.
Rational share_of_total(const PlanReport& report, double units);
/// A smaller largest weight that may reduce the error.
struct Trimming {
  Rational upper;
  /// About what nine in ten releases would miss by at most for the worst quantile, as a share of the total.
  Rational share;
  /// By how much `share` is smaller than with the declared largest weight. Trimming is worthwhile if the excesses of weights over `upper`
  /// add up to less than this share of the total.
  Rational saved;
};
/// Returns nothing where the largest weight is not much above the mean weight.
std::optional<Trimming> trimming_of(const PlanReport& report);
/// A heading, and one row per quantile with its errors as weights and as shares of the total. No rows without weights.
std::vector<Row> planned_weights_rows(const PlanReport& report);
/// What the errors of planned_weights_rows() mean, and whether a smaller largest weight is worthwhile: sentences.
std::vector<std::string> planned_weights_meaning(const PlanReport& report);

/// The cost of a plan, in lines.
std::string plan_cost(const PlanReport& report);
/// A heading, and one row per budget with the worst quantile's errors and the widest interval.
std::vector<Row> budget_rows(const std::vector<ReleasePlan>& plans);
/// Epsilon or rho, as a decimal if it is one.
std::string budget_number(const Budget& budget);
/// "epsilon" or "rho".
const char* budget_name(const Budget& budget);
/// What an error costs: the error that was asked for, or `worst`, which this budget buys. What follows on "to" in a sentence,
/// without its full stop.
std::string price_in_words(const PlanReport& report, std::uint64_t worst);
/// A warning that few values are possible, and how far rounding to them moves the values between; nothing if many are possible.
std::optional<NoiseInWords> coarse_step(const Lattice& lattice);
/// A warning that epsilon is above 20 or rho above 50; otherwise nothing. At an epsilon of 20 the odds may change by a factor of half a billion;
/// the rho is that of an exponential mechanism of this epsilon, 20^2 / 8.
std::optional<NoiseInWords> weak_budget(const Budget& budget);
/// The same as a member of a plan.
void write_weak_budget(Writer& json, const Budget& budget);
double largest(const std::vector<double>& errors);
/// The groups with an interval that ends only at an end of the range, and with too few records to expect otherwise. Those with the fewest
/// records come first. There is one if `ends` are those of the release.
std::vector<std::size_t> unsettled_groups(const Release& release, const UnsettledEnds& ends);

}  // namespace fractile::report_detail
