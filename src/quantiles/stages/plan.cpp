#include "quantiles/stages/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/stages/brackets.hpp"

namespace fractile {

const AutoPolicy& AutoPolicy::standard() {
  static const AutoPolicy policy;
  return policy;
}

namespace {

/// The widths of two levels of about sqrt(m) quantiles per node, or, for very many quantiles, three levels of about the cube root
/// of m.
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

Choice recursion(Mechanism mechanism, RecursionShape shape, const std::vector<Rational>& released) {
  const auto levels = static_cast<std::int64_t>(shape.widths.size());
  return {mechanism, SelectQuantiles{std::move(shape), Rational(levels), released, 0}};
}

Choice flat(Mechanism mechanism, NodeKind kind, const std::vector<Rational>& released) {
  return recursion(mechanism, {kind, {released.size()}}, released);
}

/// The approximate number of records for which a choice is made, if known.
using Rows = std::optional<std::uint64_t>;

/// The number of rows times the pure epsilon per record: the number of records that would be as informative at epsilon 1. Nothing
/// when it is not known.
std::optional<double> records_at_epsilon_one(const QuantileQuery& query, const Rows& rows) {
  if (!rows || query.budget.measure() != Measure::pure) return {};
  return static_cast<double>(*rows) * query.budget.epsilon().to_double() / query.records_per_person;
}

/// How many times preliminary_share() of the budget counting the rows costs: twice among few rows, and when no number was given.
int row_count_shares(const QuantileQuery& query, const AutoPolicy& policy) {
  return records_at_epsilon_one(query, query.expected_rows).value_or(0) < policy.few_to_count ? 2 : 1;
}

/// The same under zCDP, where rho = 1/2 is about as informative as epsilon = 1.
std::optional<double> records_at_rho_one_half(const QuantileQuery& query, const Rows& rows) {
  if (!rows) return {};
  return static_cast<double>(*rows) * std::sqrt(2 * query.budget.rho().to_double()) / query.records_per_person;
}

Choice joint_tree(const QuantileQuery& query, const std::vector<Rational>& released, const AutoPolicy& policy,
                  const Rows& rows) {
  const std::size_t levels = released.size() <= policy.one_level ? 1 : released.size() <= policy.two_levels ? 2 : 3;
  RecursionShape shape{NodeKind::joint_total, even_widths(released.size(), levels), true};
  const std::optional<double> records = records_at_epsilon_one(query, rows);
  if (levels == 2 && records && *records < policy.few_for_a_quantile * static_cast<double>(released.size()))
    shape.emphasis = {Rational(policy.first_level.value, 100), Rational(200 - policy.first_level, 100)};
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

/// The indices of the first and the last quantile that have enough records beyond them. Some quantiles around the middle always
/// count.
std::pair<std::size_t, std::size_t> carried(const std::vector<Rational>& all, double records,
                                            const AutoPolicy& policy) {
  const double beyond = std::clamp<double>(records / policy.part_beyond, policy.least_beyond, policy.most_beyond) -
                        1e-6;  // quantile 9/10 of 200 records leaves 20
  const std::size_t middle = all.size() / 2;
  std::size_t first = 0;
  std::size_t last = all.size() - 1;
  while (first + 1 < middle && all[first].to_double() * records < beyond) ++first;
  while (last > middle + 1 && (1 - all[last].to_double()) * records < beyond) --last;
  return {first, last};
}

/// How many records (times epsilon) per quantile it takes until quantiles that are selected at once find a tie of all records. Outside
/// the tie, a place costs at most n epsilon / 2, that of a total of 0, but each quantile can be at any candidate. In the tie, quantiles
/// have to be evenly spaced. So they find it if n epsilon / 2 exceeds the logarithms of both for every quantile.
double enough_for_a_tie(const Lattice& lattice, const AutoPolicy& policy) {
  return 2 * (std::log(static_cast<double>(lattice.size())) + policy.even_in_a_tie);
}

/// The quantiles to select: as many as this number of records can support at this epsilon, evenly spaced between the first and the
/// last supported one. All quantiles if that is nearly all, or if there are enough records to select each of them at once.
std::vector<Rational> anchors_of(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy,
                                 const Rows& rows, const Rows& least) {
  const std::vector<Rational>& all = query.quantiles;
  const std::optional<double> records = records_at_epsilon_one(query, rows);
  if (!query.interpolate || !records || !lattice.is_regular() || all.size() <= policy.always_selected) return all;
  const Rows& surely = query.expected_rows ? rows : least;
  const double for_a_tie = enough_for_a_tie(lattice, policy) * *records / *records_at_epsilon_one(query, surely);
  const double between = *records >= policy.fewest_in_a_tie * for_a_tie ? for_a_tie : 0;
  const double at_once = std::max<double>(policy.enough_between, between);
  if (all.size() <= policy.most_at_once && *records >= at_once * static_cast<double>(all.size() + 1)) return all;
  const auto ends = carried(all, *records, policy);
  const std::size_t first = ends.first;
  const std::size_t last = ends.second;
  const double cells =
      std::min((all[last] - all[first]).to_double() * *records / std::max<double>(policy.between_anchors, between),
               std::max<double>(*records / policy.between_more, policy.most_anchors) - 1);
  const std::size_t carried_count = last - first + 1;
  const std::size_t count =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::clamp(cells, 1.0, 1e9)) + 1, 2, carried_count);
  if (count + count / 8 >= all.size()) return all;
  return tabulated(count, [&](std::size_t i) { return all[first + i * (carried_count - 1) / (count - 1)]; });
}

/// The points that a query with intervals selects, for this share of its budget. The others are interpolated; none under zCDP, where
/// that made errors larger. The first and the last are selected in any case, since the cuts beyond them follow from where they lie.
std::vector<Rational> selected_points(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy,
                                      std::uint64_t rows, const Rational& share) {
  if (query.mechanism != Mechanism::automatic) return query.quantiles;
  std::vector<Rational> points = anchors_of(with_part(query, share), lattice, policy, rows, rows);
  if (points.front() > query.quantiles.front()) points.insert(points.begin(), query.quantiles.front());
  if (points.back() < query.quantiles.back()) points.push_back(query.quantiles.back());
  return points;
}

/// The splits of a tie of e records are steps of e / subcells records, which should be small for a joint selection. On larger
/// lattices, cells have fewer than 2^16 parts.
constexpr std::uint64_t largest_joint_lattice = std::uint64_t{1} << 46;

bool can_count(const QuantileQuery& query) {
  return query.mechanism == Mechanism::automatic && query.budget.measure() == Measure::pure;
}

bool counting_is_better(const QuantileQuery& query, std::uint64_t candidates, bool heaped, const AutoPolicy& policy) {
  const std::size_t many = heaped ? policy.many_of_heaps : policy.many_quantiles;
  return can_count(query) && query.quantiles.size() >= many && candidates <= policy.few_candidates;
}

/// Whether the errors of selections would be several times those of counts if records heap on a few candidates. This excludes grids
/// that were found, since there counts would round finer records.
bool is_short_grid(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy) {
  if (!can_count(query) || !lattice.is_regular() || query.intervals) return false;
  const std::size_t quantiles = query.quantiles.size();
  return (quantiles >= policy.many_on_shortest_grid && lattice.size() <= policy.shortest_grid) ||
         (quantiles >= policy.many_on_short_grid && lattice.size() <= policy.short_grid);
}

Choice automatic(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy, const Rows& rows,
                 const Rows& least) {
  if (counting_is_better(query, lattice.size(), false, policy)) {
    return {Mechanism::tree, CountOnTree{}, "many quantiles among few candidates: counts on a tree"};
  }
  if (is_short_grid(query, lattice, policy)) {
    return {Mechanism::tree, CountOnTree{}, "few possible values: counts on a tree"};
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
  const std::vector<Rational> anchors = anchors_of(query, lattice, policy, rows, least);
  const bool at_once = anchors.size() <= policy.most_at_once;
  Choice choice =
      at_once ? flat(Mechanism::joint_total, NodeKind::joint_total, anchors) : joint_tree(query, anchors, policy, rows);
  choice.reason = fmt::format("{} {} quantiles{}", at_once ? "at most" : "more than", policy.most_at_once.value,
                              at_once ? " at once" : "");
  if (anchors.size() < query.quantiles.size()) {
    choice.reason += fmt::format("; {} of {} selected and the others interpolated, for about {} records",
                                 anchors.size(), query.quantiles.size(), *rows);
  }
  return choice;
}

Choice decision_for(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy, const Rows& rows,
                    const Rows& least) {
  switch (query.mechanism) {
    case Mechanism::automatic:
      return automatic(query, lattice, policy, rows, least);
    case Mechanism::joint:
      return flat(query.mechanism, NodeKind::joint, query.quantiles);
    case Mechanism::joint_total:
      return flat(query.mechanism, NodeKind::joint_total, query.quantiles);
    case Mechanism::joint_tree:
      return joint_tree(query, query.quantiles, policy, rows);
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

/// Adds the recursion, with the round numbers that were found, and the stages that follow it.
void add_selection(std::vector<Stage>& stages, SelectQuantiles selection, const QuantilePlan& plan,
                   const RoundNumbers& found) {
  const bool interpolates = selection.released.size() < plan.query.quantiles.size();
  selection.shape.numbers = found;
  if (interpolates) selection.wants = Wanted::splits;
  stages.emplace_back(selection);
  if (!interpolates) return;
  stages.emplace_back(Interpolate{selection.released, selection.subcells, zero_of(plan.lattice)});
  if (found.grid) stages.emplace_back(RoundToGrid{*found.grid});
}

/// The borders between choices, or between numbers of rows.
template <class Each>
std::vector<std::int64_t> borders(const std::vector<Each>& choices) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 1; i < choices.size(); ++i) result.push_back(choices[i].from);
  return result;
}

}  // namespace

std::vector<Stage> QuantilePlan::stages(const PreliminaryOutcome& found) const {
  std::vector<Stage> stages;
  if (!counted.empty()) {
    if (found.rows && !brackets) return with_rows(*found.rows).stages(found);
    stages.emplace_back(CountRows{borders(counted), shares_of_rows(query)});
    if (!found.rows) return stages;
  }
  if (!by_rows.empty()) stages.emplace_back(CountRows{borders(by_rows), row_count_shares(query, *policy)});
  const Choice& chosen = choice_for(found);
  const std::uint64_t candidates = found.grid ? found.grid->size(lattice.size()) : lattice.size();
  if (!chosen.grids.empty()) stages.emplace_back(FindGranularity{chosen.grids});
  bool counts = found.grid && counting_is_better(query, candidates, false, *policy);
  if (!counts && chosen.finds_heaps && (chosen.grids.empty() || found.grid)) {
    stages.emplace_back(FindHeaps{heap_grids(lattice, found.grid)});
    counts = found.heaps && counting_is_better(query, candidates, true, *policy);
  }
  if (counts) {
    stages.emplace_back(CountOnTree{found.grid});
  } else if (const auto* selection = std::get_if<SelectQuantiles>(&chosen.decision)) {
    add_selection(stages, *selection, *this, found);
  } else if (std::holds_alternative<CountOnTree>(chosen.decision)) {
    stages.emplace_back(CountOnTree{});
  } else {
    stages.emplace_back(SelectEach{});
  }
  if (brackets) stages.emplace_back(CountCells{*brackets});
  return stages;
}

std::vector<PreliminaryOutcome> QuantilePlan::outcomes() const {
  std::vector<PreliminaryOutcome> outcomes;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    std::vector<PreliminaryOutcome> after = with_rows(i).outcomes_after({{{}, i}});
    outcomes.insert(outcomes.end(), after.begin(), after.end());
  }
  if (!counted.empty()) return outcomes;
  for (std::size_t i = 0; i < by_rows.size(); ++i) outcomes.push_back({{}, i});
  if (by_rows.empty()) outcomes.emplace_back();
  return outcomes_after(std::move(outcomes));
}

std::vector<PreliminaryOutcome> QuantilePlan::outcomes_after(std::vector<PreliminaryOutcome> outcomes) const {
  const auto add_next = [&](const auto& next_of) {
    const std::size_t so_far = outcomes.size();
    for (std::size_t i = 0; i < so_far; ++i) {
      for (const PreliminaryOutcome& next : next_of(outcomes[i])) outcomes.push_back(next);
    }
  };
  add_next([&](const PreliminaryOutcome& found) {
    std::vector<PreliminaryOutcome> next;
    for (const RoundGrid& grid : choice_for(found).grids) next.push_back({{grid, {}}, found.rows});
    return next;
  });
  add_next([&](const PreliminaryOutcome& found) {
    std::vector<PreliminaryOutcome> next;
    const std::vector<Stage> after = stages(found);
    const auto* finds = stage_in<FindHeaps>(after);
    if (!finds) return next;
    for (const HeapGrid& heap : finds->heaps) next.push_back({{found.grid, heap.grid}, found.rows});
    return next;
  });
  return outcomes;
}

namespace {

/// The number of wanted quantiles that are selected; the others are interpolated.
std::size_t points_selected(const Brackets& brackets) {
  return static_cast<std::size_t>(
      std::ranges::count_if(brackets.selected, [&](const Rational& q) { return brackets.is_wanted(q); }));
}

}  // namespace

MechanismUsed QuantilePlan::used(const PreliminaryOutcome& found, const std::vector<Stage>& run) const {
  const Choice& chosen = choice_for(found);
  const auto spacing = [&](const std::optional<RoundGrid>& grid) {
    return lattice.step() * Rational(grid ? static_cast<std::int64_t>(grid->stride) : 1);
  };
  MechanismUsed used{chosen.mechanism, {}, query.quantiles.size(), chosen.reason};
  if (const auto* selection = stage_in<SelectQuantiles>(run)) {
    if (selection->shape.origin && !used.reason.empty())
      used.reason += "; values of any order of magnitude are expected";
    used.widths = selection->shape.widths;
    used.selected = brackets ? points_selected(*brackets) : selection->released.size();
  } else if (stage_in<CountOnTree>(run) && !counts_anyway()) {
    used.mechanism = Mechanism::tree;
    used.reason = found.heaps ? "many quantiles of records that heap on few candidates: counts on a tree"
                              : "many quantiles among few round numbers: counts on a tree";
  }
  if (found.rows) used.rows = counted.empty() ? by_rows[*found.rows].rows : counted[*found.rows].rows;
  if (stage_in<FindGranularity>(run)) used.granularity = spacing(found.grid);
  if (found.heaps) used.heaping = spacing(found.heaps);
  return used;
}

std::uint64_t largest_lattice(const QuantileQuery& query) {
  const bool is_joint = query.mechanism == Mechanism::joint || query.mechanism == Mechanism::joint_total ||
                        query.mechanism == Mechanism::joint_tree || query.base == Base::adaptive;
  return is_joint ? largest_joint_lattice : Lattice::max_size;
}

Calibration preliminary_calibration(const QuantileQuery& query) {
  return {query, Rational(1) / preliminary_share(query.budget.measure())};
}

QuantileQuery query_after(const QuantileQuery& query, int shares) {
  return with_part(query, Rational(1) - preliminary_share(query.budget.measure()) * Rational(shares));
}

namespace {

/// Whether all values have one sign. Many such columns have a tie at zero.
bool ends_at_zero(const Lattice& lattice) {
  const std::optional<std::uint64_t> zero = zero_of(lattice);
  return zero && (*zero == 0 || *zero + 1 == lattice.size());
}

/// The choice for about `rows` records, of which there may be only `least`.
Choice choose(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy, const Rows& rows,
              const Rows& least) {
  Choice choice = decision_for(query, lattice, policy, rows, least);
  const std::optional<double> records = records_at_epsilon_one(query, rows);
  const bool adapts = wants_adaptive_base(query) && lattice.size() <= largest_joint_lattice;
  if (auto* selection = std::get_if<SelectQuantiles>(&choice.decision)) {
    selection->subcells = policy.subcells.value_or(subcells_for(lattice.size()));
    if (adapts) {
      selection->shape.edges = true;
      const auto cells = static_cast<double>(selection->released.size() + 1);
      const double at_least = records_at_epsilon_one(query, least).value_or(0);
      const bool are_few =
          query.budget.measure() == Measure::zcdp
              ? records_at_rho_one_half(query, rows).value_or(0) < policy.fewest_to_find
              : at_least < std::max<double>(policy.fewest_in_all, policy.fewest_for_a_quantile * cells);
      if (are_few || ends_at_zero(lattice)) selection->shape.origin = origin_of(lattice);
    }
  }
  const bool finds = adapts && choice.mechanism != Mechanism::tree && (!records || *records >= policy.fewest_to_find);
  if (finds && lattice.size() >= policy.fine_lattice) choice.grids = round_grids(lattice);
  choice.finds_heaps = finds && lattice.size() >= policy.heaped_lattice && !heap_grids(lattice, {}).empty();
  return choice;
}

bool are_alike(const Choice& a, const Choice& b) {
  const auto& one = std::get<SelectQuantiles>(a.decision);
  const auto& other = std::get<SelectQuantiles>(b.decision);
  return one.released == other.released && one.shape.widths == other.shape.widths &&
         one.shape.emphasis == other.shape.emphasis && one.shape.origin.has_value() == other.shape.origin.has_value() &&
         a.grids.empty() == b.grids.empty() && a.finds_heaps == b.finds_heaps;
}

/// The numbers of records for which choices are made before one of them is taken: half the expected number, the expected number and
/// twice it; or powers of two times the error of the count, up to where the choice no longer changes.
std::vector<std::uint64_t> rows_considered(const QuantileQuery& query, const AutoPolicy& policy) {
  if (query.expected_rows) {
    const std::uint64_t told = std::clamp<std::uint64_t>(*query.expected_rows, 2, std::uint64_t{1} << 60);
    return {told / 2, told, 2 * told};
  }
  constexpr double most_rows = 0x1p60;
  const double unit = query.records_per_person / query.budget.epsilon().to_double();
  const double fewest = std::max(policy.fewest_considered * unit, 1.0);
  const double enough = std::max<double>(policy.most_for_a_quantile * static_cast<double>(query.quantiles.size() + 1),
                                         policy.most_considered) *
                        unit;
  std::vector<std::uint64_t> rows;
  for (int doublings = 0; std::ldexp(fewest, doublings) <= std::min(2 * enough, most_rows); ++doublings) {
    const auto whole = static_cast<std::uint64_t>(std::ceil(std::ldexp(fewest, doublings)));
    if (rows.empty() || whole > rows.back()) rows.push_back(whole);
  }
  return rows;
}

/// The geometric mean of two numbers.
std::uint64_t half_way(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b)));
}

/// The mean error of the noisy count.
double noise_of_count(const QuantileQuery& query, const AutoPolicy& policy) {
  const Rational share = preliminary_share(query.budget.measure()) * Rational(row_count_shares(query, policy));
  return query.records_per_person / (query.budget.epsilon().to_double() * share.to_double());
}

/// The noisy counts from which on each of these numbers of rows is assumed: half way between two numbers, and farther from the
/// expected number by the error of the noise.
std::vector<std::int64_t> borders_between(const QuantileQuery& query, const AutoPolicy& policy,
                                          const std::vector<std::uint64_t>& rows) {
  std::vector<std::int64_t> from{0};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto border = static_cast<double>(half_way(rows[i - 1], rows[i]));
    if (query.expected_rows) border += (rows[i] > *query.expected_rows ? 1 : -1) * noise_of_count(query, policy);
    from.push_back(static_cast<std::int64_t>(std::clamp(border, -0x1p61, 0x1p61)));  // beyond every number of records
  }
  return from;
}

/// The choices among which a noisy count decides; none when all choices are alike, or when the query leaves no choice.
std::vector<ChoiceByRows> choices_by_rows(const QuantileQuery& query, const Lattice& lattice,
                                          const AutoPolicy& policy) {
  const bool may_differ = query.mechanism == Mechanism::automatic && query.budget.measure() == Measure::pure &&
                          query.interpolate && query.quantiles.size() > policy.always_selected &&
                          lattice.is_regular() && lattice.size() <= largest_joint_lattice;
  std::vector<ChoiceByRows> choices;
  if (!may_differ) return choices;
  const std::vector<std::uint64_t> rows = rows_considered(query, policy);
  const std::vector<std::int64_t> from = borders_between(query, policy, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Choice choice = choose(query, lattice, policy, rows[i], half_way(rows[i] / 2, rows[i]));
    if (!std::holds_alternative<SelectQuantiles>(choice.decision)) return {};
    if (!choices.empty() && are_alike(choices.back().choice, choice)) continue;
    choices.push_back({from[i], rows[i], std::move(choice)});
  }
  if (choices.size() == 1) choices.clear();
  return choices;
}

/// For a query without intervals.
QuantilePlan plan_of_selection(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy) {
  const Rows& told = query.expected_rows;
  QuantilePlan plan{query, lattice, &policy,
                    choose(query, lattice, policy, told, told ? Rows(half_way(*told / 2, *told)) : told)};
  plan.by_rows = choices_by_rows(query, lattice, policy);
  if (!plan.by_rows.empty())
    plan.choice.reason += "; a noisy count of the records decides what is done if they are few";
  return plan;
}

/// Selects the points by one joint selection, so brackets do not reduce their accuracy. Then one selection for each pair of
/// neighboring points selects the brackets between them, among the records there.
void select_points_first(QuantilePlan& plan) {
  auto& selection = std::get<SelectQuantiles>(plan.choice.decision);
  RecursionShape& shape = selection.shape;
  shape.kind = NodeKind::joint_total;
  std::size_t most = 0;  // brackets between two points
  std::size_t here = 0;
  const std::vector<Rational>& selected = plan.brackets->selected;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const bool is_point = plan.brackets->is_wanted(selected[i]);
    here = is_point ? 0 : here + 1;
    most = std::max(most, here);
    if (is_point) shape.first.push_back(i);
  }
  shape.widths = {shape.first.size()};
  shape.emphasis = {};
  if (most > 0) {
    shape.widths.push_back(most);
    const IntervalShares& shares = plan.brackets->shares;
    const Rational each = (shares.points + shares.brackets) / Rational(2);
    if (plan.query.budget.measure() == Measure::pure) shape.emphasis = {shares.points / each, shares.brackets / each};
  }
  selection.levels = Rational(shape.widths.size());
  plan.choice.mechanism = Mechanism::joint_tree;
  if (plan.choice.reason.empty()) return;
  const std::size_t points = shape.first.size();
  const std::size_t wanted = plan.brackets->wanted.size();
  plan.choice.reason =
      points == wanted
          ? "the quantiles at once, then the brackets of their intervals"
          : fmt::format(
                "{} of {} quantiles at once, then the brackets of intervals; the other quantiles are interpolated",
                points, wanted);
}

/// The numbers of records among which the count of a query with intervals decides. They are so close that the places of cuts hardly
/// depend on the outcome.
std::vector<CountedRows> rows_counted(const QuantileQuery& query, const AutoPolicy& policy) {
  constexpr double most = 0x1p50;
  const double step = std::sqrt(std::sqrt(2));
  std::vector<std::uint64_t> rows = policy.rows;
  if (rows.empty()) {
    const CountTreeNoise noise(query, 1);
    const double least = std::max(policy.fewest_counted * noise_deviation(noise.measure(), noise.price()), 1.0);
    double some = least;
    while (some < most) {
      const auto whole = static_cast<std::uint64_t>(std::ceil(some));
      if (rows.empty() || whole > rows.back()) rows.push_back(whole);
      some *= step;
    }
    if (rows.empty()) rows.push_back(static_cast<std::uint64_t>(most));
  }
  std::vector<CountedRows> counted{{0, rows.front()}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::uint64_t from = policy.rows.empty() ? half_way(rows[i - 1], rows[i]) : i;
    counted.push_back({static_cast<std::int64_t>(from), rows[i]});
  }
  return counted;
}

/// The lattice by whose size the selected points of a query with intervals are chosen. The order of the targets follows from these
/// points. Thresholds of the population are proved only if this order does not depend on the sample. Bounds that were found depend
/// on it, so a lattice of typical size takes the place of theirs.
Lattice lattice_of_points(const QuantilePlan& plan) {
  constexpr std::uint64_t typical = std::uint64_t{1} << 20;
  const bool is_of_population = plan.query.intervals->subject == IntervalSubject::population;
  return is_of_population && plan.bounds == BoundsOrigin::found ? Lattice::numbers(typical) : plan.lattice;
}

}  // namespace

QuantilePlan QuantilePlan::with_rows(std::size_t rows) const {
  Brackets around = with_brackets(query, counted.at(rows).rows);
  const Lattice of_points = lattice_of_points(*this);
  const std::vector<Rational> points =
      of_points.size() > largest_joint_lattice
          ? query.quantiles
          : selected_points(query, of_points, *policy, counted[rows].rows, around.shares.points);
  if (points.size() < query.quantiles.size()) around = with_brackets(query, counted[rows].rows, points);
  QuantileQuery selected = query;
  selected.quantiles = around.selected;
  selected.names.clear();
  selected.budget = query.budget.scaled(around.shares.points + around.shares.brackets);
  selected.interpolate = false;  // brackets are selected like points
  selected.expected_rows = counted[rows].rows;
  QuantilePlan plan = plan_of_selection(selected, lattice, *policy);
  plan.brackets = std::move(around);
  plan.counted = counted;
  plan.bounds = bounds;
  const Mechanism chosen = plan.choice.mechanism;
  const bool is_joint = chosen == Mechanism::joint_total || chosen == Mechanism::joint_tree;
  const bool is_automatic = query.mechanism == Mechanism::automatic && plan.is_recursion();
  if (is_joint || (is_automatic && lattice.size() <= largest_joint_lattice)) select_points_first(plan);
  return plan;
}

QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy,
                     BoundsOrigin bounds) {
  if (!query.intervals) {
    query.validate(lattice);
    return plan_of_selection(query, lattice, policy);
  }
  QuantileQuery asked = query;
  asked.records_per_person = 1;  // for a group the bound counts steps, and was checked for the whole query
  asked.validate(lattice);
  QuantilePlan plan{query, lattice, &policy, {}};
  plan.counted = rows_counted(query, policy);
  plan.bounds = bounds;
  const std::uint64_t told = query.expected_rows.value_or(policy.rows_untold);
  const auto next = std::ranges::upper_bound(plan.counted, told, {}, &CountedRows::rows);
  plan.choice =
      plan.with_rows(static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - plan.counted.begin(), 1) - 1)).choice;
  return plan;
}

}  // namespace fractile
