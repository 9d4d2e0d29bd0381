// How many units of weight records are, as far as is publicly known.
#pragma once

#include <cstdint>

#include "fractile/ranks.hpp"

namespace fractile {

/// About how many units this many records are, by their mean weight. Throws `usage` where that is not said.
std::uint64_t expected_units(const RecordWeights& weights, std::uint64_t records);

}  // namespace fractile
