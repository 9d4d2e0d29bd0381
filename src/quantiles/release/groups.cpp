#include <algorithm>
#include <limits>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/release/release.hpp"

namespace fractile {
namespace {

/// What is known of (epsilon, delta) is its basic composition: enough for a person who is in one group, once.
void require_composable(const QuantileQuery& query) {
  if (query.budget.measure() != Measure::approximate) return;
  const Words hint{"leave ", Field("delta"), " out, or use ", Field("rho")};
  if (query.neighbors == Neighbors::change_one) {
    throw Error(ErrorCode::usage, "groups under change-one take no delta: a replaced record can be in two groups", hint,
                "delta");
  }
  if (query.records_per_person > 1) {
    throw Error(ErrorCode::usage, "groups take no delta when a person has several records: they can be in many groups",
                hint, "delta");
  }
}

}  // namespace

bool GroupedRelease::ran_alike() const {
  return std::ranges::all_of(releases, [&](const QuantileRelease& r) { return r.used == releases.front().used; });
}

QuantileQuery group_query(const QuantileQuery& query) {
  query.validate();
  require_composable(query);
  QuantileQuery each = query;
  if (query.neighbors == Neighbors::change_one) {
    if (query.records_per_person > std::numeric_limits<std::uint32_t>::max() / 2) {
      throw Error(ErrorCode::usage, "groups under change-one take at most 2147483647 records a person");
    }
    each.neighbors = Neighbors::add_remove;
    each.records_per_person = 2 * query.records_per_person;
  }
  return each;
}

namespace {

/// Within the profiles' own bounds, from a share of the query's budget.
GroupedRelease groups_from(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                           const QuantileQuery& query, Share share, DrawSource& source, const PlanScale& scale) {
  const QuantileQuery each = group_query(query);
  if (keys.size() != profiles.size()) throw Error(ErrorCode::usage, "as many profiles as keys are needed");
  for (const RankProfile& profile : profiles) profile.require_on(profiles.front().lattice());
  GroupedRelease groups{keys, {}};
  groups.releases.reserve(keys.size());
  std::vector<Share> shares = share.for_groups(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    QuantileRelease release =
        release_from(profiles[i], each, std::move(shares[i]), PersonSteps::in_groups(query), source, scale);
    const Budget spent = release.query.budget;
    release.query = query;
    release.query.budget = spent;
    groups.releases.push_back(std::move(release));
  }
  return groups;
}

}  // namespace

GroupedRelease release_with(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                            const ReleaseOptions& options, DrawSource& source, const PlanScale& scale) {
  const QuantileQuery& query = options.query;
  if (!options.bounds) return groups_from(keys, profiles, query, Share::whole(query.budget), source, scale);
  group_query(query);  // refuses before anything is spent
  Share whole = Share::whole(query.budget);
  const FoundBounds found = found_bounds(profiles, query, *options.bounds, whole, source);
  const std::vector<RankProfile> within = clamped(profiles, found.lowest, found.highest);
  GroupedRelease groups = groups_from(keys, within, query, whole.take_rest(), source, scale);
  for (QuantileRelease& release : groups.releases) add_bounds(release, found);
  return groups;
}

GroupedRelease detail::release(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                               const ReleaseOptions& options, RandomBits& bits, Filter filter) {
  RandomSource source(bits, filter);
  GroupedRelease groups = release_with(keys, profiles, options, source);
  for (QuantileRelease& release : groups.releases) release.unsafe_seed = bits.unsafe_seed();
  return groups;
}

GroupedRelease release(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                       const ReleaseOptions& options, RandomBits& bits) {
  return detail::release(keys, profiles, options, bits, {});
}

}  // namespace fractile
