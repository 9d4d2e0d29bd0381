#include "requests/plan.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"
#include "requests/flow.hpp"
#include "requests/groups.hpp"
#include "requests/pipelines/epsilons.hpp"
#include "requests/pipelines/release_analyst.hpp"
#include "requests/query.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr const char* usual_epsilons = "0.001..10";

bool solves(const Typed& typed) { return typed.has("rank_error") || typed.has("percentile_error"); }

/// Reads the budget. If planned() solves for it, it must not be given, and the result is a placeholder.
Budget planned_budget(const Typed& typed) {
  if (typed.has("analyst")) {
    refuse_given(typed, {"rho", "delta", "rank_error", "percentile_error", "solve_for"},
                 {" does not go with ", Field("analyst")}, "leave one of them out");
    return Budget::pure(Rational(1));  // a placeholder for the epsilon to find
  }
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
  refuse_given(typed, {"epsilon", "rho", "delta"}, " is what a wanted error is solved for",
               "leave it out, or leave out the wanted error");
  if (typed.has("rank_error") && typed.has("percentile_error")) {
    usage({Field("percentile_error"), " takes the place of ", Field("rank_error")}, "give one or the other");
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
  const Field field("percentile_error");
  const std::string text = typed.one("percentile_error");
  if (text.find('%') != std::string::npos) {
    usage({field, ": '", text, "' is not a number"},
          {"the number is a percentage; for 0.5 %, write ", field.number("0.5")});
  }
  const Rational percent = in_field("percentile_error", [&] { return Rational::parse(text); });
  if (percent <= Rational(0) || percent > Rational(100)) {
    usage({field, ": not above 0 and at most 100"}, {"write for example ", field.number("0.5")});
  }
  return (percent * Rational(*query.expected_rows) / Rational(100)).floor().to_uint64();
}

PlanOptions options_of(const Typed& typed) {
  PlanOptions options;
  if (typed.has("confidence")) {
    options.confidence = in_field("confidence", [&] { return Rational::parse(typed.one("confidence")); });
  }
  options.shape = choice(typed, "shape", by_name(all_shapes), options.shape);
  return options;
}

/// Plans for budgets from 1/8 of this plan's to 8 times as large, simulated less often. The plan itself is among them, so that a report
/// does not state two errors at one budget.
std::vector<ReleasePlan> around(const ReleasePlan& plan, PlanOptions options) {
  constexpr std::uint64_t releases = 40;
  options.releases = releases;
  options.with_noise = false;
  std::vector<ReleasePlan> plans;
  for (int power = -3; power <= 3; ++power) {
    if (power == 0) {
      plans.push_back(plan);
      continue;
    }
    QuantileQuery query = plan.query;
    query.budget = query.budget.scaled(Rational(2).pow(power));
    plans.push_back(plan_release(query, plan.lattice, options));
  }
  return plans;
}

std::optional<PersonGuess> guess_of(const Typed& typed, const Lattice& lattice) {
  if (!typed.has("guess") && !typed.has("analyst")) {
    refuse_given(typed, {"reference", "reference_column"}, {" goes with ", Field("guess"), " and ", Field("analyst")},
                 {"write for example ", Field("guess").text("value")});
  }
  if (typed.has("reference_column") && !typed.has("reference")) {
    usage({Field("reference_column"), " goes with ", Field("reference")}, "name the file");
  }
  if (!typed.has("guess")) return {};
  const std::string text = typed.one("guess", "");
  const bool is_set = text.starts_with("among:");
  if (is_set || (text != "value" && text != "presence" && !text.starts_with("above:"))) {
    usage({Field("guess"), is_set ? ": sets of values are guessed in pipelines" : ": '" + text + "' is not known"},
          {"write ", Field("guess").text("value"), ", ", Field("guess").text("presence"), " or ",
           Field("guess").text("above:30000")});
  }
  const GuessTyped guess = guess_typed(typed);
  if (guess.above) return PersonGuess{PersonGuess::About::above, value_among("guess", *guess.above, "above:", lattice)};
  return PersonGuess{guess.about == flow::Guess::About::presence ? PersonGuess::About::presence
                                                                 : PersonGuess::About::value};
}

/// The public table that stands for the secret one, and its name.
struct Reference {
  RankProfile profile;
  std::string name;
};

constexpr std::uint64_t most_shaped = 100'000;  // records of a shape; each may stand for several rows

Reference reference_of(const PlanRequest& request, std::uint64_t rows) {
  if (request.reference.empty()) {
    return {reference_table(request.lattice, request.options.shape, std::min(rows, most_shaped)),
            "a " + to_string(request.options.shape) + " table between the bounds"};
  }
  const Table table = Table::open({.file = request.reference, .library = request.library});
  table.require_countable(request.reference_column, request.lattice);
  return {table.profile(request.reference_column, request.lattice, NullPolicy::drop), request.reference};
}

std::uint64_t rows_of(const PlanRequest& request) { return request.query.expected_rows.value_or(request.options.rows); }

/// Throws `usage` when the records of the shape are too coarse. If each record stands for several rows, these rows are tied, and errors
/// among them cost the analyst nothing. In a table whose rows all have different values, the same errors would cost.
void require_fine_reference(const PlanRequest& request) {
  const bool is_whole = !request.reference.empty() || request.lattice.size() <= most_shaped;
  const ReleaseAnalyst& analyst = *request.analyst;
  const bool is_mean = analyst.loss == ReleaseAnalyst::Loss::missed_records;
  const Rational borne = is_mean ? analyst.accepted_loss : Rational(analyst.tolerance);
  const Rational tied(static_cast<std::int64_t>(rows_of(request) / most_shaped));
  if (is_whole || tied * Rational(10) <= borne) return;
  const Field reference("reference");
  usage({Field("analyst"),
         ": among that many rows, the records of a simulated shape are too coarse for the losses that the analyst "
         "accepts"},
        {"name a public table, ", reference.text("public.csv"), ", or let the analyst accept larger losses"});
}

PlannedAnalyst served(const PlanRequest& request, const Reference& reference) {
  const std::uint64_t rows = rows_of(request);
  return {*request.analyst,
          served_epsilons(request.query, request.lattice, reference.profile, rows, *request.analyst,
                          request.least_epsilon, request.largest_epsilon),
          request.analyst_file,
          reference.name,
          rows,
          request.query.quantiles.size()};
}

PlannedGuess guessed(const PlanRequest& request, const QuantileQuery& query, const Reference& reference) {
  const std::uint64_t rows = rows_of(request);
  const std::string limit = request.guess->about == PersonGuess::About::above
                                ? value_text(request.lattice.kind(), request.guess->limit)
                                : std::string();
  return {*request.guess, limit, reference.name, rows,
          person_leakage(query, request.lattice, reference.profile, rows, *request.guess)};
}

/// The query with a larger budget: the budget of `query` remains when counts and means are paid for.
QuantileQuery with_statistics(QuantileQuery query, const std::optional<StatisticsRequest>& statistics) {
  if (!statistics) return query;
  if (statistics->share < Rational(1))
    query.budget = query.budget.scaled(Rational(1) / (Rational(1) - statistics->share));
  return query;
}

/// Reads the weights. The expected number of weighted records must be given, because noise is measured relative to their total.
std::optional<WeightsDescription> planned_weights(const Typed& typed, const QuantileQuery& query) {
  std::optional<RecordWeights> weights = weights_of(typed, WeightColumn::unread);
  if (!weights) return {};
  for (const char* field : {"expected_rows", "expected_weight"}) {
    if (typed.has(field)) continue;
    usage({Field(field), " is missing: how large the noise is compared with a total of weights depends on it"},
          {"write about how many records there are, and how large their weights are on average, as is publicly known: ",
           Field("expected_rows").number(50'000), " ", Field("expected_weight").number(100)});
  }
  refuse_given(typed, {"guess", "analyst"}, " is about records, and does not go with weights", "leave one of them out");
  return WeightsDescription{std::move(*weights), query.records_per_person};
}

}  // namespace

PlanRequest PlanRequest::of(const Typed& typed) {
  const Lattice lattice = lattice_of(typed);
  const PlanOptions options = options_of(typed);
  PlanRequest request{lattice, options, query_of(typed, planned_budget(typed))};
  request.weights = planned_weights(typed, request.query);
  require_short_numbers(request.query, lattice);
  if (request.weights) request.query = over_weights(request.query, request.weights->declared);
  request.options.statistics = statistics_of(typed, lattice);
  if (request.options.statistics) {
    refuse_given(typed, {"guess", "analyst"}, " covers only quantiles, not counts and means beside them",
                 "leave one of them out");
  }
  if (solves(typed)) request.wanted_ranks = ranks_wanted(typed, request.query);
  request.guess = guess_of(typed, lattice);
  if (typed.has("analyst")) {
    const EpsilonRange range = range_in("epsilon", typed.one("epsilon", usual_epsilons));
    if (range.low.is_log() || range.high.is_log() || range.low.is_zero()) {
      usage({Field("epsilon"), ": a release's epsilons are numbers above 0 here"},
            {"write for example ", Field("epsilon").text("0.01..5")});
    }
    request.least_epsilon = range.low.coefficient();
    request.largest_epsilon = range.high.coefficient();
    request.analyst_file = typed.one("analyst");
    request.analyst = read_release_analyst(request.analyst_file);
  }
  request.reference = typed.one("reference");
  request.reference_column = typed.one("reference_column", "value");
  request.library = typed.one("duckdb");
  return request;
}

PlanReport planned(const PlanRequest& request, bool with_others) {
  const Lattice& lattice = request.lattice;
  const PlanOptions& options = request.options;
  const std::optional<std::uint64_t>& wanted = request.wanted_ranks;
  QuantileQuery query = wanted
                            ? with_statistics(query_for_rank_error(request.query, lattice, *wanted, options.confidence),
                                              options.statistics)
                            : request.query;
  std::optional<Reference> reference;
  if (request.analyst) require_fine_reference(request);
  if (request.guess || request.analyst) reference = reference_of(request, rows_of(request));
  std::optional<PlannedAnalyst> analyst;
  if (request.analyst) {
    analyst = served(request, *reference);
    const Rational unit = Rational(10).pow(9);  // epsilon is printed with this many decimals
    const Rational serves = analyst->served.served_from.value_or(request.largest_epsilon);
    query.budget = Budget::pure(std::min((serves * unit).ceil() / unit, request.largest_epsilon));
  }
  PlanReport report{plan_release(query, lattice, options), {}, wanted};
  report.analyst = std::move(analyst);
  report.weights = request.weights;
  if (request.guess) report.guess = guessed(request, query, *reference);
  if (with_others) report.others = around(report.plan, options);
  return report;
}

}  // namespace fractile::requests
