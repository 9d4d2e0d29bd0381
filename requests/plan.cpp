#include "requests/plan.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "requests/query.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

bool solves(const Typed& typed) { return typed.has("rank_error") || typed.has("percentile_error"); }

/// What is solved for is not given.
Budget planned_budget(const Typed& typed) {
  if (!solves(typed)) {
    const Field rank_error("rank_error");
    if (typed.has("solve_for")) {
      usage({Field("solve_for"), " goes with ", rank_error}, {"write for example ", rank_error.number(100)});
    }
    if (!typed.has("epsilon") && !typed.has("rho")) {
      usage("a budget is missing, or the error that you want",
            {"write ", Field("epsilon").number(1), ", or ", rank_error.number(100)});
    }
    return budget_of(typed);
  }
  for (const char* field : {"epsilon", "rho", "delta"}) {
    if (typed.has(field)) {
      usage({Field(field), " is what a wanted error is solved for"}, "leave it out, or leave out the wanted error");
    }
  }
  if (typed.has("rank_error") && typed.has("percentile_error")) {
    usage({Field("percentile_error"), " stands in place of ", Field("rank_error")}, "give one or the other");
  }
  return choice<Measure>(typed, "solve_for", {{"epsilon", Measure::pure}, {"rho", Measure::zcdp}}, Measure::pure) ==
                 Measure::zcdp
             ? Budget::zcdp(Rational(1))
             : Budget::pure(Rational(1));
}

std::uint64_t ranks_wanted(const Typed& typed, const QuantileQuery& query) {
  if (typed.has("rank_error")) return whole_number(typed, "rank_error", {0, 4'294'967'295});
  if (!query.expected_rows) {
    const Field rows("expected_rows");
    usage({Field("percentile_error"), " is a share of ", rows, ", which is missing"},
          {"write for example ", rows.number(50'000)});
  }
  const Rational percent = in_field("percentile_error", [&] { return Rational::parse(typed.one("percentile_error")); });
  if (percent <= Rational(0) || percent > Rational(100)) {
    const Field field("percentile_error");
    usage({field, ": not above 0 and at most 100"}, {"write for example ", field.number("0.5")});
  }
  return (percent * Rational(static_cast<std::int64_t>(*query.expected_rows)) / Rational(100)).floor().to_uint64();
}

PlanOptions options_of(const Typed& typed) {
  PlanOptions options;
  if (typed.has("confidence")) {
    options.confidence = in_field("confidence", [&] { return Rational::parse(typed.one("confidence")); });
  }
  std::map<std::string, Shape> shapes;
  for (const Shape shape : all_shapes) shapes.emplace(to_string(shape), shape);
  options.shape = choice<Shape>(typed, "shape", shapes, options.shape);
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

}  // namespace

PlanRequest PlanRequest::of(const Typed& typed) {
  const Lattice lattice = lattice_of(typed);
  const PlanOptions options = options_of(typed);
  PlanRequest request{lattice, options, query_of(typed, planned_budget(typed))};
  if (solves(typed)) request.wanted_ranks = ranks_wanted(typed, request.query);
  return request;
}

PlanReport planned(const PlanRequest& request, bool with_others) {
  const auto& [lattice, options, asked, wanted] = request;
  const QuantileQuery query = wanted ? query_for_rank_error(asked, lattice, *wanted, options.confidence) : asked;
  PlanReport report{plan_release(query, lattice, options), {}, wanted};
  if (with_others) report.others = around(report.plan, options);
  return report;
}

}  // namespace fractile::requests
