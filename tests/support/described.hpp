// Releases with the source that their publisher would state.
#pragma once

#include <string>
#include <utility>

#include "fractile/release.hpp"

namespace fractile::testing {

inline Release described(Release release, SourceDescription source) {
  release.source = std::move(source);
  return release;
}

/// The described release as a single group with this key.
inline Release under_key(Release release, const std::string& key, SourceDescription source) {
  release.groups.front().key = key;
  return described(std::move(release), std::move(source));
}

}  // namespace fractile::testing
