// Integers of 128 bits: products of two words.
#pragma once

namespace fractile {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

}  // namespace fractile
