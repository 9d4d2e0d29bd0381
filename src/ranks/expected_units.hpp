// The number of units of weight that records are expected to have, from public knowledge.
#pragma once

#include <cstdint>

#include "fractile/ranks.hpp"

namespace fractile {

/// About how many units this many records have, by their mean weight. Throws `usage` when no mean weight is given.
std::uint64_t expected_units(const RecordWeights& weights, std::uint64_t records);

}  // namespace fractile
