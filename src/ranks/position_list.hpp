// Records of a fine lattice: the position of each, to be sorted.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/position_sort.hpp"

namespace fractile {

class PositionList {
 public:
  /// Room for at least one position behind those that are there.
  std::span<Position> room();
  /// The first ones of room() have been written.
  void keep(std::size_t written);
  /// All that `other` has, which is empty afterwards.
  void take(PositionList& other);

  /// All positions in increasing order, sorted by at most `threads` threads; the list is empty afterwards.
  std::vector<Position> take_sorted(std::size_t threads);

 private:
  std::vector<PositionChunk> chunks_;
  VaryingBits varying_;
};

}  // namespace fractile
