#include "exact/uniform.hpp"

namespace fractile {

uint128 uniform_below(RandomBits& bits, uint128 n) {
  if (n >> 64 == 0) return uniform_below(bits, static_cast<std::uint64_t>(n));
  return uniform_by_product(n, [&] {
    const uint128 high = bits.next64();
    return (high << 64) | bits.next64();
  });
}

}  // namespace fractile
