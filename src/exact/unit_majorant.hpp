// The majorant for scores that all have multiplicity one: straight-line arithmetic without branches. The functions on spans compute
// on vectors of the machine's width. Proof: docs/proofs/selection.md, theorem 5.
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
    const double exponent = to_double(gap) * grid_;  // at most rate log2(e) gap 2^32
    return std::bit_cast<std::uint64_t>(1.0 + exp2_chord(exponent < last ? exponent : last)) + offset;
  }

  /// At least 2^-(exponent 2^-32) / 2, and at most about 1.0615 times that, for exponents from 0 to 1000 * 2^32.
  static double exp2_chord(double exponent) {
    const auto nearest = std::bit_cast<std::uint64_t>(exponent + shift);
    return std::bit_cast<double>(top - (nearest << 20));
  }
  /// Rounds once, in the sum.
  static double to_double(std::uint64_t value) {
    const auto high = std::bit_cast<double>((value >> 32) | high_bits);
    const auto low = std::bit_cast<double>((value & 0xffffffff) | low_bits);
    return (high - both_zero) + low;
  }

  /// At most rate log2(e) 2^32.
  double grid() const { return grid_; }

  // The constants of that arithmetic.
  static constexpr double last = 60 * 0x1p32;
  static constexpr double shift = 0x1p52;  // added to N + f, it leaves N or N + 1 in the low bits
  /// The double of bits top - ((bits(shift) + N) << 20) is half of the chord over 2^-((N - 1) 2^-32).
  static constexpr std::uint64_t top =
      (std::uint64_t{1022} << 52) + (std::uint64_t{1} << 20) + (std::bit_cast<std::uint64_t>(shift) << 20);
  static constexpr std::uint64_t offset = 1 - std::bit_cast<std::uint64_t>(1.0);
  static constexpr std::uint64_t high_bits = 0x4530000000000000;  // a double of these and 32 bits h: 2^84 + h 2^32
  static constexpr std::uint64_t low_bits = 0x4330000000000000;   // 2^52 + h
  static constexpr double both_zero = 0x1.00000001p84;

 private:
  double grid_;
};

/// The least of scores[k] ^ flip.
std::uint64_t least_score(std::span<const std::uint64_t> scores, std::uint64_t flip);

/// The sum of majorant((scores[k] ^ flip) - best), at most 2^11 scores.
std::uint64_t unit_mass(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                        std::uint64_t best);

/// Writes the masses to masses[k], and returns their sum.
std::uint64_t unit_masses(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                          std::uint64_t best, std::uint64_t* masses);

/// The least score and the sum of the masses.
struct UnitRow {
  std::uint64_t best;
  std::uint64_t total;
};

/// Finds the least score and writes the masses, for at most 2^11 scores.
UnitRow unit_row(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                 std::uint64_t* masses);

}  // namespace fractile
