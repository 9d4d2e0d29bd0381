#include "exact/uniform.hpp"

#include <bit>

namespace fractile {
namespace {

/// 2^b - 1 for the b bits of x.
std::uint64_t mask_of(std::uint64_t x) { return x == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(x); }

}  // namespace

std::uint64_t uniform_below(RandomBits& bits, std::uint64_t n) {
  const std::uint64_t mask = mask_of(n - 1);
  if (mask == 0) return 0;
  for (;;) {
    const std::uint64_t draw = bits.next64() & mask;
    if (draw < n) return draw;
  }
}

uint128 uniform_below(RandomBits& bits, uint128 n) {
  const auto high = static_cast<std::uint64_t>((n - 1) >> 64);
  if (high == 0) return n >> 64 == 0 ? uniform_below(bits, static_cast<std::uint64_t>(n)) : uint128{bits.next64()};
  const std::uint64_t mask = mask_of(high);
  for (;;) {
    const uint128 draw = (uint128{bits.next64() & mask} << 64) | bits.next64();
    if (draw < n) return draw;
  }
}

}  // namespace fractile
