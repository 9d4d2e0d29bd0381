#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/counting/record_selector.hpp"

namespace fractile::source_detail {
namespace {

using Texts = std::vector<std::string>;

std::optional<std::uint32_t> number_of(const GroupNumbers& numbers, const Texts& texts) {
  return numbers.of([&](std::size_t column) { return std::string_view(texts[column]); });
}

TEST(GroupNumbers, AreThoseOfTheListedKeys) {
  EXPECT_TRUE(rc::check("whatever texts the keys have", [] {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
    const auto any_text = rc::gen::element<std::string>("a", "b", ",", "a,", ",a", "a,b", "\x1f", "1", "01");
    const auto any_tuple = rc::gen::container<Texts>(columns, any_text);
    const auto listed = *rc::gen::nonEmpty(rc::gen::container<std::set<Texts>>(any_tuple));
    const std::vector<Texts> tuples(listed.begin(), listed.end());
    const GroupKeys keys = GroupKeys::tuples(tuples);
    const GroupNumbers numbers(keys);
    for (std::size_t group = 0; group < tuples.size(); ++group) {
      RC_ASSERT(number_of(numbers, tuples[group]) == std::optional(static_cast<std::uint32_t>(group)));
    }
    for (const Texts& other : *rc::gen::container<std::vector<Texts>>(any_tuple)) {
      RC_ASSERT(number_of(numbers, other).has_value() == listed.contains(other));
    }
  }));
}

/// Each length of text is made a number in a separate way, and every byte of it counts.
TEST(GroupNumbers, TextsThatDifferInOneByteAreDifferent) {
  for (std::size_t size = 1; size <= 20; ++size) {
    Texts texts{std::string(size, 'a')};
    for (std::size_t k = 0; k < size; ++k) {
      for (const char other : {'b', '\0', '\xff'}) (texts.emplace_back(size, 'a'))[k] = other;
    }
    for (std::size_t listed = 0; listed < texts.size(); ++listed) {
      const GroupKeys keys = GroupKeys::tuples({{texts[listed]}});
      const GroupNumbers numbers(keys);
      for (std::size_t k = 0; k < texts.size(); ++k) {
        ASSERT_EQ(number_of(numbers, {texts[k]}), k == listed ? std::optional(0U) : std::nullopt) << size << " " << k;
      }
      for (const std::string& longer :
           {texts[listed] + "a", "a" + texts[listed], texts[listed] + std::string(1, '\0')}) {
        ASSERT_EQ(number_of(numbers, {longer}), std::nullopt) << size;
      }
    }
  }
}

/// Keys that differ in a few places hardly ever share a slot, wherever these are: otherwise each record's search would pass many of
/// them.
TEST(GroupNumbers, HashesOfLikeTextsDiffer) {
  const std::string frame = "0123456789abcdef";
  for (std::size_t size = 4; size <= frame.size(); ++size) {
    for (std::size_t place = 0; place + 4 <= size; ++place) {
      std::set<std::size_t> slots;
      for (int k = 0; k < 1000; ++k) {
        std::string text = frame.substr(0, size);
        text.replace(place, 4, std::to_string(1000 + k));
        slots.insert(ShortText(text).hash() & 0xfff);
      }
      EXPECT_GT(slots.size(), 800U) << size << " " << place;  // of 4,096, at random: 887
    }
  }
}

/// All records of two columns over a few texts, and all lists of two groups of them: lemma 0 of docs/proofs/groups.md.
TEST(GroupNumbers, EveryRecordIsInTheGroupOfItsTextsAlone) {
  std::vector<Texts> records;
  for (const char* first : {"a", ",", "a,", ",a", "a,a"}) {
    for (const char* second : {"a", ",", "a,", ",a", "a,a"}) records.push_back({first, second});
  }
  for (const Texts& one : records) {
    for (const Texts& other : records) {
      if (one == other) continue;
      const GroupKeys keys = GroupKeys::tuples({one, other});
      const GroupNumbers numbers(keys);
      for (const Texts& record : records) {
        const std::optional<std::uint32_t> expected = record == one     ? std::optional(0U)
                                                      : record == other ? std::optional(1U)
                                                                        : std::nullopt;
        ASSERT_EQ(number_of(numbers, record), expected);
      }
    }
  }
}

/// Every text belongs to one group: that of its key if it is listed, and otherwise that of all other keys.
TEST(GroupNumbers, OfOtherKeysAreThoseOfTheOther) {
  const GroupKeys keys = GroupKeys::tuples({{"a", "f"}, {"a", "m"}, {"rest", "f"}, {"rest", "m"}});
  const Texts others{"rest", ""};
  const GroupNumbers numbers(keys, others);
  EXPECT_EQ(number_of(numbers, {"a", "f"}), 0U);
  EXPECT_EQ(number_of(numbers, {"b", "f"}), 2U);
  EXPECT_EQ(number_of(numbers, {"", "m"}), 3U);
  EXPECT_EQ(number_of(numbers, {"rest", "m"}), 3U);
  EXPECT_EQ(number_of(numbers, {"b", "x"}), std::nullopt) << "no other key of the second column is published";
  EXPECT_EQ(number_of(GroupNumbers(keys), {"b", "f"}), std::nullopt);
  const Texts of_none{"elsewhere", ""};
  EXPECT_EQ(number_of(GroupNumbers(keys, of_none), {"b", "f"}), std::nullopt) << "no group has that key";
}

/// With many keys per column there is no room for one slot per pair.
TEST(GroupNumbers, AreFoundAmongManyKeysOfEachColumn) {
  std::vector<Texts> tuples;
  for (int i = 0; i < 30'000; ++i) {
    tuples.push_back({std::to_string(i), std::to_string(i * 7 % 30'000), std::to_string(i % 3)});
  }
  const GroupKeys keys = GroupKeys::tuples(tuples);
  const GroupNumbers numbers(keys);
  for (std::size_t group = 0; group < tuples.size(); ++group) {
    ASSERT_EQ(number_of(numbers, tuples[group]), std::optional(static_cast<std::uint32_t>(group)));
    Texts other = tuples[group];
    other[2] = std::to_string((group + 1) % 3);
    ASSERT_EQ(number_of(numbers, other), std::nullopt);
  }
}

TEST(GroupNumbers, AreLookedForColumnByColumn) {
  const GroupKeys keys = GroupKeys::crossed({{"n", "s"}, {"f", "m"}});
  const GroupNumbers numbers(keys);
  std::size_t asked = 0;
  const auto of_unlisted = numbers.of([&](std::size_t column) {
    asked = column;
    return std::string_view("elsewhere");
  });
  EXPECT_EQ(of_unlisted, std::nullopt);
  EXPECT_EQ(asked, 0U);
}

}  // namespace
}  // namespace fractile::source_detail
