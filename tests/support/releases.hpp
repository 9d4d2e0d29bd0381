// Releases of profiles that were not counted. In tests of mechanisms, only the query says how many records a person has.
#pragma once

#include <string>
#include <vector>

#include "fractile/release.hpp"

namespace fractile {

inline Release release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits) {
  return release(CountedColumn(profile, options.query.records_per_person), options, bits);
}

inline Release release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                       const ReleaseOptions& options, RandomBits& bits) {
  return release(CountedColumn(keys, profiles, options.query.records_per_person), options, bits);
}

}  // namespace fractile
