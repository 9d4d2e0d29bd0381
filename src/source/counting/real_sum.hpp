// The exact sum of doubles: whole numbers of 2^-1074, so that no order and no rounding mode decides anything.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fractile::source_detail {

/// For fewer than 2^63 doubles, none of them NaN.
class RealSum {
 public:
  void clear() { *this = {}; }
  void add(double value);
  /// The double nearest to sum / count, the even one of two; an infinity beyond all, and where infinities of one sign were added; NaN where
  /// those of both were. The count is not 0.
  double mean(std::uint64_t count) const;
  /// The same for the sum.
  double rounded() const { return mean(1); }

 private:
  static constexpr std::size_t words = 34;  // 2098 bits of the largest double, 63 of as many of them, and a sign

  void add_at(std::size_t word, std::uint64_t low, std::uint64_t high);
  void take_at(std::size_t word, std::uint64_t low, std::uint64_t high);

  std::array<std::uint64_t, words> sum_{};  // in two's complement, the lowest word first
  bool has_positive_infinity_ = false;
  bool has_negative_infinity_ = false;
};

}  // namespace fractile::source_detail
