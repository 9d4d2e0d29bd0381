// Counts of records by key and position, for many keys at once: memory grows with the distinct pairs, not with keys times
// candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/persons.hpp"

namespace fractile::source_detail {

class KeyedCounts {
 public:
  void add(const KeyedRecord& record) {
    cells_.push_back({record, 1});
    if (cells_.size() >= limit_) compact();
  }
  /// The profile of each of the keys 0 .. keys - 1; nothing is left here.
  std::vector<RankProfile> finish(std::size_t keys, std::uint64_t candidates);

 private:
  struct Cell {
    KeyedRecord at;
    std::uint64_t count;
  };
  static constexpr std::size_t fewest = std::size_t{1} << 16;

  /// Sorts the cells and adds up those of one key and position.
  void compact();

  std::vector<Cell> cells_;
  std::size_t limit_ = fewest;
};

}  // namespace fractile::source_detail
