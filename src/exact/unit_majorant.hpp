// The majorant for scores that all have multiplicity one: straight-line arithmetic without branches, which compilers turn
// into vector instructions of any width. Proof: docs/proofs/selection.md, theorem 5.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "fractile/exact.hpp"

namespace fractile {

class UnitMajorant {
 public:
  /// W >= 2^51 exp(-rate * gap); the exact acceptance probability of W is 2^unit_bits exp(-rate * gap) / W.
  static constexpr int unit_bits = 51;

  /// `bits_per_unit` is a certified lower bound of rate * log2(e), at most 2^900.
  explicit UnitMajorant(double bits_per_unit) : grid_(bits_per_unit * 0x1p32 * (1 - 0x1p-46)) {}

  /// An integer from 1 to 2^52, at most about 1.0615 * 2^51 exp(-rate * gap) + 2.
  std::uint64_t operator()(std::uint64_t gap) const {
    constexpr double shift = 0x1p52;
    const double exponent = to_double(gap) * grid_;  // at most rate log2(e) gap 2^32
    const double clamped = exponent < last ? exponent : last;
    const std::uint64_t nearest = std::bit_cast<std::uint64_t>(clamped + shift) - std::bit_cast<std::uint64_t>(shift);
    // A double of bits 1022 * 2^52 - (nearest - 1) * 2^20 is the chord over 2^-(nearest - 1) 2^-32 / 2.
    const auto chord = std::bit_cast<double>((std::uint64_t{1022} << 52) - (nearest << 20) + (std::uint64_t{1} << 20));
    return std::bit_cast<std::uint64_t>(1.0 + chord) - std::bit_cast<std::uint64_t>(1.0) + 1;
  }

 private:
  static constexpr double last = 60 * 0x1p32;

  /// One rounding: the high half lies at 2^84 and up, the low half at 2^52 and up, both exactly.
  static double to_double(std::uint64_t value) {
    const auto high = std::bit_cast<double>((value >> 32) | 0x4530000000000000);
    const auto low = std::bit_cast<double>((value & 0xffffffff) | 0x4330000000000000);
    return (high - 0x1.00000001p84) + low;
  }

  double grid_;
};

/// The least of scores[k] ^ flip.
std::uint64_t least_score(std::span<const std::uint64_t> scores, std::uint64_t flip);

/// The sum of majorant((scores[k] ^ flip) - best), at most 2^11 scores.
std::uint64_t unit_mass(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                        std::uint64_t best);

/// Each of them, majorant((scores[k] ^ flip) - best), to masses[k].
void unit_masses(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                 std::uint64_t best, std::uint64_t* masses);

}  // namespace fractile
