// Proof: docs/proofs/rank_error.md
#include <algorithm>
#include <functional>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/release/rank_error.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/independent.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {
namespace {

constexpr std::size_t most_quantiles = 2'000;  ///< the most quantiles whose bounds are computed individually

/// Between two anchors, a value's rank lies between theirs; beyond the outermost anchor it can be anything.
std::optional<std::uint64_t> between(const Rational& q, const std::vector<Rational>& anchors, const Ranks& errors,
                                     std::uint64_t rows) {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(anchors, q) - anchors.begin());
  const Rational n(static_cast<std::int64_t>(rows));
  const auto from = [&](std::size_t anchor) -> std::optional<Rational> {
    if (!errors[anchor]) return {};
    const Rational away = anchors[anchor] < q ? q - anchors[anchor] : anchors[anchor] - q;
    return away * n + Rational(*errors[anchor]);
  };
  const std::optional<Rational> left = above > 0 ? from(above - 1) : q * n;
  const std::optional<Rational> right = above < anchors.size() ? from(above) : (Rational(1) - q) * n;
  if (!left || !right) return {};
  return std::min(std::max(*left, *right), n).ceil().to_uint64();
}

/// The setting of the bounds: the stages that a plan runs for an outcome, and the number of rows.
struct Setting {
  const QuantilePlan& plan;
  std::uint64_t rows;
  std::vector<Stage> stages;
  QuantileQuery rest;  ///< the plan's query, with the budget that the preliminary selections leave

  Setting(const QuantilePlan& of, std::uint64_t among, const PreliminaryOutcome& found)
      : plan(of), rows(among), stages(of.stages(found)), rest(query_after(of.query, shares_taken(stages))) {}
};

/// Evenly chosen places, including the first and the last; all places if there are few.
std::vector<std::size_t> evenly(std::size_t places, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(places, most));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = chosen.size() == 1 ? 0 : i * (places - 1) / (chosen.size() - 1);
  }
  return chosen;
}

/// The bounds for a recursion's quantiles, and for the quantiles between them.
Ranks selected_ranks(const Setting& setting, const SelectQuantiles& stage, const Rational& failure) {
  const std::vector<Rational>& quantiles = setting.rest.quantiles;
  const std::vector<std::size_t> which = evenly(stage.released.size(), most_quantiles);
  const auto ranks_of = [&](const Rational& within) {
    return recursion_ranks(setting.rest, stage, setting.plan.lattice, setting.rows, which, within);
  };
  if (which.size() == quantiles.size()) return ranks_of(failure);
  const Ranks errors = ranks_of(failure / Rational(2));
  std::vector<Rational> anchors;
  anchors.reserve(which.size());
  for (const std::size_t i : which) anchors.push_back(stage.released[i]);
  Ranks result;
  for (const Rational& q : quantiles) {
    const auto at = std::ranges::lower_bound(anchors, q);
    const bool is_anchor = at != anchors.end() && *at == q;
    result.push_back(is_anchor ? errors[static_cast<std::size_t>(at - anchors.begin())]
                               : between(q, anchors, errors, setting.rows));
  }
  return result;
}

Ranks counted_ranks(const Setting& setting, const CountOnTree& stage, const Rational& failure) {
  const std::uint64_t all = setting.plan.lattice.size();
  const std::uint64_t candidates = stage.grid ? stage.grid->size(all) : all;
  return Ranks(setting.rest.quantiles.size(), fractile::counted_ranks(setting.rest, candidates, setting.rows, failure));
}

/// The bounds for the stage that decides the quantiles.
Ranks decided_ranks(const Setting& setting, const Rational& failure) {
  if (const auto* counts = stage_in<CountOnTree>(setting.stages)) return counted_ranks(setting, *counts, failure);
  if (const auto* selection = stage_in<SelectQuantiles>(setting.stages)) {
    return selected_ranks(setting, *selection, failure);
  }
  return independent_ranks(setting.rest, setting.plan.lattice, failure);
}

/// Whether values or records are rounded to a granularity that was found, while some records may be finer.
bool rounds(const Setting& setting) {
  const auto* counts = stage_in<CountOnTree>(setting.stages);
  return stage_in<RoundToGrid>(setting.stages) || (counts && counts->grid);
}

/// How many records may be finer than the granularity, except with probability `failure`.
std::optional<std::uint64_t> finer_records(const Setting& setting, const Rational& failure) {
  return fractile::finer_records(setting.plan.query, *stage_in<FindGranularity>(setting.stages), setting.rows, failure);
}

Ranks ranks_within(const Setting& setting, const Rational& failure) {
  if (!rounds(setting)) return decided_ranks(setting, failure);
  const Rational half = failure / Rational(2);
  Ranks ranks = decided_ranks(setting, half);
  const std::optional<std::uint64_t> finer = finer_records(setting, half);
  for (std::optional<std::uint64_t>& each : ranks) each = each && finer ? std::optional(*each + *finer) : std::nullopt;
  return ranks;
}

/// Why no bound is known among this many rows; empty if one is known.
std::string reason_against(const QuantilePlan& plan, std::uint64_t rows) {
  if (plan.query.intervals) return "its intervals say how far off a quantile may be";
  if (!plan.lattice.is_regular()) {
    return "records may lie between two of the listed candidates, and how many do is not public";
  }
  if (plan.counts_anyway() && !count_tree_shape(plan.lattice.size()).tells_all_apart()) {
    return "leaves of the tree hold several values, and all records may lie in one leaf";
  }
  const Rational farthest = common_denominator(plan.query.quantiles) * Rational(rows);
  if (farthest > Rational(farthest_score)) {
    return "among that many rows, ranks with that many decimals are distinguished only down to some distance";
  }
  return {};
}

WorstCase without_bounds(const QuantileQuery& query, const Rational& confidence, std::uint64_t rows,
                         std::string reason) {
  return {ErrorTerms{confidence, rows, {}, std::move(reason)}, Ranks(query.quantiles.size())};
}

void raise(std::optional<std::uint64_t>& bound, const std::optional<std::uint64_t>& other) {
  bound = bound && other ? std::optional(std::max(*bound, *other)) : std::nullopt;
}

/// From a failure probability to bounds that are exceeded with at most this probability: for all quantiles together, and for each
/// by itself.
using RanksWithin = std::function<Ranks(const Rational& failure)>;

WorstCase bounds_of(const Setting& setting, const Rational& confidence, const RanksWithin& ranks_at) {
  const std::uint64_t rows = setting.rows;
  const Rational failure = Rational(1) - confidence;
  const Rational share = failure / Rational(setting.rest.quantiles.size());
  // `simultaneous_rank` holds for all quantiles at once, by the union bound over quantiles that each fail with probability `share`. `ranks` holds
  // for each quantile by itself, and half of `failure` covers rounding, as in ranks_within().
  WorstCase worst{ErrorTerms{confidence, rows}, ranks_at(share)};
  if (rounds(setting)) worst.rounding = finer_records(setting, failure / Rational(2));
  worst.simultaneous_rank = worst.largest();
  worst.ranks = ranks_at(failure);
  const auto says_nothing = [&](const std::optional<std::uint64_t>& ranks) {
    return !ranks || (*ranks > 0 && *ranks >= rows);
  };
  if (std::ranges::any_of(worst.ranks, says_nothing))
    worst.unbounded_reason = "for that many rows, no bound smaller than the number of rows is known";
  for (std::optional<std::uint64_t>& ranks : worst.ranks) {
    if (says_nothing(ranks)) ranks.reset();
  }
  if (says_nothing(worst.simultaneous_rank)) worst.simultaneous_rank.reset();
  return worst;
}

/// A bound that was found. It was drawn for the quantile `target`, which it misses by at most `error` records.
struct FoundBound {
  bool is_lower;
  Rational target;
  std::optional<std::uint64_t> error;

  FoundBound(bool lower, const IndependentQuantiles& drawn, std::uint64_t candidates, const Enclosure& failure)
      : is_lower(lower), target(drawn.quantiles.front()) {
    const Rational den(static_cast<std::int64_t>(QuantileFraction::of(target).denominator));
    error = candidate_ranks(drawn.rate(0) * den, candidates, failure);
  }

  /// The largest number of records by which the bound leaves a quantile outside (lemma 7), for the worst number of records up to
  /// `rows`: a row need not hold a number.
  std::optional<std::uint64_t> left_outside(const Rational& q, std::uint64_t rows) const {
    if (!error) return {};
    const Rational ranks(static_cast<std::int64_t>(*error));
    const Rational n(static_cast<std::int64_t>(rows));
    const Rational others = is_lower ? Rational(1) - target : target;  // the share of records that a miss may reach
    return ((is_lower ? Rational(1) - q : q) * std::min(n, ranks / others)).ceil().to_uint64();
  }

  /// The number of records from which on the quantile is inside the bound; nothing when no number ensures that.
  std::optional<std::uint64_t> inside_from(const Rational& q) const {
    if (!error) return {};
    const Rational room = is_lower ? q - target : target - q;
    if (*error == 0) return 0;
    if (room.sign() <= 0) return {};
    return (Rational(*error) / room).ceil().to_uint64();
  }
};

/// Both bounds that a release has found. Each misses by more than its error with at most half of the failure probability.
struct BothBounds {
  FoundBound lower;
  FoundBound upper;

  BothBounds(const Release& release, const Rational& failure)
      : BothBounds(bounds_query(release.query, release.bounds->cost),
                   bound_candidates(BoundsSearch{release.lattice.step()}).size(),  // or fewer
                   Enclosure::of(failure / Rational(2))) {}

 private:
  BothBounds(const BoundsQuery& drawn, std::uint64_t candidates, const Enclosure& half)
      : lower(true, drawn.lower, candidates, half), upper(false, drawn.upper, candidates, half) {}
};

/// Rank errors within bounds that were found: a bound that leaves a quantile outside adds the records by which it does.
Ranks beyond_found(const Release& release, std::uint64_t rows, Ranks ranks, const Rational& failure) {
  const BothBounds found(release, failure);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    raise(ranks[i], found.lower.left_outside(release.query.quantiles[i], rows));
    raise(ranks[i], found.upper.left_outside(release.query.quantiles[i], rows));
  }
  return ranks;
}

void require_confidence(const Rational& confidence) {
  if (confidence <= Rational(0) || confidence >= Rational(1)) {
    throw Error(ErrorCode::usage, "a confidence lies between 0 and 1", "write for example 0.95", "confidence");
  }
}

std::uint64_t rows_of(const Release& release) {
  return release.public_rows.value_or(release.query.expected_rows.value_or(any_number_of_rows));
}

/// The outcomes of a plan, except those with heaps that weigh less than other heaps.
std::vector<PreliminaryOutcome> worst_outcomes(const QuantilePlan& plan) {
  const auto weight = [&](const PreliminaryOutcome& found) {
    return found.heaps ? found.heaps->size(plan.lattice.size()) : 0;
  };
  const auto stride = [](const PreliminaryOutcome& found) { return found.grid ? found.grid->stride : 0; };
  std::vector<PreliminaryOutcome> worst;
  for (const PreliminaryOutcome& found : plan.outcomes()) {
    const auto alike = std::ranges::find_if(worst, [&](const PreliminaryOutcome& other) {
      return other.rows == found.rows && stride(other) == stride(found) &&
             other.heaps.has_value() == found.heaps.has_value();
    });
    if (alike == worst.end()) {
      worst.push_back(found);
    } else if (weight(*alike) < weight(found)) {
      *alike = found;
    }
  }
  return worst;
}

const detail::Course& course_of(const Release::Group& group) {
  if (!group.course) {
    throw Error(ErrorCode::usage, "a release that does not say how it ran", "take one that this library returned");
  }
  return *group.course;
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
  const OwnEnvironment own;
  require_confidence(confidence);
  const QuantilePlan plan = plan_of(query, lattice);
  const std::uint64_t rows = query.expected_rows.value_or(any_number_of_rows);
  std::string reason = reason_against(plan, rows);
  if (!reason.empty()) return without_bounds(query, confidence, rows, std::move(reason));
  const auto worst_with = [&](const PreliminaryOutcome& found) {
    const Setting setting(plan, rows, found);
    return bounds_of(setting, confidence, [&](const Rational& failure) { return ranks_within(setting, failure); });
  };
  const std::vector<PreliminaryOutcome> outcomes = worst_outcomes(plan);
  WorstCase worst = worst_with(outcomes.front());
  for (std::size_t f = 1; f < outcomes.size(); ++f) {
    checkpoint();
    const WorstCase other = worst_with(outcomes[f]);
    for (std::size_t i = 0; i < worst.ranks.size(); ++i) raise(worst.ranks[i], other.ranks[i]);
    raise(worst.simultaneous_rank, other.simultaneous_rank);
    if (other.rounding) worst.rounding = other.rounding;
    if (worst.unbounded_reason.empty()) worst.unbounded_reason = other.unbounded_reason;
  }
  return worst;
}

namespace {

WorstCase worst_of(const Release& release, const Release::Group& group, const Rational& confidence) {
  if (release.query.quantiles.empty()) return without_bounds(release.query, confidence, rows_of(release), {});
  const detail::Course& course = course_of(group);
  const QuantilePlan& plan = *course.plan;
  const std::uint64_t rows = rows_of(release);
  std::string reason = reason_against(plan, rows);
  if (release.bounds && release.is_grouped()) reason = "the bounds were found among the records of all groups";
  if (!reason.empty()) return without_bounds(release.query, confidence, rows, std::move(reason));
  const Setting setting(plan, rows, course.found);
  return bounds_of(setting, confidence, [&](const Rational& failure) {
    if (!release.bounds) return ranks_within(setting, failure);
    const Rational half = failure / Rational(2);
    return beyond_found(release, rows, ranks_within(setting, half), half);
  });
}

}  // namespace

std::optional<std::uint64_t> records_that_bounds_hold(const Release& release, const Rational& confidence) {
  const OwnEnvironment own;
  require_confidence(confidence);
  if (!release.bounds || release.is_grouped()) return {};
  const BothBounds found(release, Rational(1) - confidence);
  const std::optional<std::uint64_t> lower = found.lower.inside_from(release.query.quantiles.front());
  const std::optional<std::uint64_t> upper = found.upper.inside_from(release.query.quantiles.back());
  return lower && upper ? std::optional(std::max(*lower, *upper)) : std::nullopt;
}

std::vector<WorstCase> worst_cases(const Release& release, const Rational& confidence) {
  const OwnEnvironment own;
  require_confidence(confidence);
  std::vector<std::size_t> first;  // the first groups of each kind of run
  std::vector<WorstCase> worst;
  for (std::size_t g = 0; g < release.groups.size(); ++g) {
    const auto ran_like_this = [&](std::size_t i) { return release.groups[i].used == release.groups[g].used; };
    const auto alike = std::ranges::find_if(first, ran_like_this);
    const bool is_new = alike == first.end();
    worst.push_back(is_new ? worst_of(release, release.groups[g], confidence) : worst[*alike]);
    if (is_new) first.push_back(g);
  }
  return worst;
}

WorstCase worst_case(const Release& release, const Rational& confidence) {
  const OwnEnvironment own;
  require_confidence(confidence);
  return worst_of(release, release.only(), confidence);
}

}  // namespace fractile
