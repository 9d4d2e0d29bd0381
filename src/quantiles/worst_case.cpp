// Proof: docs/proofs/rank_error.md
#include <algorithm>
#include <functional>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/count_tree.hpp"
#include "quantiles/independent.hpp"
#include "quantiles/plan.hpp"
#include "quantiles/private_bounds.hpp"
#include "quantiles/rank_error.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t most_rows = 4'294'967'295;
constexpr std::size_t most_quantiles = 2'000;  ///< whose bounds are computed by themselves

/// Between two anchors a value's rank lies between theirs, beyond the outermost anywhere.
std::optional<std::uint64_t> between(const Rational& q, const std::vector<Rational>& anchors, const Ranks& errors,
                                     std::uint64_t rows) {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(anchors, q) - anchors.begin());
  const Rational n(static_cast<std::int64_t>(rows));
  const auto from = [&](std::size_t anchor) -> std::optional<Rational> {
    if (!errors[anchor]) return {};
    const Rational away = anchors[anchor] < q ? q - anchors[anchor] : anchors[anchor] - q;
    return away * n + Rational(static_cast<std::int64_t>(*errors[anchor]));
  };
  const std::optional<Rational> left = above > 0 ? from(above - 1) : q * n;
  const std::optional<Rational> right = above < anchors.size() ? from(above) : (Rational(1) - q) * n;
  if (!left || !right) return {};
  return std::min(std::max(*left, *right), n).ceil().to_uint64();
}

/// What the bounds are asked of: a plan, the round numbers that were found, and among how many rows.
struct Setting {
  const QuantileQuery& query;
  const QuantilePlan& plan;
  const Lattice& lattice;
  RoundNumbers found;
  std::uint64_t rows;
};

/// Evenly chosen ones of so many places, the first and the last among them; all, when they are few.
std::vector<std::size_t> evenly(std::size_t places, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(places, most));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = chosen.size() == 1 ? 0 : i * (places - 1) / (chosen.size() - 1);
  }
  return chosen;
}

Ranks recursion_ranks(const Setting& setting, const std::vector<std::size_t>& which, const Rational& failure) {
  return fractile::recursion_ranks(setting.query, setting.plan, setting.lattice, setting.found, setting.rows, which,
                                   failure);
}

/// Of a recursion's quantiles, and of those that lie between them.
Ranks selected_ranks(const Setting& setting, const Rational& failure) {
  const std::vector<Rational>& released = setting.plan.released;
  const std::vector<Rational>& quantiles = setting.query.quantiles;
  const std::vector<std::size_t> which = evenly(released.size(), most_quantiles);
  if (which.size() == quantiles.size()) return recursion_ranks(setting, which, failure);
  const Ranks errors = recursion_ranks(setting, which, failure / Rational(2));
  std::vector<Rational> anchors;
  anchors.reserve(which.size());
  for (const std::size_t i : which) anchors.push_back(released[i]);
  Ranks result;
  for (const Rational& q : quantiles) {
    const auto at = std::ranges::lower_bound(anchors, q);
    const bool is_anchor = at != anchors.end() && *at == q;
    result.push_back(is_anchor ? errors[static_cast<std::size_t>(at - anchors.begin())]
                               : between(q, anchors, errors, setting.rows));
  }
  return result;
}

std::optional<int> findings_before_counting(const Setting& setting) {
  return fractile::findings_before_counting(setting.query, setting.plan, setting.lattice.size(), setting.found);
}

/// Whether values are rounded to the grid, past records that are finer.
bool rounds(const Setting& setting) {
  if (!setting.found.grid) return false;
  return findings_before_counting(setting) || setting.plan.released.size() < setting.query.quantiles.size();
}

/// Ranks that rounding to the grid leaves, when records finer than it may lie between.
Ranks beyond_finer(const Setting& setting, Ranks ranks, const Rational& failure) {
  const std::optional<std::uint64_t> finer = finer_records(setting.query, setting.plan, setting.rows, failure);
  for (std::optional<std::uint64_t>& each : ranks) each = each && finer ? std::optional(*each + *finer) : std::nullopt;
  return ranks;
}

Ranks ranks_within(const Setting& setting, const Rational& failure) {
  const std::size_t quantiles = setting.query.quantiles.size();
  const std::uint64_t candidates = setting.lattice.size();
  const Rational half = failure / Rational(2);
  if (const std::optional<int> findings = findings_before_counting(setting)) {
    const QuantileQuery query = query_after(setting.query, *findings);
    if (!setting.found.grid) return Ranks(quantiles, counted_ranks(query, candidates, failure));
    const Ranks counted(quantiles, counted_ranks(query, setting.found.grid->size(candidates), half));
    return beyond_finer(setting, counted, half);
  }
  if (setting.plan.mechanism == Mechanism::tree) {
    return Ranks(quantiles, counted_ranks(setting.query, candidates, failure));
  }
  if (setting.plan.mechanism == Mechanism::independent) {
    return independent_ranks(setting.query, setting.lattice, failure);
  }
  if (rounds(setting)) return beyond_finer(setting, selected_ranks(setting, half), half);
  return selected_ranks(setting, failure);
}

/// Why no bound is known; empty when one is.
std::string reason_against(const QuantilePlan& plan, const Lattice& lattice) {
  if (plan.mechanism == Mechanism::tree && !count_tree_shape(lattice.size()).tells_all_apart()) {
    return "leaves of the tree hold several values, and all records may lie in one leaf";
  }
  return {};
}

WorstCase without_bounds(const QuantileQuery& query, const Rational& confidence, std::uint64_t rows,
                         std::string reason) {
  return {confidence, rows, Ranks(query.quantiles.size()), {}, std::move(reason)};
}

void raise(std::optional<std::uint64_t>& bound, const std::optional<std::uint64_t>& other) {
  bound = bound && other ? std::optional(std::max(*bound, *other)) : std::nullopt;
}

/// What no quantile exceeds together, and each by itself, but with the failure's probability.
using RanksWithin = std::function<Ranks(const Rational& failure)>;

WorstCase bounds_of(const Setting& setting, const Rational& confidence, const RanksWithin& ranks_at) {
  const std::uint64_t rows = setting.rows;
  const Rational failure = Rational(1) - confidence;
  const Rational share = failure / Rational(static_cast<std::int64_t>(setting.query.quantiles.size()));
  WorstCase worst{confidence, rows, ranks_at(share), {}, {}};
  if (rounds(setting)) worst.rounded = finer_records(setting.query, setting.plan, rows, failure / Rational(2));
  worst.together = worst.largest();
  worst.ranks = ranks_at(failure);
  const auto says_nothing = [&](const std::optional<std::uint64_t>& ranks) {
    return !ranks || (*ranks > 0 && *ranks >= rows);
  };
  if (std::ranges::any_of(worst.ranks, says_nothing))
    worst.without = "for so many rows no bound below their number is known";
  for (std::optional<std::uint64_t>& ranks : worst.ranks) {
    if (says_nothing(ranks)) ranks.reset();
  }
  if (says_nothing(worst.together)) worst.together.reset();
  return worst;
}

/// A bound that was found: drawn for the quantile `target`, which it misses by at most `error` records.
struct FoundBound {
  bool is_lower;
  Rational target;
  std::optional<std::uint64_t> error;

  FoundBound(bool lower, const IndependentQuantiles& drawn, std::uint64_t candidates, const Enclosure& failure)
      : is_lower(lower), target(drawn.quantiles.front()) {
    const Rational den(static_cast<std::int64_t>(QuantileFraction::of(target).denominator));
    error = candidate_ranks(drawn.rate(0) * den, candidates, failure);
  }

  /// By how many records at most it leaves a quantile outside (lemma 7), with the worst number of records up to `rows`: a row need
  /// not hold a number.
  std::optional<std::uint64_t> left_outside(const Rational& q, std::uint64_t rows) const {
    if (!error) return {};
    const Rational ranks(static_cast<std::int64_t>(*error));
    const Rational n(static_cast<std::int64_t>(rows));
    const Rational others = is_lower ? Rational(1) - target : target;  // the share of records that a miss may reach
    return ((is_lower ? Rational(1) - q : q) * std::min(n, ranks / others)).ceil().to_uint64();
  }
};

/// Of quantiles within bounds that were found: where a bound missed a quantile, by so many more records.
Ranks beyond_found(const QuantileRelease& release, std::uint64_t rows, Ranks ranks, const Rational& failure) {
  QuantileQuery whole = release.query;
  whole.budget = release.bounds->budget;
  const BoundsQuery drawn = bounds_query(whole, release.bounds->cost);
  const std::uint64_t candidates = bound_candidates(BoundsSearch{release.lattice.step()}).size();  // or fewer
  const Enclosure half = Enclosure::of(failure / Rational(2));
  const FoundBound lower(true, drawn.lower, candidates, half);
  const FoundBound upper(false, drawn.upper, candidates, half);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    raise(ranks[i], lower.left_outside(release.query.quantiles[i], rows));
    raise(ranks[i], upper.left_outside(release.query.quantiles[i], rows));
  }
  return ranks;
}

void require_confidence(const Rational& confidence) {
  if (confidence <= Rational(0) || confidence >= Rational(1)) {
    throw Error(ErrorCode::usage, "a confidence lies between 0 and 1", "write for example 0.95");
  }
}

std::uint64_t rows_of(const QuantileRelease& release) {
  return release.public_records.value_or(release.query.expected_rows.value_or(most_rows));
}

/// What a release says it found.
RoundNumbers found_by(const QuantileRelease& release, const QuantilePlan& plan) {
  RoundNumbers found;
  const auto spacing = [&](const RoundGrid& grid) {
    return release.lattice.step() * Rational(static_cast<std::int64_t>(grid.stride));
  };
  for (const RoundGrid& grid : plan.grids) {
    if (release.used.granularity == spacing(grid)) found.grid = grid;
  }
  for (const HeapGrid& heap : heap_grids(release.lattice, found.grid)) {
    if (release.used.heaping == spacing(heap.grid)) found.heaps = heap.grid;
  }
  return found;
}

/// What a plan may find, but for heaps that weigh less than others do.
std::vector<RoundNumbers> may_find(const QuantilePlan& plan, const Lattice& lattice) {
  std::vector<RoundNumbers> result{{}};
  for (const RoundGrid& grid : plan.grids) result.push_back({grid, {}});
  if (!plan.finds_heaps) return result;
  const std::size_t grids = result.size();
  for (std::size_t i = 0; i < grids; ++i) {
    if (!plan.finds_heaps_after(result[i].grid)) continue;
    const std::vector<HeapGrid> heaps = heap_grids(lattice, result[i].grid);
    const auto most =
        std::ranges::max_element(heaps, {}, [&](const HeapGrid& heap) { return heap.grid.size(lattice.size()); });
    if (most != heaps.end()) result.push_back({result[i].grid, most->grid});
  }
  return result;
}

}  // namespace

std::optional<std::uint64_t> WorstCase::largest() const {
  std::uint64_t most = 0;
  for (const std::optional<std::uint64_t>& here : ranks) {
    if (!here) return {};
    most = std::max(most, *here);
  }
  return most;
}

WorstCase worst_case(const QuantileQuery& query, const Lattice& lattice, const Rational& confidence) {
  require_confidence(confidence);
  const QuantilePlan plan = plan_of(query, lattice);
  const std::uint64_t rows = query.expected_rows.value_or(most_rows);
  std::string reason = reason_against(plan, lattice);
  if (!reason.empty()) return without_bounds(query, confidence, rows, std::move(reason));
  const auto worst_with = [&](const RoundNumbers& found) {
    const Setting setting{query, plan, lattice, found, rows};
    return bounds_of(setting, confidence, [&](const Rational& failure) { return ranks_within(setting, failure); });
  };
  const std::vector<RoundNumbers> findings = may_find(plan, lattice);
  WorstCase worst = worst_with(findings.front());
  for (std::size_t f = 1; f < findings.size(); ++f) {
    const WorstCase other = worst_with(findings[f]);
    for (std::size_t i = 0; i < worst.ranks.size(); ++i) raise(worst.ranks[i], other.ranks[i]);
    raise(worst.together, other.together);
    if (other.rounded) worst.rounded = other.rounded;
    if (worst.without.empty()) worst.without = other.without;
  }
  return worst;
}

WorstCase worst_case(const QuantileRelease& release, const Rational& confidence) {
  require_confidence(confidence);
  const QuantilePlan plan = plan_of(release.query, release.lattice);
  const std::uint64_t rows = rows_of(release);
  std::string reason = reason_against(plan, release.lattice);
  if (!reason.empty()) return without_bounds(release.query, confidence, rows, std::move(reason));
  const Setting setting{release.query, plan, release.lattice, found_by(release, plan), rows};
  return bounds_of(setting, confidence, [&](const Rational& failure) {
    if (!release.bounds) return ranks_within(setting, failure);
    const Rational half = failure / Rational(2);
    return beyond_found(release, rows, ranks_within(setting, half), half);
  });
}

std::vector<WorstCase> worst_cases(const GroupedRelease& groups, const Rational& confidence) {
  std::vector<WorstCase> worst;
  std::vector<const QuantileRelease*> first;  // that ran like this one, for each of `worst`
  std::vector<WorstCase> result;
  for (const QuantileRelease& release : groups.releases) {
    const auto alike = [&](const QuantileRelease* other) { return other->used == release.used; };
    const auto at = static_cast<std::size_t>(std::ranges::find_if(first, alike) - first.begin());
    if (at == first.size()) {
      QuantileRelease as_run = release;
      as_run.query = group_query(release.query);
      first.push_back(&release);
      worst.push_back(release.bounds ? without_bounds(as_run.query, confidence, rows_of(as_run),
                                                      "the bounds were found among the records of all groups")
                                     : worst_case(as_run, confidence));
    }
    result.push_back(worst[at]);
  }
  return result;
}

}  // namespace fractile
