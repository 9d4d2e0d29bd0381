// What a release will be worth, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/pages.hpp"
#include "fractile/planning.hpp"

namespace fractile {

/// What a release will be worth, and under other budgets.
struct PlanReport {
  ReleasePlan plan;
  std::vector<ReleasePlan> others = {};      ///< for the chart, in increasing order of their budgets
  std::optional<std::uint64_t> wanted = {};  ///< records: the error that the budget was solved for
};

/// One JSON object, with `quantiles[]` {quantile, worst_case, median, nine_in_ten} in records; null where no bound is known.
std::string to_json(const PlanReport& report);
/// "quantile,worst_case,median,nine_in_ten" and a line a quantile.
std::string to_csv(const PlanReport& report);
/// The same in aligned columns, what it all means, and a chart of the errors against the budget.
std::string to_table(const PlanReport& report);
/// The same as a page, with figures.
WebPage to_html(const PlanReport& report, const PageOptions& options);

}  // namespace fractile
