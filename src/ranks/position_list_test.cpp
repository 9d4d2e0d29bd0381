#include "ranks/position_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fractile {
namespace {

void append(PositionList& list, std::span<const Position> positions) {
  while (!positions.empty()) {
    const std::span<Position> room = list.room();
    const std::size_t written = std::min({room.size(), positions.size(), std::size_t{1000}});
    std::ranges::copy(positions.first(written), room.begin());
    list.keep(written);
    positions = positions.subspan(written);
  }
}

TEST(PositionList, SortsByTheDigitsThatVary) {
  constexpr std::size_t chunk = 1024;  // the first; then, 2048, 4096, ...
  std::mt19937_64 random(1);
  PositionList list;
  for (const Position mask : {Position{0}, Position{1}, Position{1} << 62, Position{0x7fe}, Position{0xfff0},
                              (Position{1} << 33) | 1, ~Position{0} >> 1}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5000}, chunk - 1, chunk,
                                   chunk + 1, 3 * chunk, 7 * chunk + 1, 300 * chunk}) {
      std::vector<Position> positions(size);
      for (Position& position : positions) position = (random() & mask) | (5 & ~mask);
      append(list, positions);
      std::ranges::sort(positions);
      EXPECT_EQ(list.take_sorted(), positions) << mask << " " << size;
    }
  }
}

}  // namespace
}  // namespace fractile
