#include "source/keyed_counts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fractile::source_detail {

void KeyedCounts::compact() {
  const auto before = [](const Cell& a, const Cell& b) {
    return std::tie(a.at.key, a.at.position) < std::tie(b.at.key, b.at.position);
  };
  std::sort(cells_.begin(), cells_.end(), before);
  std::size_t size = 0;
  for (const Cell& cell : cells_) {
    if (size > 0 && cells_[size - 1].at == cell.at) {
      cells_[size - 1].count += cell.count;
    } else {
      cells_[size++] = cell;
    }
  }
  cells_.resize(size);
  limit_ = std::max(fewest, 2 * size);
}

std::vector<RankProfile> KeyedCounts::finish(std::size_t keys, std::uint64_t candidates) {
  compact();
  std::vector<RankProfile> profiles;
  profiles.reserve(keys);
  auto cell = cells_.begin();
  for (std::size_t key = 0; key < keys; ++key) {
    std::vector<Position> positions;
    std::vector<std::uint64_t> counts;
    for (; cell != cells_.end() && cell->at.key == key; ++cell) {
      positions.push_back(cell->at.position);
      counts.push_back(cell->count);
    }
    profiles.emplace_back(candidates, std::move(positions), counts);
  }
  cells_.clear();
  limit_ = fewest;
  return profiles;
}

}  // namespace fractile::source_detail
