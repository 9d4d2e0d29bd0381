#include "ranks/tie_order.hpp"

namespace fractile {
namespace {

/// #{1 <= i <= records: i = residue mod 2^bits}, residue < 2^bits.
std::uint64_t congruent(std::uint64_t records, std::uint64_t residue, int bits) {
  const std::uint64_t from_zero = (records + ((std::uint64_t{1} << bits) - residue)) >> bits;
  return from_zero - (residue == 0 ? 1 : 0);
}

}  // namespace

// A part is below `part` if it has the same bits from the top down to some bit that is 1 in `part` and 0 in it. For each such bit,
// the mirrored bits are the low bits of the indices i, so these i are congruent.
std::uint64_t TieOrder::below(std::uint64_t records, std::uint64_t part) const {
  if (part >= parts()) return records;
  if (records == 1) return part > parts() / 2 ? 1 : 0;
  std::uint64_t count = 0;
  std::uint64_t residue = 0;
  for (std::uint64_t ones = reversed(part); ones != 0 && residue <= records; ones &= ones - 1) {
    const std::uint64_t one = ones & -ones;
    count += congruent(records, residue, std::countr_zero(one) + 1);
    residue |= one;
  }
  return count;
}

// The bits of the part, from the top. Once a single record has the bits so far, its index is their mirror image, or, where they are
// all 0, the least number with these low bits that an index may be.
std::uint64_t TieOrder::part_of(std::uint64_t records, std::uint64_t rank) const {
  std::uint64_t part = 0;
  std::uint64_t residue = 0;
  std::uint64_t alike = records;
  for (int known = 0; known < bits_; ++known) {
    if (alike == 1) return reversed(residue != 0 ? residue : std::uint64_t{1} << known);
    const std::uint64_t left = congruent(records, residue, known + 1);
    const bool is_right = rank >= left;
    rank -= is_right ? left : 0;
    alike = is_right ? alike - left : left;
    part = (part << 1) | (is_right ? 1 : 0);
    residue |= static_cast<std::uint64_t>(is_right ? 1 : 0) << known;
  }
  return part;
}

}  // namespace fractile
