#pragma once

#include <cstdint>
#include <limits>

namespace fractile::testing {

inline constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace fractile::testing
