#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "support/errors.hpp"

namespace fractile {
namespace {

using Texts = std::vector<std::string>;

GroupKey key_of(const Texts& texts) { return GroupKey(texts); }

/// The message with which validate() refuses the keys; empty when it accepts them.
std::string fault_of(const GroupKeys& keys) {
  const std::optional<Error> error = testing::error_if_any([&] { keys.validate(); });
  if (!error) return {};
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->field(), "keys");
  return error->what();
}

TEST(GroupKeys, OfOneColumnAreItsTexts) {
  const GroupKeys keys{"north", "a,b", "south"};
  EXPECT_EQ(keys.columns(), 1U);
  EXPECT_EQ(keys.all(), (std::vector<GroupKey>{"north", "a,b", "south"}));
  EXPECT_EQ(GroupKeys::crossed({{"north", "a,b", "south"}}), keys);
  EXPECT_EQ(GroupKeys::tuples({{"north"}, {"a,b"}, {"south"}}), keys);
  EXPECT_TRUE(GroupKeys().empty());
  EXPECT_EQ(GroupKeys(Texts()), GroupKeys());
  EXPECT_TRUE(GroupKey("").empty());
}

TEST(GroupKeys, AreCrossedWithTheLastColumnFirst) {
  const GroupKeys keys = GroupKeys::crossed({{"n", "s"}, {"f", "m"}, {"A", "B", "C"}});
  ASSERT_EQ(keys.size(), 12U);
  EXPECT_EQ(keys[0], key_of({"n", "f", "A"}));
  EXPECT_EQ(keys[2], key_of({"n", "f", "C"}));
  EXPECT_EQ(keys[3], key_of({"n", "m", "A"}));
  EXPECT_EQ(keys[11], key_of({"s", "m", "C"}));
  EXPECT_EQ(fault_of(keys), "");
  EXPECT_TRUE(GroupKeys::crossed({{"n"}, {}}).empty());
}

TEST(GroupKeys, MayLeaveCombinationsOut) {
  const GroupKeys keys = GroupKeys::tuples({{"s", "m"}, {"n", "m"}, {"n", "f"}});
  EXPECT_EQ(keys.all(), (std::vector{key_of({"s", "m"}), key_of({"n", "m"}), key_of({"n", "f"})}));
  EXPECT_EQ(keys.list(0), (Texts{"s", "n"}));
  EXPECT_EQ(keys.list(1), (Texts{"m", "f"}));
  EXPECT_EQ(GroupKeys::tuples({{"n", "f"}, {"n", "m"}, {"s", "f"}, {"s", "m"}}),
            GroupKeys::crossed({{"n", "s"}, {"f", "m"}}));
  EXPECT_THROW(GroupKeys::tuples({{"n", "f"}, {"n"}}), Error);
  EXPECT_THROW(GroupKeys::tuples({{}}), Error);
}

TEST(GroupKeys, AreNotToldApartByTheirTextsPutTogether) {
  const GroupKeys keys = GroupKeys::tuples({{"a,b", "c"}, {"a", "b,c"}, {"a, b", "c"}});
  EXPECT_EQ(fault_of(keys), "");
  const std::vector<GroupKey> all = keys.all();
  EXPECT_EQ(std::set<GroupKey>(all.begin(), all.end()).size(), 3U);
  EXPECT_EQ(to_string(keys[0]), "\"a,b\", c");  // in a figure, "a, b, c" was the name of several groups
  EXPECT_EQ(to_string(keys[1]), "a, \"b,c\"");
  EXPECT_EQ(to_string(GroupKeys::tuples({{"a \"b\"", "c"}})[0]), "\"a \"\"b\"\"\", c");
  EXPECT_EQ(to_string(GroupKey("a, b")), "a, b");
}

TEST(GroupKeys, AreRefusedWhenTheyCannotBe) {
  EXPECT_EQ(fault_of({"a", "b", "a"}), "the key 'a' appears twice");
  EXPECT_EQ(fault_of({"a", ""}), "a key is empty");
  EXPECT_EQ(fault_of(GroupKeys::crossed({{"a", "b"}, {"f", "f"}})), "the key 'f' appears twice");
  EXPECT_EQ(fault_of(GroupKeys::tuples({{"a", "f"}, {"a", "m"}, {"a", "f"}})), "the group 'a, f' appears twice");
  EXPECT_EQ(fault_of(GroupKeys::tuples({{"a", ""}})), "a key is empty");
  EXPECT_EQ(fault_of(GroupKeys::crossed(std::vector<Texts>(17, Texts{"a"}))), "17 key columns are more than 16");
  Texts many;
  for (int i = 0; i < 400; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(GroupKeys::crossed({many, Texts(many.begin(), many.begin() + 250)}).size(), 100'000U);
  EXPECT_THROW(GroupKeys::crossed({many, Texts(many.begin(), many.begin() + 251)}), Error);
  EXPECT_THROW(GroupKeys::crossed(std::vector<Texts>(16, many)), Error);
  EXPECT_EQ(fault_of(Texts(100'001, "x")), "100001 keys are more than 100000");
  EXPECT_THROW(GroupKeys::tuples(std::vector<Texts>(100'001, Texts{"x", "y"})), Error);
}

TEST(GroupKeys, AreTheirListsAndNumbers) {
  EXPECT_TRUE(rc::check("and nothing else", [] {
    const auto any_text = rc::gen::element<std::string>("a", "b", ",", "a,", ",a", "\x1f");
    const auto any_tuple = rc::gen::container<Texts>(3, any_text);
    const auto tuples = *rc::gen::nonEmpty(rc::gen::container<std::vector<Texts>>(any_tuple));
    const GroupKeys keys = GroupKeys::tuples(tuples);
    std::vector<Texts> lists;
    for (std::size_t column = 0; column < 3; ++column) lists.push_back(keys.list(column));
    RC_ASSERT(GroupKeys::numbered(lists, keys.numbers()) == keys);
    for (std::size_t group = 0; group < tuples.size(); ++group) RC_ASSERT(keys[group].texts() == tuples[group]);
    const std::set<Texts> once(tuples.begin(), tuples.end());
    RC_ASSERT(fault_of(keys).empty() == (once.size() == tuples.size()));
  }));
  EXPECT_THROW(GroupKeys::numbered({{"a", "b"}}, {1, 0}), Error);
  EXPECT_THROW(GroupKeys::numbered({{"a", "b"}}, {0}), Error);
  EXPECT_THROW(GroupKeys::numbered({{"a"}}, {0, 1}), Error);
  EXPECT_THROW(GroupKeys::numbered({{"a"}, {"b"}}, {0, 0, 0}), Error);
  EXPECT_THROW(GroupKeys::numbered({}, {0}), Error);
  EXPECT_THROW(GroupKeys::numbered({{"a"}}, {}), Error);
}

TEST(KeyColumns, AreNamedForPeople) {
  EXPECT_EQ(to_string(KeyColumns()), "");
  EXPECT_EQ(to_string(KeyColumns("region")), "region");
  EXPECT_EQ(to_string(KeyColumns{"region", "sex"}), "region and sex");
  EXPECT_EQ(to_string(KeyColumns{"region", "sex", "sector"}), "region, sex and sector");
  EXPECT_TRUE(KeyColumns("").empty());
}

}  // namespace
}  // namespace fractile
