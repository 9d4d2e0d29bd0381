#include "source/keyed_counts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <utility>

namespace fractile::source_detail {
namespace {

TEST(KeyedCounts, AreOneProfileAKey) {
  EXPECT_TRUE(rc::check("any records", [] {
    constexpr std::size_t keys = 4;
    const Lattice lattice = Lattice::regular(0, 9, 1);
    const auto values = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::int64_t>>>(
        rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, keys), rc::gen::inRange<std::int64_t>(-1, 11)));
    std::vector<ProfileBuilder> builders;
    for (std::size_t k = 0; k < keys; ++k) builders.emplace_back(lattice);
    KeyedCounts counts;
    for (const auto& [key, value] : values) {
      builders[key].add(value);
      counts.add({lattice.position_of(value), key});
    }
    const std::vector<RankProfile> profiles = counts.finish(keys, lattice.size());
    RC_ASSERT(profiles.size() == keys);
    for (std::size_t k = 0; k < keys; ++k) RC_ASSERT(profiles[k] == builders[k].finish());
  }));
}

TEST(KeyedCounts, ManyRecordsOfFewKindsAreAddedUpOnTheWay) {
  KeyedCounts counts;
  for (std::uint32_t i = 0; i < 300'000; ++i) counts.add({2 * (i % 7) + 1, i % 3});
  const std::vector<RankProfile> profiles = counts.finish(5, 7);
  for (const std::size_t key : {0U, 1U, 2U}) EXPECT_EQ(profiles[key].records(), 100'000U);
  EXPECT_EQ(profiles[0].count(0), 14'286U);
  EXPECT_EQ(profiles[4].records(), 0U);
  EXPECT_EQ(counts.finish(1, 7)[0].records(), 0U);
}

}  // namespace
}  // namespace fractile::source_detail
