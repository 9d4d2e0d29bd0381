#include "ranks/number_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

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
      EXPECT_TRUE(std::ranges::equal(list.take_sorted(1).numbers(), positions)) << mask << " " << size;
    }
  }
}

/// Lists of positions as in tables: spread out, many at one value, crowded in a part of a wide lattice, and few.
std::vector<std::vector<Position>> telling_positions(std::mt19937_64& random, std::size_t size) {
  std::vector<std::vector<Position>> lists(5, std::vector<Position>(size));
  for (std::size_t i = 0; i < size; ++i) {
    lists[0][i] = (random() >> 24) | 1;
    lists[1][i] = i % 10 == 0 ? random() >> 24 : 7;
    lists[2][i] = i == size / 2 ? Position{1} << 61 : random() >> 48;
    lists[3][i] = (random() % 5) << 40;
    lists[4][i] = random() >> (2 + random() % 60);
  }
  return lists;
}

TEST(PositionList, ThreadsSortAsOneDoes) {
  std::mt19937_64 random(2);
  for (const std::size_t size : {std::size_t{1} << 17, std::size_t{700'001}}) {
    for (std::vector<Position>& positions : telling_positions(random, size)) {
      PositionList list;
      std::vector<LargeArray<Position>> sorted;
      for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
        append(list, positions);
        sorted.push_back(list.take_sorted(threads));
      }
      std::ranges::sort(positions);
      for (const LargeArray<Position>& by_threads : sorted) {
        EXPECT_TRUE(std::ranges::equal(by_threads.numbers(), positions)) << size;
      }
    }
  }
}

#if defined(__linux__) && defined(MADV_POPULATE_WRITE)

/// How many whole large pages of fresh memory are there after `threads` threads have touched this many bytes of it, which do not begin at a
/// page. Nothing if this system cannot touch memory so.
std::optional<std::size_t> touched_pages(std::size_t bytes, std::size_t threads) {
  const std::size_t room = bytes + 2 * large_page;
  void* const memory = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  void* aligned = memory;
  std::size_t left = room;
  auto* const first = static_cast<std::byte*>(std::align(large_page, large_page, aligned, left));
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  touch(first + 8, bytes, threads);
  std::vector<unsigned char> there(left / page);
  EXPECT_EQ(mincore(first, there.size() * page, there.data()), 0);
  const std::size_t small = large_page / page;
  std::size_t pages = 0;
  for (std::size_t k = 0; (k + 1) * small <= there.size(); ++k) {
    const auto of_page = std::span(there).subspan(k * small, small);
    pages += std::ranges::all_of(of_page, [](unsigned char is_there) { return (is_there & 1U) != 0; }) ? 1U : 0U;
  }
  const bool can_touch = madvise(first, page, MADV_POPULATE_WRITE) == 0;
  munmap(memory, room);
  return can_touch ? std::optional(pages) : std::nullopt;
}

/// All whole pages are touched if at least two threads have enough of them, and none otherwise.
TEST(LargePages, ThreadsTouchAllOfItsPages) {
  if (!touched_pages(0, 1)) GTEST_SKIP() << "this system cannot touch memory";
  for (const std::size_t threads : {2U, 3U, 64U}) {
    EXPECT_EQ(touched_pages(9 * large_page, threads), 8U);
    EXPECT_EQ(touched_pages(20 * large_page + 24, threads), 19U);
    EXPECT_EQ(touched_pages(7 * large_page, threads), 0U) << "one thread would do";
  }
  EXPECT_EQ(touched_pages(20 * large_page, 1), 0U);
}

#endif

TEST(PositionList, TakesWhatAnotherHas) {
  const std::vector<Position> some{9, 3, 5};
  const std::vector<Position> others(3000, 4);
  PositionList list;
  PositionList other;
  append(list, some);
  append(other, others);
  list.take(other);
  append(list, some);
  EXPECT_TRUE(other.take_sorted(1).numbers().empty());
  std::vector<Position> all(others);
  for (int times = 0; times < 2; ++times) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  EXPECT_TRUE(std::ranges::equal(list.take_sorted(2).numbers(), all));
}

}  // namespace
}  // namespace fractile
