// Quantiles between those that were selected.
#pragma once

#include <cstdint>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile {

/// The places of all `quantiles` on 0 .. highest, from the places of at least two released ones. Places are linear between two
/// released quantiles; beyond the outermost they have the slope of the last two, up to the end of the range. They are rounded down.
/// Both lists increase, and the results never decrease.
std::vector<std::uint64_t> interpolated(const std::vector<Rational>& quantiles, const std::vector<Rational>& released,
                                        const std::vector<std::uint64_t>& places, std::uint64_t highest);

}  // namespace fractile
