#include "quantiles/private_bounds.hpp"

#include <algorithm>

#include "fractile/error.hpp"
#include "quantiles/plan.hpp"

namespace fractile {
namespace {

void require_doublings(int doublings) {
  if (doublings < 1 || doublings > 60) throw Error(ErrorCode::usage, "bounds are found among 1 to 60 doublings");
}

/// The candidate that is the value 0.
std::uint64_t zero_of(const BoundsSearch& search) { return std::uint64_t{1} << search.doublings; }

}  // namespace

Lattice BoundsSearch::lattice() const {
  require_doublings(doublings);
  const Rational widest = step * Rational::dyadic(1, doublings);
  return Lattice::regular(-widest, widest, step);
}

BoundsSearch BoundsSearch::widest(const Rational& step, const QuantileQuery& query) {
  BoundsSearch search{step};
  while ((std::uint64_t{2} << search.doublings) >= largest_lattice(query)) --search.doublings;
  return search;
}

std::vector<std::uint64_t> bound_candidates(const BoundsSearch& search) {
  require_doublings(search.doublings);
  const std::uint64_t zero = zero_of(search);
  std::vector<std::uint64_t> bounds;
  for (int k = search.doublings; k >= 0; --k) bounds.push_back(zero - (std::uint64_t{1} << k));
  bounds.push_back(zero);
  for (int k = 0; k <= search.doublings; ++k) bounds.push_back(zero + (std::uint64_t{1} << k));
  return bounds;
}

RankProfile on_bounds(const RankProfile& profile, const std::vector<std::uint64_t>& bounds, Rounding rounding) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const std::uint64_t candidate = profile.position(k) / 2;
    const bool up = rounding == Rounding::up;
    const auto at = up ? std::ranges::lower_bound(bounds, candidate) : std::ranges::upper_bound(bounds, candidate);
    const auto passed = static_cast<std::size_t>(at - bounds.begin());
    const std::size_t place = up ? std::min(passed, bounds.size() - 1) : std::max<std::size_t>(passed, 1) - 1;
    const Position position = 2 * place + 1;
    if (positions.empty() || positions.back() != position) {
      positions.push_back(position);
      counts.push_back(0);
    }
    counts.back() += profile.count(k);
  }
  return {bounds.size(), std::move(positions), counts};
}

BudgetParts parted(const Budget& budget, const Rational& share) {
  const bool has_delta = budget.measure() == Measure::approximate;  // which is left to the rest
  return {has_delta ? Budget::pure(budget.epsilon() * share) : budget.scaled(share),
          budget.scaled(Rational(1) - share)};
}

BoundsQuery bounds_query(const QuantileQuery& query, const Rational& share) {
  constexpr std::int64_t parts = 1024;
  const auto half = [](const Rational& tail) { return (tail * Rational(parts / 2)).floor() / Rational(parts); };
  const Rational lower = half(query.quantiles.front());
  const Rational upper = Rational(1) - half(Rational(1) - query.quantiles.back());
  const Exponent range = independent_range({{lower, upper}, parted(query.budget, share).bounds});
  return {{{lower}, range, query.neighbors, query.records_per_person},
          {{upper}, range, query.neighbors, query.records_per_person}};
}

namespace {

/// Bounds that were found, and what is left to be done within them.
struct Found {
  std::uint64_t lowest;
  std::uint64_t highest;
  Lattice lattice;
  QuantileQuery rest;
};

/// All records of some profiles on the bounds.
RankProfile all_on_bounds(const std::vector<RankProfile>& profiles, const std::vector<std::uint64_t>& bounds,
                          Rounding rounding) {
  RankProfile all(bounds.size(), {}, {});
  for (const RankProfile& profile : profiles) all = RankProfile::merge(all, on_bounds(profile, bounds, rounding));
  return all;
}

Found found_bounds(const std::vector<RankProfile>& profiles, const BoundsSearch& search, const QuantileQuery& query,
                   const Rational& share, RandomBits& bits, Filter filter) {
  const Lattice widest = search.lattice();
  query.validate(widest);
  if (share <= Rational(0) || share >= Rational(1)) {
    throw Error(ErrorCode::usage, "the bounds' share of the budget is not between 0 and 1", "write for example 0.1");
  }
  for (const RankProfile& profile : profiles) {
    if (profile.candidates() != widest.size()) {
      throw Error(ErrorCode::usage, "the profile was counted on another lattice");
    }
  }
  const std::vector<std::uint64_t> candidates = bound_candidates(search);
  const BoundsQuery bounds = bounds_query(query, share);
  const auto selected = [&](const IndependentQuantiles& end, Rounding rounding) {
    return candidates[sample_independent(all_on_bounds(profiles, candidates, rounding), end, bits, filter).front()];
  };
  const auto [lowest, highest] =
      std::minmax({selected(bounds.lower, Rounding::down), selected(bounds.upper, Rounding::up)});
  QuantileQuery rest = query;
  rest.budget = parted(query.budget, share).rest;
  return {lowest, highest, Lattice::regular(widest.at(lowest), widest.at(highest), search.step), std::move(rest)};
}

PrivateBounds paid_for(const QuantileQuery& query, const Rational& share) {
  return {query.budget, share, parted(query.budget, share).bounds};
}

}  // namespace

QuantileRelease release_with_private_bounds(const RankProfile& profile, const BoundsSearch& search,
                                            const QuantileQuery& query, const Rational& share, RandomBits& bits,
                                            Filter filter) {
  const Found found = found_bounds({profile}, search, query, share, bits, filter);
  QuantileRelease release =
      release_quantiles(clamped(profile, found.lowest, found.highest), found.lattice, found.rest, bits, filter);
  release.bounds = paid_for(query, share);
  return release;
}

GroupedRelease release_groups_with_private_bounds(const std::vector<std::string>& keys,
                                                  const std::vector<RankProfile>& profiles, const BoundsSearch& search,
                                                  const QuantileQuery& query, const Rational& share, RandomBits& bits,
                                                  Filter filter) {
  group_query(query);  // refuses before anything is spent
  const Found found = found_bounds(profiles, search, query, share, bits, filter);
  std::vector<RankProfile> within;
  within.reserve(profiles.size());
  for (const RankProfile& profile : profiles) within.push_back(clamped(profile, found.lowest, found.highest));
  GroupedRelease groups = release_groups(keys, within, found.lattice, found.rest, bits, filter);
  for (QuantileRelease& release : groups.releases) release.bounds = paid_for(query, share);
  return groups;
}

}  // namespace fractile
