// Division of 64-bit numbers by a divisor that is known beforehand: two multiplications in place of a division.
#pragma once

#include <cstdint>

#include "exact/uniform.hpp"

namespace fractile {

/// A divisor d of 2 or more. With m = (2^128 + e)/d and 0 <= e < d, n m / 2^128 = n/d + n e / (d 2^128). The last term is less than
/// 1/d, so n m / 2^128 and n/d have the same whole part.
class Divisor {
 public:
  explicit Divisor(std::uint64_t divisor) : inverse_(~uint128{0} / divisor + 1) {}

  /// floor(number / d)
  std::uint64_t into(std::uint64_t number) const {
    const uint128 low = uint128{number} * static_cast<std::uint64_t>(inverse_);
    const uint128 high = uint128{number} * static_cast<std::uint64_t>(inverse_ >> 64);
    return static_cast<std::uint64_t>((high + (low >> 64)) >> 64);
  }

 private:
  uint128 inverse_;
};

}  // namespace fractile
