#include "quantiles/release.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/count_tree.hpp"
#include "quantiles/independent.hpp"
#include "quantiles/plan.hpp"

namespace fractile {

std::string to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::automatic:
      return "auto";
    case Mechanism::exponential:
      return "exponential";
    case Mechanism::approximate:
      return "approximate";
    case Mechanism::joint:
      return "joint";
    case Mechanism::joint_total:
      return "joint-total";
    case Mechanism::joint_tree:
      return "joint-tree";
    case Mechanism::independent:
      return "independent";
    case Mechanism::tree:
      return "tree";
  }
  return {};
}

std::string to_string(Rates rates) { return rates == Rates::tight ? "tight" : "as-published"; }

namespace {

void require_increasing(const std::vector<Rational>& quantiles) {
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    if (quantiles[i] > quantiles[i - 1]) continue;
    const bool repeated = quantiles[i] == quantiles[i - 1];
    throw Error(ErrorCode::usage,
                "the quantile " + quantiles[i].to_string() + (repeated ? " stands twice" : " comes after a larger one"),
                "write them once each, in increasing order");
  }
}

/// Whatever node of the recursion a quantile is decided in, its fraction there has a denominator that divides this one's.
void require_small_denominators(const std::vector<Rational>& quantiles) {
  for (const Rational& q : quantiles) QuantileFraction::of(q);
  const Rational common = common_denominator(quantiles);
  if (common > Rational(std::int64_t{1} << 31)) {
    throw Error(ErrorCode::usage, "the quantiles' common denominator " + common.to_string() + " is above 2147483648",
                "write all of them with at most nine decimals, or as multiples of one fraction");
  }
}

}  // namespace

std::vector<Rational> synthetic_rows(std::uint64_t rows) {
  if (rows < 1 || rows > 1'000'000) {
    throw Error(ErrorCode::usage, "synthetic rows: not from 1 to 1000000", "about as many as the table has is of use");
  }
  const auto parts = static_cast<std::int64_t>(rows);
  std::vector<Rational> quantiles;
  for (std::int64_t i = 1; i <= parts; ++i) quantiles.emplace_back(i, parts);
  return quantiles;
}

void QuantileQuery::validate() const {
  if (quantiles.empty()) throw Error(ErrorCode::usage, "no quantiles", "write for example --quantiles 0.25,0.5,0.75");
  require_small_denominators(quantiles);
  require_increasing(quantiles);
  if (records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record", "write --records-per-person 1 or more");
  }
  if (budget.measure() == Measure::approximate && mechanism != Mechanism::independent) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " needs no delta",
                "leave the delta out, or use --mechanism independent");
  }
  if (rates == Rates::as_published && mechanism != Mechanism::approximate && mechanism != Mechanism::exponential) {
    throw Error(ErrorCode::usage, "published rates are those of approximate, not of " + to_string(mechanism),
                "write --mechanism approximate, or leave --rates out");
  }
  if (base == Base::adaptive && (mechanism == Mechanism::independent || mechanism == Mechanism::tree)) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " has no adaptive base", "leave --base out");
  }
  if (mechanism == Mechanism::exponential && quantiles.size() > 1) {
    throw Error(ErrorCode::usage, "the exponential mechanism releases one quantile at a time",
                "use --mechanism approximate for several");
  }
}

namespace {

/// The splits of all quantiles from those of the released ones: linearly between two, and beyond the outermost with the slope
/// of the last two, as far as the range goes.
std::vector<Split> interpolated(const std::vector<Rational>& quantiles, const std::vector<Rational>& released,
                                const std::vector<Split>& splits, Split highest) {
  if (released.size() == quantiles.size()) return splits;
  const auto at = [](Split split) { return Rational(static_cast<std::int64_t>(split)); };
  std::vector<Split> result;
  std::size_t k = 0;
  for (const Rational& q : quantiles) {
    while (k + 2 < released.size() && released[k + 1] <= q) ++k;
    const Rational share = (q - released[k]) / (released[k + 1] - released[k]);
    const Rational split = (at(splits[k]) + share * (at(splits[k + 1]) - at(splits[k]))).floor();
    result.push_back(std::clamp(split, Rational(0), at(highest)).to_uint64());
  }
  return result;
}

/// The query with what a share has of its budget.
QuantileQuery paid_from(const Share& share, QuantileQuery query) {
  query.budget = share.amount();
  return query;
}

/// One part for each level, each with its share of what the selections have.
std::vector<PaidPart> parts_for_levels(const QuantilePlan& plan, Share share, Draws& draws) {
  Share all = share.take_rest();
  std::vector<PaidPart> levels;
  for (std::size_t i = 0; i < plan.shape.widths.size(); ++i) {
    const Rational emphasis = plan.shape.emphasis.empty() ? Rational(1) : plan.shape.emphasis[i];
    levels.push_back(draws.begin("level " + std::to_string(i + 1), all.take(emphasis / plan.levels)));
  }
  return levels;
}

/// Runs a recursion. One candidate a quantile.
std::vector<std::uint64_t> recursive_quantiles(const RankProfile& profile, const QuantileQuery& query,
                                               const QuantilePlan& plan, const RoundNumbers& found, Share share,
                                               Draws& draws) {
  const Calibration calibration(paid_from(share, query), plan.levels);
  const std::uint64_t subcells = plan.scale.subcells.value_or(subcells_for(profile.candidates()));
  RecursionShape shape = plan.shape;
  shape.numbers = found;
  const QuantileTree tree(profile, plan.released, shape, calibration, subcells);
  const Wanted wanted = plan.released.size() < query.quantiles.size() ? Wanted::splits : Wanted::candidates;
  const std::vector<Split> splits =
      sample_splits(tree, plan.released.size(), parts_for_levels(plan, std::move(share), draws), wanted);
  std::vector<std::uint64_t> candidates =
      interpolated(query.quantiles, plan.released, splits, whole_span(profile, subcells).highest);
  const bool rounds = found.grid && plan.released.size() < query.quantiles.size();
  for (std::uint64_t& split : candidates) {
    split = rounds ? found.grid->nearest(tree.candidate_of(split), profile.candidates()) : tree.candidate_of(split);
  }
  return candidates;
}

/// What parts of the budget find, as the plan has it.
RoundNumbers find_round_numbers(const RankProfile& profile, const Lattice& lattice, const QuantileQuery& query,
                                const QuantilePlan& plan, Share& share, Draws& draws) {
  RoundNumbers found;
  const Rational fraction = finding_share(query.budget.measure());
  if (!plan.grids.empty()) {
    Share finding = share.take(fraction);
    const Calibration calibration(paid_from(finding, query), 1);
    found.grid = select_granularity(profile, plan.grids, granularity_rate(calibration),
                                    draws.begin("granularity", std::move(finding)));
  }
  const bool counts = findings_before_counting(query, plan, lattice.size(), found).has_value();
  if (counts || !plan.finds_heaps_after(found.grid)) return found;
  Share finding = share.take(fraction);
  const Calibration calibration(paid_from(finding, query), 1);
  found.heaps = select_heaps(profile, heap_grids(lattice, found.grid), heaping_rate(calibration),
                             draws.begin("heaps", std::move(finding)));
  return found;
}

std::vector<std::uint64_t> counted_quantiles(const RankProfile& profile, const QuantileQuery& query, Share share,
                                             Draws& draws) {
  const CountTreeShape shape = count_tree_shape(profile.candidates());
  const CountTreeNoise noise(paid_from(share, query), shape.height());
  return sample_tree_quantiles(profile, query.quantiles, shape, noise, draws.begin("counts", std::move(share)));
}

/// The same among the candidates of the grid.
std::vector<std::uint64_t> counted_on_grid(const RankProfile& profile, const QuantileQuery& query,
                                           const RoundGrid& grid, Share share, Draws& draws) {
  std::vector<std::uint64_t> candidates = counted_quantiles(on_grid(profile, grid), query, std::move(share), draws);
  for (std::uint64_t& candidate : candidates) candidate = grid.offset + candidate * grid.stride;
  return candidates;
}

std::vector<std::uint64_t> independent_quantiles(const RankProfile& profile, const QuantileQuery& query, Share share,
                                                 Draws& draws) {
  const IndependentQuantiles selections{query.quantiles, independent_range(paid_from(share, query)), query.neighbors,
                                        query.records_per_person};
  return sample_independent(profile, selections,
                            draws.begin_composition("quantiles", std::move(share), query.quantiles.size()));
}

std::vector<std::uint64_t> selected_quantiles(const RankProfile& profile, const QuantileQuery& query,
                                              const QuantilePlan& plan, const RoundNumbers& found, Share share,
                                              Draws& draws) {
  if (plan.mechanism == Mechanism::independent) return independent_quantiles(profile, query, std::move(share), draws);
  if (plan.mechanism == Mechanism::tree) return counted_quantiles(profile, query, std::move(share), draws);
  return recursive_quantiles(profile, query, plan, found, std::move(share), draws);
}

MechanismUsed used_for(const Lattice& lattice, const QuantilePlan& plan, const RoundNumbers& found) {
  MechanismUsed used{plan.mechanism, plan.shape.widths, plan.released.size(), plan.reason};
  const auto spacing = [&](const std::optional<RoundGrid>& grid) {
    return lattice.step() * Rational(grid ? static_cast<std::int64_t>(grid->stride) : 1);
  };
  if (!plan.grids.empty()) used.granularity = spacing(found.grid);
  if (found.heaps) used.heaping = spacing(found.heaps);
  return used;
}

/// As used_for(), when the quantiles are counted for what was found.
MechanismUsed counted_for(const Lattice& lattice, const QuantileQuery& query, const QuantilePlan& plan,
                          const RoundNumbers& found) {
  MechanismUsed used = used_for(lattice, plan, found);
  used.mechanism = Mechanism::tree;
  used.widths.clear();
  used.selected = query.quantiles.size();
  used.reason = found.heaps ? "many quantiles of records that heap on few candidates: counts on a tree"
                            : "many quantiles among few round numbers: counts on a tree";
  return used;
}

}  // namespace

QuantileRelease release_with(const RankProfile& profile, const Lattice& lattice, const QuantileQuery& asked,
                             Share share, PersonSteps person, DrawSource& source, const PlanScale& scale) {
  const QuantileQuery query = paid_from(share, asked);
  const QuantilePlan plan = plan_of(query, lattice, scale);
  if (profile.candidates() != lattice.size()) {
    throw Error(ErrorCode::usage, "the profile was counted on another lattice");
  }
  Odometer odometer(share.amount(), person);
  Draws draws(source, odometer);
  const RoundNumbers found = find_round_numbers(profile, lattice, query, plan, share, draws);
  QuantileRelease release{query, lattice, {}, used_for(lattice, plan, found), {}, {}};
  if (findings_before_counting(query, plan, lattice.size(), found)) {
    release.used = counted_for(lattice, query, plan, found);
    const RoundGrid grid = found.grid.value_or(RoundGrid{0, 1});
    release.indices = counted_on_grid(profile, query, grid, std::move(share), draws);
  } else {
    release.indices = selected_quantiles(profile, query, plan, found, std::move(share), draws);
  }
  release.spent = odometer.spent();
  return release;
}

QuantileRelease release_quantiles(const RankProfile& profile, const Lattice& lattice, const QuantileQuery& query,
                                  RandomBits& bits, Filter filter) {
  RandomSource source(bits, filter);
  QuantileRelease release =
      release_with(profile, lattice, query, Share::whole(query.budget), PersonSteps::in_table(query), source);
  release.unsafe_seed = bits.unsafe_seed();
  return release;
}

}  // namespace fractile
