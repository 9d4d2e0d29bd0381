// Sorting positions by their bits: from the highest until the pieces fit a cache, then from the lowest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/large_array.hpp"

namespace fractile {

/// Records a thread, to be placed or sorted: they take it half a millisecond or more, where its start takes 0.05.
inline constexpr std::size_t fewest_to_share = std::size_t{1} << 17;

/// Positions that lie together; the first `used` of `room`.
struct PositionChunk {
  std::span<const Position> positions() const { return {room.data(), used}; }
  LargeArray<Position> room;
  std::size_t used;
};

/// The bits in which positions may differ.
struct VaryingBits {
  void see(std::span<const Position> positions) {
    for (const Position position : positions) {
      any |= position;
      all &= position;
    }
  }
  void see(const VaryingBits& others) {
    any |= others.any;
    all &= others.all;
  }
  Position bits() const { return any & ~all; }

  Position any = 0;             // the bits that some position has
  Position all = ~Position{0};  // the bits that every position has
};

/// All positions of the chunks in increasing order, sorted by at most `threads` threads. The chunks are given back as they are
/// read, and no more than two copies of the positions are there at any time.
std::vector<Position> take_sorted(std::vector<PositionChunk> chunks, const VaryingBits& varying, std::size_t threads);

}  // namespace fractile
