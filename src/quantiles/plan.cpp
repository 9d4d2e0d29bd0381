#include "quantiles/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fractile/error.hpp"
#include "quantiles/intervals.hpp"

namespace fractile {
namespace {

/// Two levels of about sqrt(m) quantiles a node, three of about the cubic root for very many.
std::vector<std::size_t> even_widths(std::size_t quantiles, std::size_t levels) {
  std::vector<std::size_t> widths;
  std::size_t left = quantiles;
  for (std::size_t level = 0; level < levels; ++level) {
    const double root = std::pow(static_cast<double>(left + 1), 1.0 / static_cast<double>(levels - level));
    widths.push_back(static_cast<std::size_t>(std::ceil(root - 1e-9)) - 1);
    left /= widths.back() + 1;
  }
  return widths;
}

/// What decides the quantiles, and why.
struct Choice {
  Mechanism mechanism;
  Decision decision;
  std::string reason = {};
};

Choice recursion(Mechanism mechanism, RecursionShape shape, const std::vector<Rational>& released) {
  const auto levels = static_cast<std::int64_t>(shape.widths.size());
  return {mechanism, SelectQuantiles{std::move(shape), Rational(levels), released, 0}};
}

Choice flat(Mechanism mechanism, NodeKind kind, const std::vector<Rational>& released) {
  return recursion(mechanism, {kind, {released.size()}}, released);
}

/// The expected rows times a pure epsilon, by persons: what the records are worth; nothing when it is not known.
std::optional<double> records_at_epsilon_one(const QuantileQuery& query) {
  if (!query.expected_rows || query.budget.measure() != Measure::pure) return {};
  return static_cast<double>(*query.expected_rows) * query.budget.epsilon().to_double() / query.records_per_person;
}

/// Among few records a quantile of the second level cannot err by much more than its node's ends do: the first gets more.
Choice joint_tree(const QuantileQuery& query, const std::vector<Rational>& released) {
  constexpr double few = 12;  // for each quantile
  const std::size_t levels = released.size() <= 3 ? 1 : released.size() <= 400 ? 2 : 3;
  RecursionShape shape{NodeKind::joint_total, even_widths(released.size(), levels), true};
  const std::optional<double> records = records_at_epsilon_one(query);
  if (levels == 2 && records && *records < few * static_cast<double>(released.size()))
    shape.emphasis = {Rational(6, 5), Rational(4, 5)};
  return recursion(Mechanism::joint_tree, std::move(shape), released);
}

Choice approximate(const QuantileQuery& query, const std::vector<Rational>& released) {
  const bool one = query.mechanism == Mechanism::exponential;
  Choice choice =
      recursion(one ? query.mechanism : Mechanism::approximate, RecursionShape::binary(released.size()), released);
  if (query.rates == Rates::as_published) {
    std::get<SelectQuantiles>(choice.decision).levels = published_levels(released.size());
  }
  return choice;
}

/// Up to here one level beats two in error, and takes milliseconds.
constexpr std::size_t most_at_once = 24;

/// As many of the quantiles as n records carry at this epsilon, evenly chosen; all, when that is nearly all.
std::vector<Rational> anchors_of(const QuantileQuery& query, const Lattice& lattice) {
  const std::vector<Rational>& all = query.quantiles;
  const std::optional<double> records = records_at_epsilon_one(query);
  if (!query.interpolate || !records || !lattice.is_regular()) return all;
  const auto count = static_cast<std::size_t>(std::clamp(*records / 55, 5.0, 1e9)) - 1;  // between so many cells
  if (count + count / 4 >= all.size()) return all;
  std::vector<Rational> anchors;
  for (std::size_t i = 1; i <= count; ++i) anchors.push_back(all[i * (all.size() + 1) / (count + 1) - 1]);
  return anchors;
}

/// A tie of e records moves e / subcells of them at once; a joint selection wants these steps small. Beyond this size cells
/// have fewer than 2^16 parts.
constexpr std::uint64_t largest_joint_lattice = std::uint64_t{1} << 46;

bool counting_is_better(const QuantileQuery& query, std::uint64_t candidates, bool heaped, const PlanScale& scale) {
  constexpr std::uint64_t few_candidates = 400;
  const std::size_t many = heaped ? scale.many_of_heaps : scale.many_quantiles;
  return query.mechanism == Mechanism::automatic && query.budget.measure() == Measure::pure &&
         query.quantiles.size() >= many && candidates <= few_candidates;
}

Choice automatic(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  if (counting_is_better(query, lattice.size(), false, scale)) {
    return {Mechanism::tree, CountOnTree{}, "many quantiles among few candidates: counts on a tree"};
  }
  if (query.quantiles.size() == 1) {
    Choice choice = recursion(Mechanism::exponential, RecursionShape::binary(1), query.quantiles);
    choice.reason = "one quantile";
    return choice;
  }
  if (lattice.size() > largest_joint_lattice) {
    Choice choice = approximate(query, query.quantiles);
    choice.reason = "more than 2^46 possible values";
    return choice;
  }
  if (query.budget.measure() == Measure::zcdp) {
    Choice choice = approximate(query, query.quantiles);
    choice.reason = "under zCDP many levels cost little";
    return choice;
  }
  const std::vector<Rational> anchors = anchors_of(query, lattice);
  const bool at_once = anchors.size() <= most_at_once;
  Choice choice = at_once ? flat(Mechanism::joint_total, NodeKind::joint_total, anchors) : joint_tree(query, anchors);
  choice.reason =
      fmt::format("{} {} quantiles{}", at_once ? "at most" : "more than", most_at_once, at_once ? " at once" : "");
  if (anchors.size() < query.quantiles.size()) {
    choice.reason += fmt::format("; {} of {} selected and the others interpolated, for about {} records",
                                 anchors.size(), query.quantiles.size(), *query.expected_rows);
  }
  return choice;
}

Choice choice_for(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  switch (query.mechanism) {
    case Mechanism::automatic:
      return automatic(query, lattice, scale);
    case Mechanism::joint:
      return flat(query.mechanism, NodeKind::joint, query.quantiles);
    case Mechanism::joint_total:
      return flat(query.mechanism, NodeKind::joint_total, query.quantiles);
    case Mechanism::joint_tree:
      return joint_tree(query, query.quantiles);
    case Mechanism::exponential:
    case Mechanism::approximate:
      return approximate(query, query.quantiles);
    case Mechanism::independent:
      return {query.mechanism, SelectEach{}};
    case Mechanism::tree:
      break;
  }
  return {Mechanism::tree, CountOnTree{}};
}

bool wants_adaptive_base(const QuantileQuery& query) {
  if (query.base != Base::by_mechanism) return query.base == Base::adaptive;
  return query.mechanism == Mechanism::automatic || query.mechanism == Mechanism::joint_total ||
         query.mechanism == Mechanism::joint_tree;
}

/// The recursion with the numbers that were found, and what follows it.
void add_selection(std::vector<Stage>& stages, SelectQuantiles selection, std::size_t quantiles,
                   const RoundNumbers& found) {
  const bool interpolates = selection.released.size() < quantiles;
  selection.shape.numbers = found;
  if (interpolates) selection.wants = Wanted::splits;
  stages.emplace_back(selection);
  if (!interpolates) return;
  stages.emplace_back(Interpolate{selection.released, selection.subcells});
  if (found.grid) stages.emplace_back(RoundToGrid{*found.grid});
}

}  // namespace

std::vector<Stage> QuantilePlan::stages(const RoundNumbers& found) const {
  std::vector<Stage> stages;
  const std::uint64_t candidates = found.grid ? found.grid->size(lattice.size()) : lattice.size();
  if (!grids.empty()) stages.emplace_back(FindGranularity{grids});
  bool counts = found.grid && counting_is_better(query, candidates, false, scale);
  if (!counts && finds_heaps && (grids.empty() || found.grid)) {
    stages.emplace_back(FindHeaps{heap_grids(lattice, found.grid)});
    counts = found.heaps && counting_is_better(query, candidates, true, scale);
  }
  if (counts) {
    stages.emplace_back(CountOnTree{found.grid});
  } else if (is_recursion()) {
    add_selection(stages, recursion(), query.quantiles.size(), found);
  } else if (counts_anyway()) {
    stages.emplace_back(CountOnTree{});
  } else {
    stages.emplace_back(SelectEach{});
  }
  if (!roles.empty()) stages.emplace_back(CountCells{roles});
  return stages;
}

std::vector<RoundNumbers> QuantilePlan::outcomes() const {
  std::vector<RoundNumbers> outcomes{{}};
  for (const RoundGrid& grid : grids) outcomes.push_back({grid, {}});
  const std::size_t granularities = outcomes.size();
  for (std::size_t i = 0; i < granularities; ++i) {
    const RoundNumbers found = outcomes[i];
    const std::vector<Stage> after = stages(found);
    const auto* next = stage_in<FindHeaps>(after);
    if (!next) continue;
    for (const HeapGrid& heap : next->heaps) outcomes.push_back({found.grid, heap.grid});
  }
  return outcomes;
}

MechanismUsed QuantilePlan::used(const RoundNumbers& found) const {
  const std::vector<Stage> run = stages(found);
  const auto spacing = [&](const std::optional<RoundGrid>& grid) {
    return lattice.step() * Rational(grid ? static_cast<std::int64_t>(grid->stride) : 1);
  };
  MechanismUsed used{mechanism, {}, query.quantiles.size(), reason};
  if (const auto* selection = stage_in<SelectQuantiles>(run)) {
    used.widths = selection->shape.widths;
    used.selected = selection->released.size();
  } else if (stage_in<CountOnTree>(run) && !counts_anyway()) {
    used.mechanism = Mechanism::tree;
    used.reason = found.heaps ? "many quantiles of records that heap on few candidates: counts on a tree"
                              : "many quantiles among few round numbers: counts on a tree";
  }
  if (stage_in<FindGranularity>(run)) used.granularity = spacing(found.grid);
  if (found.heaps) used.heaping = spacing(found.heaps);
  return used;
}

std::uint64_t largest_lattice(const QuantileQuery& query) {
  const bool is_joint = query.mechanism == Mechanism::joint || query.mechanism == Mechanism::joint_total ||
                        query.mechanism == Mechanism::joint_tree || query.base == Base::adaptive;
  return is_joint ? largest_joint_lattice : Lattice::max_size;
}

void QuantileQuery::validate(const Lattice& lattice) const {
  validate();
  if (lattice.size() > largest_lattice(*this)) {
    throw Error(ErrorCode::usage, "joint selections and adaptive bases take at most 2^46 possible values",
                "take a coarser step, or --mechanism approximate");
  }
}

Rational finding_share(Measure measure) { return {1, measure == Measure::zcdp ? 160 : 40}; }

Calibration finding_calibration(const QuantileQuery& query) {
  return {query, Rational(1) / finding_share(query.budget.measure())};
}

QuantileQuery query_after(QuantileQuery query, int findings) {
  query.budget = query.budget.scaled(Rational(1) - finding_share(query.budget.measure()) * Rational(findings));
  return query;
}

namespace {

/// Of a query without intervals.
QuantilePlan plan_of_selection(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  Choice choice = choice_for(query, lattice, scale);
  QuantilePlan plan{query, lattice, scale, choice.mechanism, std::move(choice.decision), std::move(choice.reason)};
  const bool adapts = wants_adaptive_base(query) && lattice.size() <= largest_joint_lattice;
  if (auto* selection = std::get_if<SelectQuantiles>(&plan.decision)) {
    selection->subcells = scale.subcells.value_or(subcells_for(lattice.size()));
    if (adapts) {
      selection->shape.edges = true;
      selection->shape.origin = origin_of(lattice);
    }
  }
  if (adapts && plan.mechanism != Mechanism::tree) {
    if (lattice.size() >= scale.fine_lattice) plan.grids = round_grids(lattice);
    plan.finds_heaps = lattice.size() >= scale.heaped_lattice && !heap_grids(lattice, {}).empty();
  }
  return plan;
}

/// The points by one joint selection, so that brackets cost them nothing in accuracy, and then the brackets between two points by one,
/// among the records there.
void select_points_first(QuantilePlan& plan) {
  auto& selection = std::get<SelectQuantiles>(plan.decision);
  RecursionShape& shape = selection.shape;
  shape.kind = NodeKind::joint_total;
  std::size_t most = 0;  // brackets between two points
  std::size_t here = 0;
  for (std::size_t i = 0; i < plan.roles.size(); ++i) {
    here = plan.roles[i] == Role::point ? 0 : here + 1;
    most = std::max(most, here);
    if (plan.roles[i] == Role::point) shape.first.push_back(i);
  }
  shape.widths = {shape.first.size()};
  shape.emphasis = {};
  if (most > 0) {
    shape.widths.push_back(most);
    const IntervalShares shares = shares_of(*plan.query.intervals);
    const Rational each = (shares.points + shares.brackets) / Rational(2);
    if (plan.query.budget.measure() == Measure::pure) shape.emphasis = {shares.points / each, shares.brackets / each};
  }
  selection.levels = Rational(static_cast<std::int64_t>(shape.widths.size()));
  plan.mechanism = Mechanism::joint_tree;
  if (!plan.reason.empty()) plan.reason = "the quantiles at once, then the brackets of their intervals";
}

}  // namespace

QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  if (!query.intervals) {
    query.validate(lattice);
    return plan_of_selection(query, lattice, scale);
  }
  QuantileQuery asked = query;
  asked.records_per_person = 1;  // of a group, steps are meant, and whose they are was decided where it was asked
  asked.validate(lattice);
  BracketedQuantiles bracketed = with_brackets(query);
  QuantileQuery selected = query;
  selected.quantiles = std::move(bracketed.quantiles);
  selected.budget = query.budget.scaled(Rational(1) - shares_of(*query.intervals).cells);
  selected.interpolate = false;  // a bracket is worth as much as a point
  QuantilePlan plan = plan_of_selection(selected, lattice, scale);
  plan.roles = std::move(bracketed.roles);
  const bool is_joint = plan.mechanism == Mechanism::joint_total || plan.mechanism == Mechanism::joint_tree;
  const bool is_automatic = query.mechanism == Mechanism::automatic && plan.is_recursion();
  if (is_joint || (is_automatic && lattice.size() <= largest_joint_lattice)) select_points_first(plan);
  return plan;
}

}  // namespace fractile
