#include "source/counting/keyed_counts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace fractile::source_detail {
namespace {

using KeysAndPositions = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// Expects the same profiles from two counters at once, which hold at most the given number of records, and from one builder per key.
void expect_profiles(const Lattice& lattice, std::size_t keys, const KeysAndPositions& records,
                     std::size_t most_held = CountSpool::unlimited) {
  std::vector<ProfileBuilder> builders;
  for (std::size_t k = 0; k < keys; ++k) builders.emplace_back(lattice);
  const auto spool = std::make_shared<CountSpool>(most_held);
  KeyedCounts counts(lattice, keys, 2, 1, spool);
  KeyedCounts others(lattice, keys, 1, 1, spool);
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
    for (const Lattice& lattice : lattices) {
      for (const std::size_t most_held : {CountSpool::unlimited, std::size_t{1}, std::size_t{7}}) {
        expect_profiles(lattice, keys, records, most_held);
      }
    }
  }));
}

// Such profiles share memory; where most values differ, it is that of the numbers which were counted.
TEST(KeyedCounts, ManyKeysOfFewRecordsHaveOneProfileEach) {
  constexpr std::size_t keys = 3'000;
  std::mt19937_64 random(1);
  for (const char* upper : {"200000", "2000000", "20000000000"}) {
    const Lattice lattice = Lattice::regular(0, Rational::parse(upper), 1);
    for (const std::int64_t kinds : {std::int64_t{3}, std::int64_t{200'000}}) {
      for (const std::size_t threads : {1U, 3U}) {
        std::vector<std::map<Position, std::uint64_t>> expected(keys);
        KeyedCounts counts(lattice, keys, threads, 1, std::make_shared<CountSpool>(CountSpool::unlimited));
        for (std::size_t i = 0; i < 8 * keys; ++i) {
          const auto key = static_cast<std::uint32_t>(random() % keys);
          const auto value = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kinds));
          ++expected[key][lattice.position_of(value)];
          counts.add({lattice.position_of(value), key});
        }
        const std::vector<RankProfile> profiles = counts.finish();
        for (std::size_t k = 0; k < keys; ++k) {
          ASSERT_EQ(profiles[k].distinct(), expected[k].size()) << upper << " " << k;
          std::size_t at = 0;
          for (const auto& [position, count] : expected[k]) {
            ASSERT_EQ(profiles[k].position(at), position) << upper << " " << k;
            ASSERT_EQ(profiles[k].count(at++), count) << upper << " " << k;
          }
        }
      }
    }
  }
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

/// The profiles of records of any units, from this many counters at once.
std::vector<RankProfile> counted(const Lattice& lattice, std::size_t most_held, std::size_t counters,
                                 std::uint32_t most_units) {
  const auto spool = std::make_shared<CountSpool>(most_held);
  std::vector<KeyedCounts> all;
  for (std::size_t i = 0; i < counters; ++i) all.emplace_back(lattice, 3, i == 0 ? 2 : 1, most_units, spool);
  std::uint64_t state = 1;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t candidate = i % 2 == 0 ? (state >> 20) % lattice.size() : (state >> 60) % 7;
    const std::uint32_t units = most_units == 1 ? 1 : static_cast<std::uint32_t>(state >> 40) % most_units;
    all[i % counters].add({2 * candidate + 1, i / 7 % 3, units});
  }
  for (std::size_t i = 1; i < counters; ++i) all[0].take(all[i]);
  if (counters > 1) all[0].put_away();
  return all[0].finish();
}

const std::vector<Lattice> lattices_of_lists_and_cells{Lattice::regular(0, 10'000'000, 1),
                                                       Lattice::regular(0, Rational::parse("4611686018427387903"), 1)};

TEST(KeyedCounts, AreTheSameWhateverIsHeldAndByHowMany) {
  for (const Lattice& lattice : lattices_of_lists_and_cells) {
    for (const std::uint32_t most_units : {1U, 300U}) {
      const std::vector<RankProfile> held = counted(lattice, CountSpool::unlimited, 1, most_units);
      EXPECT_GT(held[1].distinct(), 20'000U);
      for (const std::size_t most_held : {20U, 1000U, 50'000U, 150'000U}) {
        for (const std::size_t counters : {1U, 3U}) {
          EXPECT_EQ(counted(lattice, most_held, counters, most_units), held) << most_held << " " << counters;
        }
      }
    }
  }
}

/// Expects the same profiles of records of few kinds from several threads, added one by one or many at once, and from one builder
/// per key.
void expect_units(const Lattice& lattice, std::size_t keys, std::uint32_t most_units) {
  constexpr Position missing = ~Position{0};
  std::mt19937_64 random(most_units);
  std::vector<Position> positions;
  std::vector<std::uint32_t> of_keys;
  std::vector<std::uint32_t> units;
  for (int i = 0; i < 300'000; ++i) {
    const std::uint64_t candidate = i % 2 == 0 ? random() % lattice.size() : lattice.size() - 1 - random() % 3;
    positions.push_back(i % 101 == 0 ? missing : 2 * candidate + 1);
    of_keys.push_back(i % 97 == 0 ? no_key : static_cast<std::uint32_t>(random() % keys * random() % keys));
    units.push_back(i % 5 == 0 ? most_units : static_cast<std::uint32_t>(random() % (most_units + 1)));
  }
  std::vector<ProfileBuilder> builders;
  for (std::size_t k = 0; k < keys; ++k) builders.emplace_back(lattice);
  KeyedCounts one_by_one(lattice, keys, 2, most_units);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] == missing || of_keys[i] == no_key) continue;
    if (units[i] > 0) builders[of_keys[i]].add_position(positions[i], units[i]);
    one_by_one.add({positions[i], of_keys[i], units[i]});
  }
  KeyedCounts at_once(lattice, keys, 2, most_units);
  const auto key_at = [&](std::size_t i) { return of_keys[i]; };
  const auto units_at = [&](std::size_t i) { return units[i]; };
  EXPECT_TRUE(at_once.add_all(positions, missing, key_at, units_at));
  EXPECT_FALSE(at_once.add_all({}, missing, key_at, units_at));
  const std::vector<RankProfile> profiles = one_by_one.finish();
  EXPECT_TRUE(at_once.finish() == profiles) << most_units;
  for (std::size_t k = 0; k < keys; ++k) EXPECT_TRUE(profiles[k] == builders[k].finish()) << k << " " << most_units;
}

TEST(KeyedCounts, AddUnitsInNumbersOfEverySize) {
  const std::vector<Lattice> lattices{
      Lattice::regular(0, 99, 1),
      Lattice::regular(0, 1'000'000, 1),
      Lattice::regular(0, 107'374'181, 1),
      Lattice::regular(0, 107'374'182,
                       1),  // 40 units of 107,374,182 places are 2^32 - 16 numbers, one place more too many
      Lattice::regular(0, Rational::parse("4503599627370495"), 1),
      Lattice::regular(0, Rational::parse("4611686018427387903"), 1)};
  for (const Lattice& lattice : lattices) {
    for (const std::size_t keys : {1U, 3U}) {
      for (const std::uint32_t most_units : {2U, 40U, 4096U}) expect_units(lattice, keys, most_units);
    }
  }
}

/// A full disk ends the counting; the caller tries again and holds all records in memory.
TEST(KeyedCounts, AreSpooledOnlyBeyondTheLimit) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere", 1);
  for (const Lattice& lattice : lattices_of_lists_and_cells) {
    EXPECT_NO_THROW(counted(lattice, 1'000'000, 2, 1));
    EXPECT_THROW(counted(lattice, 1000, 2, 1), SpoolFailure);
    EXPECT_EQ(
        held_or_spooled(1000,
                        [&](std::uint64_t held) {
                          return counted(lattice, held == 0 ? CountSpool::unlimited : held, 2, 1).front().records();
                        }),
        counted(lattice, CountSpool::unlimited, 1, 1).front().records());
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace fractile::source_detail
