#include "source/counting/keyed_counts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>

namespace fractile::source_detail {
namespace {

using KeysAndPositions = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// Counted by two at once, and by one builder per key.
void expect_profiles(const Lattice& lattice, std::size_t keys, const KeysAndPositions& records) {
  std::vector<ProfileBuilder> builders;
  for (std::size_t k = 0; k < keys; ++k) builders.emplace_back(lattice);
  KeyedCounts counts(lattice, keys, 2);
  KeyedCounts others(lattice, keys);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& [key, value] = records[i];
    builders[key].add(value);
    (i % 3 == 0 ? others : counts).add({lattice.position_of(value), key});
  }
  counts.take(others);
  const std::vector<RankProfile> profiles = counts.finish();
  RC_ASSERT(profiles.size() == keys);
  for (std::size_t k = 0; k < keys; ++k) RC_ASSERT(profiles[k] == builders[k].finish());
  RC_ASSERT(others.finish()[0].records() == 0U);
}

TEST(KeyedCounts, AreOneProfileAKey) {
  const std::vector<Lattice> lattices{
      Lattice::regular(0, 9, 1),
      Lattice::explicit_points({1, 2, 5}),
      Lattice::regular(0, 10'000'000, 1),                              // a list of positions
      Lattice::regular(0, Rational::parse("4611686018427387903"), 1),  // 2^62 candidates: pairs
      Lattice::regular(0, Rational::parse("1152921504606846975"), 1),  // 2^60
  };
  EXPECT_TRUE(rc::check("any records", [&] {
    const std::size_t keys = *rc::gen::inRange<std::size_t>(1, 6);
    const auto records = *rc::gen::container<KeysAndPositions>(
        rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(keys)),
                      rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-1, 11), rc::gen::arbitrary<std::int64_t>())));
    for (const Lattice& lattice : lattices) expect_profiles(lattice, keys, records);
  }));
}

TEST(KeyedCounts, ManyRecordsOfFewKindsAreAddedUpOnTheWay) {
  for (const char* upper : {"6", "2000000", "4611686018427387903"}) {
    const Lattice lattice = Lattice::regular(0, Rational::parse(upper), 1);
    KeyedCounts counts(lattice, 5);
    for (std::uint32_t i = 0; i < 300'000; ++i) counts.add({2 * (i % 7) + 1, i % 3});
    const std::vector<RankProfile> profiles = counts.finish();
    for (const std::size_t key : {0U, 1U, 2U}) EXPECT_EQ(profiles[key].records(), 100'000U);
    EXPECT_EQ(profiles[0].count(0), 14'286U);
    EXPECT_EQ(profiles[4].records(), 0U);
  }
}

}  // namespace
}  // namespace fractile::source_detail
