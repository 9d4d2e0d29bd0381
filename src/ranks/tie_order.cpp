#include "ranks/tie_order.hpp"

namespace fractile {
namespace {

/// #{1 <= i <= records: i = residue mod 2^bits}, residue < 2^bits.
std::uint64_t congruent(std::uint64_t records, std::uint64_t residue, int bits) {
  if (residue == 0) return records >> bits;
  return records < residue ? 0 : ((records - residue) >> bits) + 1;
}

}  // namespace

// A part is below `part` if it has the same bits from the top down to some bit that is 1 in `part` and 0 in it. For each such bit,
// the mirrored bits are the low bits of the indices i, so these i are congruent.
std::uint64_t TieOrder::below(std::uint64_t records, std::uint64_t part) const {
  if (part >= parts()) return records;
  if (records == 1) return part > parts() / 2 ? 1 : 0;
  std::uint64_t count = 0;
  std::uint64_t residue = 0;
  for (int known = 0; known < bits_; ++known) {
    if (((part >> (bits_ - 1 - known)) & 1) == 0) continue;
    count += congruent(records, residue, known + 1);
    residue |= std::uint64_t{1} << known;
  }
  return count;
}

std::uint64_t TieOrder::part_of(std::uint64_t records, std::uint64_t rank) const {
  if (records == 1) return parts() / 2;
  std::uint64_t part = 0;
  std::uint64_t residue = 0;
  for (int known = 0; known < bits_; ++known) {
    const std::uint64_t left = congruent(records, residue, known + 1);
    part <<= 1;
    if (rank < left) continue;
    rank -= left;
    part |= 1;
    residue |= std::uint64_t{1} << known;
  }
  return part;
}

}  // namespace fractile
