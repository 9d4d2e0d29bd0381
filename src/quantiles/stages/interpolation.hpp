// Quantiles between those that were selected.
#pragma once

#include <cstdint>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile {

/// The places of all `quantiles` from those of the released ones, at least two, on 0 .. highest: linearly between two, and beyond the
/// outermost with the slope of the last two, as far as the range goes; rounded down. Both lists increase, and so do the results.
std::vector<std::uint64_t> interpolated(const std::vector<Rational>& quantiles, const std::vector<Rational>& released,
                                        const std::vector<std::uint64_t>& places, std::uint64_t highest);

}  // namespace fractile
