// Records of a fine lattice: the position of each, to be sorted by digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/large_array.hpp"

namespace fractile {

class PositionList {
 public:
  /// Room for at least one position behind those that are there.
  std::span<Position> room();
  /// The first ones of room() have been written.
  void keep(std::size_t written);

  /// All positions in increasing order; the list is empty afterwards.
  std::vector<Position> take_sorted();

 private:
  struct Chunk {
    std::span<const Position> positions() const { return {room.data(), used}; }
    LargeArray<Position> room;
    std::size_t used;
  };
  struct Digits;
  class Places;
  std::vector<Places> counted(const Digits& digits) const;
  void move_chunks(Position* to, const Digits& digits, Places& places);
  std::vector<Position> sorted_by(const Digits& digits);

  std::vector<Chunk> chunks_;  // all but the last are full
  std::size_t size_ = 0;
  Position any_ = 0;             // the bits that some position has
  Position all_ = ~Position{0};  // the bits that every position has
};

}  // namespace fractile
