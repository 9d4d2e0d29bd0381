#include "plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fractile/planning.hpp"
#include "fractile/report.hpp"
#include "page_output.hpp"
#include "query.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

bool solves(const Typed& typed) { return typed.has("--rank-error") || typed.has("--percentile-error"); }

/// What is solved for is not given.
Budget planned_budget(const Typed& typed) {
  if (!solves(typed)) {
    if (typed.has("--solve-for")) usage("--solve-for goes with --rank-error", "write for example --rank-error 100");
    if (!typed.has("--epsilon") && !typed.has("--rho")) {
      usage("a budget is missing, or the error that you want", "write --epsilon 1, or --rank-error 100");
    }
    return budget_of(typed);
  }
  for (const char* option : {"--epsilon", "--rho", "--delta"}) {
    if (typed.has(option)) {
      usage(std::string(option) + " is what a wanted error is solved for",
            "leave it out, or leave out the wanted error");
    }
  }
  if (typed.has("--rank-error") && typed.has("--percentile-error")) {
    usage("--percentile-error stands in place of --rank-error", "give one or the other");
  }
  return choice<Measure>(typed, "--solve-for", {{"epsilon", Measure::pure}, {"rho", Measure::zcdp}}, Measure::pure) ==
                 Measure::zcdp
             ? Budget::zcdp(Rational(1))
             : Budget::pure(Rational(1));
}

std::uint64_t wanted_ranks(const Typed& typed, const QuantileQuery& query) {
  if (typed.has("--rank-error")) return whole_number(typed, "--rank-error", {0, 4'294'967'295});
  if (!query.expected_rows) {
    usage("--percentile-error is a share of --expected-rows, which is missing",
          "write for example --expected-rows 50000");
  }
  const Rational percent =
      in_option("--percentile-error", [&] { return Rational::parse(typed.one("--percentile-error")); });
  if (percent <= Rational(0) || percent > Rational(100)) {
    usage("--percentile-error: not above 0 and at most 100", "write for example --percentile-error 0.5");
  }
  return (percent * Rational(static_cast<std::int64_t>(*query.expected_rows)) / Rational(100)).floor().to_uint64();
}

PlanOptions options_of(const Typed& typed) {
  PlanOptions options;
  if (typed.has("--confidence")) {
    options.confidence = in_option("--confidence", [&] { return Rational::parse(typed.one("--confidence")); });
  }
  std::map<std::string, Shape> shapes;
  for (const Shape shape : all_shapes) shapes.emplace(to_string(shape), shape);
  options.shape = choice<Shape>(typed, "--shape", shapes, options.shape);
  return options;
}

/// Budgets from an eighth to eight times as large, with less care.
std::vector<ReleasePlan> around(const ReleasePlan& plan, PlanOptions options) {
  constexpr std::uint64_t releases = 40;
  options.releases = releases;
  options.with_noise = false;
  std::vector<ReleasePlan> plans;
  for (int power = -3; power <= 3; ++power) {
    QuantileQuery query = plan.query;
    query.budget = query.budget.scaled(Rational(2).pow(power));
    plans.push_back(plan_release(query, plan.lattice, options));
  }
  return plans;
}

PlanReport planned(const Typed& typed, QuantileQuery query, const Lattice& lattice, const PlanOptions& options,
                   bool with_chart) {
  const Progress progress("simulating releases");
  std::optional<std::uint64_t> wanted;
  if (solves(typed)) {
    wanted = wanted_ranks(typed, query);
    query = query_for_rank_error(query, lattice, *wanted, options.confidence);
  }
  PlanReport report{plan_release(query, lattice, options), {}, wanted};
  if (with_chart) report.others = around(report.plan, options);
  return report;
}

WebPage rendered(Format format, const PlanReport& report, const PageOutput& page) {
  switch (format) {
    case Format::json:
      return {to_json(report)};
    case Format::csv:
      return {to_csv(report)};
    case Format::table:
      return {to_table(report)};
    case Format::html:
      return to_html(report, page.options);
  }
  return {};
}

}  // namespace

int run_plan(const Typed& typed) {
  const Lattice lattice = lattice_of(typed);
  const PlanOptions options = options_of(typed);
  const Format format = format_of(typed, stdout_is_terminal() ? Format::table : Format::csv, Pages::yes);
  PageOutput page = PageOutput::of(typed, format);
  page.options.command = command_of(plan_verb(), typed);
  QuantileQuery query = query_of(typed, planned_budget(typed));
  const bool with_chart = format == Format::table || format == Format::html;
  page.print_page(rendered(format, planned(typed, std::move(query), lattice, options, with_chart), page),
                  "nothing was released");
  return 0;
}

}  // namespace fractile::cli
