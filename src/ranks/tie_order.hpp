// The order in which tied records fill the parts of their candidate's cell: the i-th record (i = 1, 2, ...) goes to part
// bit-reversed(i mod 2^bits), as in van der Corput's sequence. One more record fills one more part and moves no other record. For
// every e, the first e records are spread evenly. Proof: docs/proofs/approximate_quantiles.md, lemma 2.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace fractile {

class TieOrder {
 public:
  /// A cell of 2^bits parts, bits 0..32.
  explicit TieOrder(int bits) : bits_(bits) {}
  std::uint64_t parts() const { return std::uint64_t{1} << bits_; }

  // `records` is below 2^63 everywhere.

  /// How many of the first `records` lie in part `part`.
  std::uint64_t in_part(std::uint64_t records, std::uint64_t part) const {
    const std::uint64_t index = reversed(part);
    return (records >> bits_) + (index >= 1 && index <= (records & (parts() - 1)) ? 1 : 0);
  }

  /// How many of the first `records` lie in parts below `part`, which is in 0 .. parts().
  std::uint64_t below(std::uint64_t records, std::uint64_t part) const;

  /// The part of the record with this rank in the parts' order, rank in 0 .. records - 1.
  std::uint64_t part_of(std::uint64_t records, std::uint64_t rank) const;

  /// All filled parts are multiples of this.
  std::uint64_t stride(std::uint64_t records) const {
    return parts() >> std::min(bits_, static_cast<int>(std::bit_width(records)));
  }

 private:
  std::uint64_t reversed(std::uint64_t part) const {
    std::uint64_t x = part;
    x = ((x & 0x55555555) << 1) | ((x >> 1) & 0x55555555);
    x = ((x & 0x33333333) << 2) | ((x >> 2) & 0x33333333);
    x = ((x & 0x0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f);
    x = __builtin_bswap32(static_cast<std::uint32_t>(x));
    return x >> (32 - bits_);
  }

  int bits_;
};

}  // namespace fractile
