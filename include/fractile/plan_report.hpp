// What a release will be worth, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/pages.hpp"
#include "fractile/planning.hpp"
#include "fractile/provenance.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release_analyst.hpp"
#include "fractile/release_leakage.hpp"

namespace fractile {

/// How often a guess about a person is right, before and after.
struct PlannedGuess {
  PersonGuess guess;
  std::string limit = {};  ///< as it is printed, of a value above it
  std::string reference;   ///< the name of the public table that stands for the secret one
  std::uint64_t rows = 0;  ///< how many records that has
  PersonLeakage leakage;
};

/// Which epsilons serve an analyst. The plan is for the least epsilon that is certain to serve, or for the largest one asked about.
struct PlannedAnalyst {
  ReleaseAnalyst analyst;
  ServedEpsilons served;
  std::string name;       ///< of their file
  std::string reference;  ///< as of a guess
  std::uint64_t rows = 0;
  std::size_t quantiles = 1;  ///< of the query
};

/// What a release will be worth, and under other budgets.
struct PlanReport {
  ReleasePlan plan;
  std::vector<ReleasePlan> others = {};      ///< for the chart, in increasing order of their budgets
  std::optional<std::uint64_t> wanted = {};  ///< records: the error that the budget was solved for
  std::optional<PlannedGuess> guess = {};    ///< where it was asked for
  std::optional<PlannedAnalyst> analyst = {};
  /// For weighted records: the plan's query is about units of weight, as many as are expected.
  std::optional<WeightsDescription> weights = {};
};

/// A warning that intervals are expected to end at the range for want of records, or else that values are mostly noise; nothing
/// where neither is so.
std::optional<NoiseInWords> noise_in_words(const PlanReport& report);

/// One JSON object, with `guess` `analyst` and `weights` where they were asked for, and `quantiles[]` {quantile, worst_case, median, nine_in_ten} in records; null where no bound is known.
std::string to_json(const PlanReport& report);
/// "quantile,worst_case,median,nine_in_ten" and one line per quantile.
std::string to_csv(const PlanReport& report);
/// The same in aligned columns, with an explanation and a chart of the errors against the budget.
std::string to_table(const PlanReport& report);
/// The same as a page, with figures.
WebPage to_html(const PlanReport& report, const PageOptions& options);

}  // namespace fractile
