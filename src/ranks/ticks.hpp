// ticks_in() of many numbers at once, which takes a fraction of the time.
#pragma once

#include <cstdint>
#include <span>

#include "fractile/ranks.hpp"

namespace fractile {

/// As many ticks as numbers.
void ticks_in(ValueKind lattice, std::span<const std::int64_t> numbers, TimeUnit unit, std::int64_t* ticks);

}  // namespace fractile
