#include "quantiles/release/private_bounds.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/stages/plan.hpp"
#include "ranks/profile_parts.hpp"

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

namespace {

/// `numbers`: the lattice of the bounds' numbers.
RankProfile on_bounds(const RankProfile& profile, const std::vector<std::uint64_t>& bounds, Rounding rounding,
                      const Lattice& numbers) {
  CollectedCounts records;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const std::uint64_t candidate = profile.position(k) / 2;
    const bool up = rounding == Rounding::up;
    const auto at = up ? std::ranges::lower_bound(bounds, candidate) : std::ranges::upper_bound(bounds, candidate);
    const auto passed = static_cast<std::size_t>(at - bounds.begin());
    const std::size_t place = up ? std::min(passed, bounds.size() - 1) : std::max<std::size_t>(passed, 1) - 1;
    records.add(2 * place + 1, profile.count(k));
  }
  return std::move(records).on(numbers);
}

}  // namespace

RankProfile on_bounds(std::span<const RankProfile> profiles, const std::vector<std::uint64_t>& bounds,
                      Rounding rounding) {
  const Lattice numbers = Lattice::numbers(bounds.size());
  RankProfile all(numbers, {}, {});
  for (const RankProfile& profile : profiles) {
    all = RankProfile::merge(all, on_bounds(profile, bounds, rounding, numbers));
  }
  return all;
}

BoundsQuery bounds_query(const QuantileQuery& query, const Budget& budget) {
  constexpr std::int64_t parts = 1024;
  const auto half = [](const Rational& tail) { return (tail * Rational(parts / 2)).floor() / Rational(parts); };
  const Rational lower = half(query.quantiles.front());
  const Rational upper = Rational(1) - half(Rational(1) - query.quantiles.back());
  const Exponent range = independent_range({{lower, upper}, budget});
  return {IndependentQuantiles{{lower}, range, query.neighbors, query.records_per_person},
          IndependentQuantiles{{upper}, range, query.neighbors, query.records_per_person}};
}

namespace {

void require_findable(std::span<const RankProfile> profiles, const Lattice& widest, const QuantileQuery& query,
                      const Rational& fraction) {
  query.validate(widest);
  if (fraction <= Rational(0) || fraction >= Rational(1)) {
    throw Error(ErrorCode::usage, "the bounds' share of the budget is not between 0 and 1", "write for example 0.1");
  }
  for (const RankProfile& profile : profiles) profile.require_on(widest);
}

}  // namespace

FoundBounds found_bounds(std::span<const RankProfile> profiles, const QuantileQuery& query, const BoundsToFind& wanted,
                         Share& whole, DrawSource& source) {
  const auto& [search, fraction] = wanted;
  require_findable(profiles, search.lattice(), query, fraction);
  Share share = whole.take(fraction);
  const Budget cost = share.amount();
  Odometer odometer(cost, PersonSteps::in_table(query));
  PaidPart part = Draws(source, odometer).begin("bounds", std::move(share));
  const std::vector<std::uint64_t> candidates = bound_candidates(search);
  const BoundsQuery bounds = bounds_query(query, cost);
  const auto selected = [&](const IndependentQuantiles& end, Rounding rounding) {
    return candidates[sample_independent(on_bounds(profiles, candidates, rounding), end, part).front()];
  };
  const std::uint64_t lower = selected(bounds.lower, Rounding::down);
  const std::uint64_t upper = selected(bounds.upper, Rounding::up);
  const auto [lowest, highest] = std::minmax(lower, upper);
  return {lowest, highest, PrivateBounds{fraction, cost}, odometer.spent()};
}

void add_bounds(Release& release, const FoundBounds& found) {
  release.bounds = found.bounds;
  for (Release::Group& group : release.groups) {
    group.spent.insert(group.spent.begin(), found.spent.begin(), found.spent.end());
  }
}

}  // namespace fractile
