// Sorting numbers, such as positions, by their bits: from the highest until the pieces fit a cache, then from the lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/large_array.hpp"

namespace fractile {

/// The fewest records for which another thread is started: placing or sorting them takes half a millisecond or more, starting the
/// thread 0.05.
inline constexpr std::size_t fewest_to_share = std::size_t{1} << 17;

/// Numbers in one piece of memory: the first `used` of `room`.
template <class Number>
struct NumberChunk {
  std::span<const Number> numbers() const { return {room.data(), used}; }
  LargeArray<Number> room;
  std::size_t used;
};

/// The bits in which numbers may differ.
template <class Number>
struct VaryingBits {
  void see(std::span<const Number> numbers) {
    for (const Number number : numbers) {
      any |= number;
      all &= number;
    }
  }
  void see(const VaryingBits& others) {
    any |= others.any;
    all &= others.all;
  }
  Number bits() const { return any & ~all; }

  Number any = 0;                                // the bits that some number has
  Number all = static_cast<Number>(~Number{0});  // the bits that every number has
};

/// All numbers of the chunks in increasing order, sorted by at most `threads` threads, with room for `spare` more. Chunks are freed as
/// they are read, so there are never more than two copies of the numbers.
template <class Number>
LargeArray<Number> take_sorted(std::vector<NumberChunk<Number>> chunks, const VaryingBits<Number>& varying,
                               std::size_t threads, std::size_t spare = 0);

extern template LargeArray<std::uint32_t> take_sorted(std::vector<NumberChunk<std::uint32_t>>,
                                                      const VaryingBits<std::uint32_t>&, std::size_t, std::size_t);
extern template LargeArray<std::uint64_t> take_sorted(std::vector<NumberChunk<std::uint64_t>>,
                                                      const VaryingBits<std::uint64_t>&, std::size_t, std::size_t);

}  // namespace fractile
