#include <algorithm>
#include <limits>
#include <span>
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

/// Within the profiles' own bounds, from a share of the query's budget; `counted`: the profiles as they were counted.
Release groups_from(const std::vector<GroupKey>& keys, std::span<const RankProfile> profiles,
                    const std::vector<RankProfile>& counted, const QuantileQuery& query,
                    const std::optional<BesideQuantiles>& beside, Share share, DrawSource& source,
                    const PlanScale& scale) {
  const QuantileQuery each = group_query(query);
  Release release{query, profiles.front().lattice(), {}};
  release.groups.reserve(keys.size());
  std::vector<Share> shares = share.for_groups(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    release.groups.push_back(drawn_from(profiles[i], each, std::move(shares[i]), PersonSteps::in_groups(query), source,
                                        scale, beside ? &*beside : nullptr, &counted[i]));
    release.groups.back().key = keys[i];
  }
  if (beside) release.statistics = beside->terms();
  return release;
}

void require_keys(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles) {
  if (keys.size() != profiles.size()) throw Error(ErrorCode::usage, "as many profiles as keys are needed");
  if (keys.empty()) throw Error(ErrorCode::usage, "no groups", "name a key at least");
  const auto is_blank = [](const GroupKey& key) { return key.empty() || std::ranges::count(key.texts(), "") > 0; };
  if (std::ranges::any_of(keys, is_blank)) throw Error(ErrorCode::usage, "a key is empty", "give it a name");
}

}  // namespace

Release release_with(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                     const ReleaseOptions& options, DrawSource& source, const PlanScale& scale) {
  const QuantileQuery& query = options.query;
  const QuantileQuery each = group_query(query);  // refuses before anything is spent
  require_keys(keys, profiles);
  const std::optional<BesideQuantiles> beside = beside_quantiles(options, each, profiles.front().lattice());
  if (!options.bounds) {
    return groups_from(keys, profiles, profiles, query, beside, Share::whole(query.budget), source, scale);
  }
  Share whole = Share::whole(query.budget);
  const FoundBounds found = found_bounds(profiles, query, *options.bounds, whole, source);
  const std::vector<RankProfile> within = clamped(profiles, found.lowest, found.highest);
  Release release = groups_from(keys, within, profiles, query, beside, whole.take_rest(), source, scale);
  add_bounds(release, found);
  return release;
}

Release detail::release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                        const ReleaseOptions& options, RandomBits& bits, Filter filter) {
  RandomSource source(bits, filter);
  Release release = release_with(keys, profiles, options, source);
  release.unsafe_seed = bits.unsafe_seed();
  return release;
}

}  // namespace fractile
