// Division of 64-bit numbers by a divisor that is known beforehand: one or two multiplications in place of a division.
#pragma once

#include <bit>
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

/// Whether numbers are multiples of a divisor d of 1 or more. Let d = 2^s o, where o is odd, let o' be the inverse of o modulo 2^64, and M
/// the greatest multiple's quotient, floor((2^64 - 1) / d). The map from n to n o' mod 2^64, rotated right by s bits, is one to one. It maps
/// d q to q, for q = 0 .. M. So it maps exactly the multiples of d to 0 .. M.
class Divisibility {
 public:
  explicit Divisibility(std::uint64_t divisor) : twos_(std::countr_zero(divisor)), most_(~std::uint64_t{0} / divisor) {
    const std::uint64_t odd = divisor >> twos_;
    inverse_ = odd;  // modulo 8; each step doubles the number of bits that are right
    for (int bits = 3; bits < 64; bits *= 2) inverse_ *= 2 - odd * inverse_;
  }

  /// Whether d divides the number.
  bool of(std::uint64_t number) const { return std::rotr(number * inverse_, twos_) <= most_; }

 private:
  int twos_;
  std::uint64_t most_;
  std::uint64_t inverse_;
};

}  // namespace fractile
