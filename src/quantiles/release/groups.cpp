#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/release/release.hpp"
#include "ranks/large_array.hpp"

namespace fractile {
namespace {

/// For (epsilon, delta), only basic composition is known here; it suffices for a person with one record, in one group.
void require_composable(const QuantileQuery& query) {
  if (query.budget.measure() != Measure::approximate) return;
  const Words hint{"leave ", Field("delta"), " out, or use ", Field("rho")};
  if (query.neighbors == Neighbors::change_one) {
    throw Error(ErrorCode::usage, "groups under change-one take no delta: a replaced record can be in two groups", hint,
                "delta");
  }
  if (query.records_per_person > 1) {
    throw Error(ErrorCode::usage, "groups take no delta when a person has several records, which can be in many groups",
                hint, "delta");
  }
}

}  // namespace

QuantileQuery group_query(const QuantileQuery& query) {
  query.quantiles.empty() ? require_statistics_alone(query) : query.validate();
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

/// Calls draw(worker, i, source) for each group, on several threads where the source can be split: always at the same places, so a
/// reproducible release is the same for any number of threads. Workers are numbered below `threads`.
void draw_groups(std::size_t groups, DrawSource& source, std::size_t threads,
                 const std::function<void(std::size_t, std::size_t, DrawSource&)>& draw) {
  constexpr std::size_t most_pieces = 256;  // each of few groups, so that threads that finish early take further pieces
  constexpr std::size_t largest_piece = 64;
  const std::size_t size = std::clamp<std::size_t>(groups / most_pieces, 1, largest_piece);
  const std::size_t pieces = (groups + size - 1) / size;
  const std::vector<std::unique_ptr<DrawSource>> sources = source.split(pieces);
  if (sources.empty()) {
    for (std::size_t i = 0; i < groups; ++i) draw(0, i, source);
    return;
  }
  share_among_workers(threads, pieces, [&](std::size_t worker, std::size_t piece) {
    for (std::size_t i = piece * size; i < std::min(groups, (piece + 1) * size); ++i) draw(worker, i, *sources[piece]);
  });
}

/// Releases groups within the bounds of their profiles, from a share of the query's budget. `counted`: the profiles as they were
/// counted.
Release groups_from(const std::vector<GroupKey>& keys, std::span<const RankProfile> profiles,
                    const std::vector<RankProfile>& counted, const std::optional<BesideQuantiles>& beside, Share share,
                    DrawSource& source, const ReleaseOptions& options, const AutoPolicy& policy) {
  const std::size_t threads = std::clamp<std::size_t>(options.threads, 1, keys.size());
  const QuantileQuery& query = options.query;
  const QuantileQuery each = group_query(query);
  Release release{query, profiles.front().lattice(), {}};
  release.groups.reserve(keys.size());
  prefer_large_pages(release.groups.data(), keys.size() * sizeof(Release::Group));
  touch(release.groups.data(), keys.size() * sizeof(Release::Group), threads);
  release.groups.resize(keys.size());
  GroupShares shares = share.for_groups(keys.size());
  std::vector<ReleaseSampler> samplers(threads, ReleaseSampler(each, PersonSteps::in_groups(query), policy,
                                                               beside ? &*beside : nullptr, origin_of_bounds(options)));
  draw_groups(keys.size(), source, threads, [&](std::size_t worker, std::size_t i, DrawSource& own) {
    release.groups[i] = samplers[worker].sample(profiles[i], shares.take(), own, &counted[i]);
    release.groups[i].key = keys[i];
  });
  if (beside) release.statistics = beside->terms();
  return release;
}

void require_keys(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles) {
  if (keys.size() != profiles.size()) throw Error(ErrorCode::usage, "there must be as many profiles as keys");
  if (keys.empty()) throw Error(ErrorCode::usage, "no groups", "name at least one key");
  const auto is_blank = [](const GroupKey& key) { return key.empty() || std::ranges::count(key.texts(), "") > 0; };
  if (std::ranges::any_of(keys, is_blank)) throw Error(ErrorCode::usage, "a key is empty", "give it a name");
}

}  // namespace

Release release_with(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                     const ReleaseOptions& options, DrawSource& source, const AutoPolicy& policy) {
  const QuantileQuery& query = options.query;
  const QuantileQuery each = group_query(query);  // refuses before anything is spent
  require_keys(keys, profiles);
  const std::optional<BesideQuantiles> beside = beside_quantiles(options, each, profiles.front().lattice());
  if (!options.bounds) {
    return groups_from(keys, profiles, profiles, beside, Share::whole(query.budget), source, options, policy);
  }
  Share whole = Share::whole(query.budget);
  const FoundBounds found = found_bounds(profiles, query, *options.bounds, whole, source);
  const std::vector<RankProfile> within = clamped(profiles, found.lowest, found.highest);
  Release release = groups_from(keys, within, profiles, beside, whole.take_rest(), source, options, policy);
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
