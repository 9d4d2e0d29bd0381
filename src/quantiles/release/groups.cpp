#include <algorithm>
#include <limits>
#include <utility>

#include "fractile/error.hpp"
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

GroupedRelease release_groups_with(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                                   const QuantileQuery& query, Share share, DrawSource& source,
                                   const PlanScale& scale) {
  const QuantileQuery each = group_query(query);
  if (keys.size() != profiles.size()) throw Error(ErrorCode::usage, "as many profiles as keys are needed");
  for (const RankProfile& profile : profiles) profile.require_on(profiles.front().lattice());
  GroupedRelease groups{keys, {}};
  groups.releases.reserve(keys.size());
  std::vector<Share> shares = share.for_groups(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    QuantileRelease release =
        release_with(profiles[i], each, std::move(shares[i]), PersonSteps::in_groups(query), source, scale);
    const Budget spent = release.query.budget;
    release.query = query;
    release.query.budget = spent;
    groups.releases.push_back(std::move(release));
  }
  return groups;
}

GroupedRelease release_groups(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                              const QuantileQuery& query, RandomBits& bits, Filter filter) {
  RandomSource source(bits, filter);
  GroupedRelease groups = release_groups_with(keys, profiles, query, Share::whole(query.budget), source);
  for (QuantileRelease& release : groups.releases) release.unsafe_seed = bits.unsafe_seed();
  return groups;
}

}  // namespace fractile
