#include "source/counting/keyed_sample.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fractile/error.hpp"
#include "support/statistics.hpp"

namespace fractile::source_detail {
namespace {

using testing::chi_square_p;
using testing::effort;

using KeyedRecords = std::vector<KeyedRecord>;
using Kept = std::vector<std::pair<std::uint32_t, Position>>;  // sorted

const std::vector<std::string> two_groups{"north", "south"};

SamplingKey counted_key() {
  std::string bytes;
  for (char byte = 0; byte < 32; ++byte) bytes.push_back(byte);
  return SamplingKey::of_bytes(bytes);
}

Kept sorted(const KeyedRecords& records) {
  Kept kept;
  for (const KeyedRecord& record : records) kept.emplace_back(record.key, record.position);
  std::ranges::sort(kept);
  return kept;
}

Kept kept_of(const SamplingKey& key, std::uint32_t most, const std::string& person, KeyedRecords records,
             const std::vector<std::string>& groups = two_groups) {
  KeyedSample(key, most, groups).keep(person, records);
  return sorted(records);
}

/// The sample by its definition in docs/proofs/contribution_bounding.md.
Kept defined(const SamplingKey& key, std::size_t most, const std::string& person, const KeyedRecords& records,
             const std::vector<std::string>& groups = two_groups) {
  std::map<std::pair<std::uint32_t, Position>, std::uint64_t> seen;
  std::set<std::tuple<SamplingKey::Rank, std::uint32_t, Position>> ranked;
  for (const KeyedRecord& record : records) {
    const std::uint64_t ordinal = seen[{record.key, record.position}]++;
    const std::string_view group = groups.empty() ? std::string_view() : std::string_view(groups[record.key]);
    ranked.emplace(key.rank(person, {record.position, group, ordinal}), record.key, record.position);
  }
  Kept kept;
  for (const auto& [rank, group, position] : ranked) {
    if (kept.size() < most) kept.emplace_back(group, position);
  }
  std::ranges::sort(kept);
  return kept;
}

std::string hex(const SamplingKey::Rank& rank) { return hexadecimal(std::string(rank.begin(), rank.end())); }

// Computed by Python's hmac: key = bytes(range(32)), message = struct.pack("<QQI", position, ordinal, len(group)) + group + person.
TEST(SamplingKey, RanksAreThoseOfThePage) {
  const SamplingKey key = counted_key();
  EXPECT_EQ(key.id(), "bb9f1869faef6b85a00e8fa35aa6fd77");
  EXPECT_EQ(hex(key.rank("ada", {7, "", 0})), "4ced48dd702553c9ca4edf7a677ce379b7ad4a1e19dc4e0a62db692eccbd3865");
  EXPECT_EQ(hex(key.rank("ada", {(Position{1} << 40) + 1, "north", 3})),
            "a9ce1e6df8e6534b1b2bab32fcf6600c8e4442b18bb6e9ed782c9394a9ff61dc");
  std::string group;
  for (int i = 0; i < 20; ++i) group += "\xC3\x9C";
  EXPECT_EQ(hex(key.rank(std::string(100, 'x'), {1, group, std::uint64_t{1} << 33})),
            "9b638c0754c53855fcbce00131d52aa66b851d00c64faab149a9fdcab7683bfb");
}

// The same, the group of two columns being struct.pack("<I", 2) + b"ab" + struct.pack("<I", 1) + b"c".
TEST(SamplingKey, GroupsOfSeveralColumnsAreThoseOfThePage) {
  EXPECT_EQ(sampled_group({}), "");
  EXPECT_EQ(sampled_group("north"), "north");
  const std::string group = sampled_group(GroupKey(std::vector<std::string>{"ab", "c"}));
  EXPECT_EQ(group, std::string("\2\0\0\0ab\1\0\0\0c", 11));
  EXPECT_EQ(hex(counted_key().rank("ada", {7, group, 0})),
            "30d66832617b39bf382f1529f5d7040a45aa68dbb80b2942dbd2ba53aebf9a22");
  std::set<std::string> groups;
  for (const std::vector<std::string>& key : {std::vector<std::string>{"a,b", "c"},
                                              {"a", "b,c"},
                                              {"ab", ""},
                                              {"", "ab"},
                                              {"a", "b"},
                                              {"a", "c"},
                                              {"c", "b"}}) {
    groups.insert(sampled_group(GroupKey(key)));
  }
  EXPECT_EQ(groups.size(), 7U);
}

TEST(SamplingKey, HasThirtyTwoBytes) {
  EXPECT_THROW(SamplingKey::of_bytes(""), Error);
  EXPECT_THROW(SamplingKey::of_bytes(std::string(31, 'k')), Error);
  EXPECT_THROW(SamplingKey::of_bytes(std::string(33, 'k')), Error);
}

TEST(SamplingKey, IsDrawnFromAllItsBits) {
  RandomBits bits =
      testing::placed_bits({0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918});
  EXPECT_EQ(SamplingKey::draw(bits), counted_key());
  RandomBits system = RandomBits::system();
  EXPECT_NE(SamplingKey::draw(system), SamplingKey::draw(system));
}

rc::Gen<KeyedRecords> any_records() {
  return rc::gen::container<KeyedRecords>(
      rc::gen::build<KeyedRecord>(rc::gen::set(&KeyedRecord::position, rc::gen::inRange<Position>(0, 6)),
                                  rc::gen::set(&KeyedRecord::key, rc::gen::inRange<std::uint32_t>(0, 2))));
}

SamplingKey any_key() {
  return SamplingKey::of_bytes(*rc::gen::container<std::string>(32, rc::gen::arbitrary<char>()));
}

TEST(KeyedSample, KeepsTheSmallestRanks) {
  EXPECT_TRUE(rc::check("as defined, in any order", [] {
    const SamplingKey key = any_key();
    const std::string person = *rc::gen::arbitrary<std::string>();
    KeyedRecords records = *any_records();
    const std::uint32_t most = *rc::gen::inRange<std::uint32_t>(1, 6);
    const Kept expected = defined(key, most, person, records);
    RC_ASSERT(kept_of(key, most, person, records) == expected);
    RC_ASSERT(expected.size() == std::min<std::size_t>(most, records.size()));
    std::ranges::reverse(records);
    RC_ASSERT(kept_of(key, most, person, records) == expected);
    std::ranges::sort(records, {}, &KeyedRecord::position);
    RC_ASSERT(kept_of(key, most, person, records) == expected);
  }));
}

/// The units of the records that are kept, by group and position.
std::map<std::pair<std::uint32_t, Position>, std::uint64_t> kept_units(const SamplingKey& key, std::uint32_t most,
                                                                       KeyedRecords records) {
  KeyedSample(key, most, two_groups).keep("ada", records);
  std::map<std::pair<std::uint32_t, Position>, std::uint64_t> units;
  for (const KeyedRecord& record : records) units[{record.key, record.position}] += record.units;
  return units;
}

// docs/proofs/weights.md, claim 3, of one column: sampling does not increase the change when weights depend on other records.
TEST(KeyedSample, AWeightThatChangesMovesNoMoreThanTheLargestOne) {
  EXPECT_TRUE(rc::check("of a person's records", [] {
    constexpr std::uint32_t largest = 300;
    const SamplingKey key = SamplingKey::of_bytes(*rc::gen::container<std::string>(32, rc::gen::arbitrary<char>()));
    const auto most = *rc::gen::inRange<std::uint32_t>(1, 6);
    const auto weight = rc::gen::oneOf(rc::gen::just(largest), rc::gen::inRange<std::uint32_t>(0, largest + 1));
    KeyedRecords records(*rc::gen::inRange<std::size_t>(0, 9));
    for (KeyedRecord& record : records) {
      record = {*rc::gen::inRange<Position>(0, 3), *rc::gen::inRange<std::uint32_t>(0, 2), *weight};
    }
    auto before = kept_units(key, most, records);
    std::ranges::reverse(records);
    RC_ASSERT(kept_units(key, most, records) == before);  // no order of records decides
    const auto changes = records.empty() ? 0 : *rc::gen::inRange<std::uint64_t>(0, 3);
    for (std::uint64_t i = 0; i < changes; ++i) {
      records[*rc::gen::inRange<std::size_t>(0, records.size())].units = *weight;
    }
    auto after = kept_units(key, most, records);
    std::uint64_t moved = 0;
    for (const auto& [place, units] : before) moved += std::max(units, after[place]) - std::min(units, after[place]);
    for (const auto& [place, units] : after) moved += before.contains(place) ? 0 : units;
    RC_ASSERT(moved <= largest * changes);
  }));
}

TEST(KeyedSample, KeysOfGroupsCountAndTheirNumbersDoNot) {
  const SamplingKey key = counted_key();
  const std::vector<std::string> exchanged{"south", "north"};
  bool differs = false;
  for (int person = 0; person < 50; ++person) {
    const std::string name = std::to_string(person);
    const Kept kept = kept_of(key, 1, name, {{1, 0}, {1, 1}, {3, 0}});
    Kept others = kept_of(key, 1, name, {{1, 1}, {1, 0}, {3, 1}}, exchanged);
    for (auto& [group, position] : others) group = 1 - group;
    EXPECT_EQ(kept, others);
    differs = differs || kept != kept_of(key, 1, name, {{1, 0}, {1, 1}, {3, 0}}, {"east", "west"});
  }
  EXPECT_TRUE(differs);
}

/// The p-value of samples of two of these records under drawn keys, if all pairs are equally likely.
double p_of_pairs(const KeyedRecords& records, std::uint64_t draws) {
  RandomBits bits = RandomBits::system();
  std::map<Kept, double> law;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      law[sorted({records[i], records[j]})] += 2.0 / static_cast<double>(records.size() * (records.size() - 1));
    }
  }
  std::map<Kept, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < draws; ++i) ++seen[kept_of(SamplingKey::draw(bits), 2, "ada", records)];
  std::vector<std::uint64_t> counts;
  std::vector<double> probabilities;
  for (const auto& [kept, p] : law) {
    counts.push_back(seen[kept]);
    probabilities.push_back(p);
  }
  EXPECT_EQ(seen.size(), law.size());
  return chi_square_p(counts, probabilities);
}

TEST(KeyedSample, IsUniformAmongRecordsThatDiffer) {
  EXPECT_GT(p_of_pairs({{1, 0}, {2, 0}, {3, 0}, {3, 1}, {9, 1}}, effort(50'000)), 1e-9);
}

// Without ordinals equal records have equal ranks: both are kept, or none.
TEST(KeyedSample, IsUniformAmongRecordsThatAreAlike) {
  EXPECT_GT(p_of_pairs({{1, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 1}}, effort(50'000)), 1e-9);
}

/// The samples of two persons with the same records are independent, and so are those of one person under two keys.
TEST(KeyedSample, PersonsAndKeysAreIndependent) {
  RandomBits bits = RandomBits::system();
  const KeyedRecords records{{1, 0}, {2, 0}};
  std::vector<std::uint64_t> of_persons(4);
  std::vector<std::uint64_t> of_keys(4);
  const auto first = [&](const SamplingKey& key, const char* person) {
    return kept_of(key, 1, person, records).front().second == 1 ? 1U : 0U;
  };
  for (std::uint64_t i = 0; i < effort(20'000); ++i) {
    const SamplingKey key = SamplingKey::draw(bits);
    ++of_persons[2 * first(key, "ada") + first(key, "bob")];
    ++of_keys[2 * first(key, "ada") + first(SamplingKey::draw(bits), "ada")];
  }
  EXPECT_GT(chi_square_p(of_persons, {0.25, 0.25, 0.25, 0.25}), 1e-9);
  EXPECT_GT(chi_square_p(of_keys, {0.25, 0.25, 0.25, 0.25}), 1e-9);
}

}  // namespace
}  // namespace fractile::source_detail
