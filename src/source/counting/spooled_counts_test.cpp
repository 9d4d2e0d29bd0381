#include "source/counting/spooled_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>

namespace fractile::source_detail {
namespace {

using Counts = std::map<std::pair<std::uint32_t, Position>, std::uint64_t>;

CountRun written(CountSpool& spool, const Counts& counts) {
  RunWriter writer(spool);
  for (const auto& [place, count] : counts) writer.add({place.first, place.second, count});
  return writer.finish();
}

Counts sum_of(CountSpool& spool, const CountRuns& runs, std::uint32_t first, std::uint32_t end) {
  Counts sums;
  SumOfRuns sum(spool, runs.all(), first, end);
  const std::uint64_t most = sum.most();
  std::pair<std::uint32_t, Position> last{};
  while (const std::optional<PlaceCount> place = sum.next()) {
    const std::pair<std::uint32_t, Position> at{place->key, place->position};
    EXPECT_TRUE(sums.empty() || last < at);
    last = at;
    sums[at] = place->count;
  }
  EXPECT_LE(sums.size(), most);
  return sums;
}

/// Counts of few keys or many, with numbers of any size.
Counts any_counts(std::mt19937_64& engine, std::size_t size, std::uint32_t keys) {
  Counts counts;
  for (std::size_t i = 0; i < size; ++i) {
    const Position position = engine() >> (i % 64);
    counts[{static_cast<std::uint32_t>(engine() % keys), position}] += 1 + (engine() >> (20 + i % 40));
  }
  return counts;
}

TEST(SpooledCounts, AddUpPlaceByPlaceInAnyRangeOfKeys) {
  std::mt19937_64 engine(5);
  for (const std::uint32_t keys : {1U, 4U, 3000U}) {
    CountSpool spool;
    CountRuns runs;
    Counts all;
    for (const std::size_t size : {0U, 1U, 30'000U, 700U}) {
      const Counts counts = any_counts(engine, size, keys);
      for (const auto& [place, count] : counts) all[place] += count;
      runs.add(spool, written(spool, counts));
    }
    EXPECT_EQ(sum_of(spool, runs, 0, keys), all);
    for (const auto& [first, end] : {std::pair{0U, 1U}, {keys / 3, keys / 3 + 1}, {keys / 2, keys}, {keys, keys + 9}}) {
      Counts within(all.lower_bound({first, 0}), all.lower_bound({end, 0}));
      EXPECT_EQ(sum_of(spool, runs, first, end), within) << keys << " keys from " << first;
    }
  }
}

TEST(SpooledCounts, OfManyRunsAreThoseOfFew) {
  std::mt19937_64 engine(7);
  CountSpool spool;
  CountRuns runs;
  CountRuns others;
  Counts all;
  for (int i = 0; i < 5000; ++i) {
    const Counts counts = any_counts(engine, 5, 9);
    for (const auto& [place, count] : counts) all[place] += count;
    (i % 11 == 0 ? others : runs).add(spool, written(spool, counts));
  }
  EXPECT_LT(runs.all().size(), 200U);
  runs.take(others);
  EXPECT_TRUE(others.empty());
  EXPECT_EQ(sum_of(spool, runs, 0, 9), all);
}

TEST(SpooledCounts, ShareTheMemoryThatTheyMayTake) {
  EXPECT_EQ(most_held_of(0, 2, 3), CountSpool::unlimited);
  EXPECT_EQ(most_held_of(2'400'000'000, 2, 3), 2'400'000'000U / 4 / 8 / 6);
  EXPECT_GT(most_held_of(1, 64, 1000), 1000U);  // fewer would be more work than memory
}

}  // namespace
}  // namespace fractile::source_detail
