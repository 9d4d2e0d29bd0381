// The exact sum of doubles, as a whole number of units of 2^-1074: neither the order nor the rounding mode affects it.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fractile::source_detail {

/// For fewer than 2^63 doubles, none of them NaN.
class RealSum {
 public:
  void clear() { *this = {}; }
  void add(double value);
  /// The double nearest to sum / count, with ties to even. An infinity if that is beyond all doubles, or if infinities of one sign
  /// were added; NaN if infinities of both signs were added. The count is not 0.
  double mean(std::uint64_t count) const;
  /// The same for the sum.
  double rounded() const { return mean(1); }

 private:
  static constexpr std::size_t words = 34;  // 2098 bits for the largest double, 63 bits for their number, and a sign

  void add_at(std::size_t word, std::uint64_t low, std::uint64_t high);
  void take_at(std::size_t word, std::uint64_t low, std::uint64_t high);

  std::array<std::uint64_t, words> sum_{};  // in two's complement, the lowest word first
  bool has_positive_infinity_ = false;
  bool has_negative_infinity_ = false;
};

}  // namespace fractile::source_detail
