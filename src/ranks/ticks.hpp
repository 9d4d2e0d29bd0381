// ticks_in() of many numbers at once, in a fraction of the time.
#pragma once

#include <cstdint>
#include <span>

#include "fractile/ranks.hpp"

namespace fractile {

/// Writes as many ticks as there are numbers.
void ticks_in(ValueKind lattice, std::span<const std::int64_t> numbers, TimeUnit unit, std::int64_t* ticks);

}  // namespace fractile
