#include "quantiles/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fractile/error.hpp"

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

QuantilePlan recursion(Mechanism mechanism, RecursionShape shape, const std::vector<Rational>& released) {
  const auto levels = static_cast<std::int64_t>(shape.widths.size());
  return {mechanism, std::move(shape), Rational(levels), released, {}};
}

QuantilePlan flat(Mechanism mechanism, NodeKind kind, const std::vector<Rational>& released) {
  return recursion(mechanism, {kind, {released.size()}}, released);
}

/// The expected rows times a pure epsilon, by persons: what the records are worth; nothing when it is not known.
std::optional<double> records_at_epsilon_one(const QuantileQuery& query) {
  if (!query.expected_rows || query.budget.measure() != Measure::pure) return {};
  return static_cast<double>(*query.expected_rows) * query.budget.epsilon().to_double() / query.records_per_person;
}

/// Among few records a quantile of the second level cannot err by much more than its node's ends do: the first gets more.
QuantilePlan joint_tree(const QuantileQuery& query, const std::vector<Rational>& released) {
  constexpr double few = 12;  // for each quantile
  const std::size_t levels = released.size() <= 3 ? 1 : released.size() <= 400 ? 2 : 3;
  RecursionShape shape{NodeKind::joint_total, even_widths(released.size(), levels), true};
  const std::optional<double> records = records_at_epsilon_one(query);
  if (levels == 2 && records && *records < few * static_cast<double>(released.size()))
    shape.emphasis = {Rational(6, 5), Rational(4, 5)};
  return recursion(Mechanism::joint_tree, std::move(shape), released);
}

QuantilePlan approximate(const QuantileQuery& query, const std::vector<Rational>& released) {
  RecursionShape shape = RecursionShape::binary(released.size());
  QuantilePlan plan = recursion(Mechanism::approximate, std::move(shape), released);
  if (query.rates == Rates::as_published) plan.levels = published_levels(released.size());
  return plan;
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

QuantilePlan automatic(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  if (counting_is_better(query, lattice.size(), false, scale)) {
    return {Mechanism::tree, {}, 1, query.quantiles, "many quantiles among few candidates: counts on a tree"};
  }
  if (query.quantiles.size() == 1) {
    QuantilePlan plan = recursion(Mechanism::exponential, RecursionShape::binary(1), query.quantiles);
    plan.reason = "one quantile";
    return plan;
  }
  if (lattice.size() > largest_joint_lattice) {
    QuantilePlan plan = approximate(query, query.quantiles);
    plan.reason = "more than 2^46 possible values";
    return plan;
  }
  if (query.budget.measure() == Measure::zcdp) {
    QuantilePlan plan = approximate(query, query.quantiles);
    plan.reason = "under zCDP many levels cost little";
    return plan;
  }
  const std::vector<Rational> anchors = anchors_of(query, lattice);
  const bool at_once = anchors.size() <= most_at_once;
  QuantilePlan plan =
      at_once ? flat(Mechanism::joint_total, NodeKind::joint_total, anchors) : joint_tree(query, anchors);
  plan.reason =
      fmt::format("{} {} quantiles{}", at_once ? "at most" : "more than", most_at_once, at_once ? " at once" : "");
  if (anchors.size() < query.quantiles.size()) {
    plan.reason += fmt::format("; {} of {} selected and the others interpolated, for about {} records", anchors.size(),
                               query.quantiles.size(), *query.expected_rows);
  }
  return plan;
}

}  // namespace

namespace {

QuantilePlan plan_for(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
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
    case Mechanism::tree:
      break;
  }
  return {query.mechanism, {}, 1, query.quantiles, {}};
}

bool wants_adaptive_base(const QuantileQuery& query) {
  if (query.base != Base::by_mechanism) return query.base == Base::adaptive;
  return query.mechanism == Mechanism::automatic || query.mechanism == Mechanism::joint_total ||
         query.mechanism == Mechanism::joint_tree;
}

}  // namespace

std::optional<int> findings_before_counting(const QuantileQuery& query, const QuantilePlan& plan,
                                            std::uint64_t candidates, const RoundNumbers& found) {
  const std::uint64_t left = found.grid ? found.grid->size(candidates) : candidates;
  if (found.grid && counting_is_better(query, left, false, plan.scale)) return 1;
  if (found.heaps && counting_is_better(query, left, true, plan.scale)) return plan.findings(found);
  return {};
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

QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale) {
  query.validate(lattice);
  QuantilePlan plan = plan_for(query, lattice, scale);
  plan.scale = scale;
  if (query.mechanism == Mechanism::exponential) plan.mechanism = Mechanism::exponential;
  if (wants_adaptive_base(query) && lattice.size() <= largest_joint_lattice && plan.mechanism != Mechanism::tree) {
    plan.shape.edges = true;
    if (lattice.size() >= scale.fine_lattice) plan.grids = round_grids(lattice);
    plan.finds_heaps = lattice.size() >= scale.heaped_lattice && !heap_grids(lattice, {}).empty();
  }
  return plan;
}

}  // namespace fractile
