// The majorant for scores with lengths (multiplicities): runs of members that share one score. Straight-line arithmetic in doubles;
// the functions on spans compute on vectors of the machine's width. Proof: docs/proofs/selection.md, theorem 7.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "exact/unit_majorant.hpp"

namespace fractile {

class RunMajorant {
 public:
  /// `bits_per_unit` is a certified lower bound of rate * log2(e), at most 2^900. Call fit() before operator().
  explicit RunMajorant(double bits_per_unit) : grid_(UnitMajorant(bits_per_unit).grid()) {}

  /// At least length * exp(-rate * gap) / 2, and at most 1.0615 times that while rate * gap < 690; 0 for no members. Lengths are
  /// below 2^63.
  double weight(std::uint64_t gap, std::uint64_t length) const {
    const double exponent = UnitMajorant::to_double(gap) * grid_;
    return UnitMajorant::exp2_chord(exponent < last ? exponent : last) * UnitMajorant::to_double(length);
  }

  /// Scales masses such that the greatest is between 2^44 and 2^45. `largest` is the greatest weight, at least 1/2.
  void fit(double largest) {
    constexpr int bias = 1023;  // of a double's exponent, which stands above 52 bits
    exponent_ = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52) - bias;
    scale_ = std::bit_cast<double>(static_cast<std::uint64_t>(bias + largest_bits - exponent_) << 52);
  }

  /// W >= 2^unit_bits() length * exp(-rate * gap), at most 1.0615 times that plus 3 (while rate * gap < 690) and at most 2^46; 0
  /// for no members.
  std::uint64_t operator()(std::uint64_t gap, std::uint64_t length) const {
    const double scaled = weight(gap, length) * scale_;
    const double clamped = scaled < most ? scaled : most;
    return length == 0 ? 0 : std::bit_cast<std::uint64_t>(clamped + to_wholes) + offset;
  }
  /// The exact acceptance probability of W is 2^unit_bits length * exp(-rate * gap) / W; unit_bits is from -20 to 44.
  int unit_bits() const { return largest_bits - 1 - exponent_; }

  // The terms and constants of that arithmetic.
  double grid() const { return grid_; }
  double scale() const { return scale_; }
  static constexpr double last = 1000 * 0x1p32;
  static constexpr int largest_bits = 44;
  /// Above every scaled weight. A product passes through the minimum with this before anything is added to it, so no compiler can
  /// contract product and sum into one fused operation, which would round differently.
  static constexpr double most = 0x1p46;
  /// Added to a number of [0, 2^52), it leaves a whole number in the low bits.
  static constexpr double to_wholes = 0x1p52;
  static constexpr std::uint64_t offset = 2 - std::bit_cast<std::uint64_t>(to_wholes);

 private:
  double grid_;
  double scale_ = 0;
  int exponent_ = 0;
};

/// Runs of lengths[k] members whose score is scores[k] ^ flip: as many lengths as scores.
struct RunSpan {
  std::span<const std::uint64_t> scores;
  std::span<const std::uint64_t> lengths;
  std::uint64_t flip;
};

/// The least score of a run that has members; 2^64 - 1 when none has.
std::uint64_t least_score(const RunSpan& runs);

/// The greatest weight of a run, with gaps measured from `best`.
double largest_weight(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best);

/// The sum of the masses, of at most 2^16 runs.
std::uint64_t run_mass(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best);

/// Writes the masses to masses[k], and returns their sum.
std::uint64_t run_masses(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best, std::uint64_t* masses);

}  // namespace fractile
