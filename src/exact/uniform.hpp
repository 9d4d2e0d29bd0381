// Exactly uniform integers from uniform bits. Proof: docs/proofs/uniform.md
#pragma once

#include <cstdint>

#include "fractile/random.hpp"

namespace fractile {

__extension__ using uint128 = unsigned __int128;

/// Uniform on 0 .. n-1, n >= 1, by rejection under the smallest covering bit mask; fewer than two draws expected.
std::uint64_t uniform_below(RandomBits& bits, std::uint64_t n);
uint128 uniform_below(RandomBits& bits, uint128 n);

}  // namespace fractile
