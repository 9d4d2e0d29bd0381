#include "exact/lists.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace fractile {
namespace {

struct Named {
  std::string name;
  std::vector<int> numbers = {};

  std::size_t size() const { return numbers.size(); }
};

const std::vector<Named> named{{"one", {1}}, {"none"}, {"two", {1, 2}}};

TEST(Lists, AreMappedInTheirOrder) {
  EXPECT_EQ(mapped(named, &Named::name), (std::vector<std::string>{"one", "none", "two"}));
  EXPECT_EQ(mapped(named, &Named::size), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(mapped(std::vector<Named>(), &Named::name), std::vector<std::string>());
  EXPECT_EQ(mapped(std::array{1, 2}, [](int number) { return number > 1; }), (std::vector<bool>{false, true}));
}

TEST(Lists, AreMappedThroughPointers) {
  const std::vector<const Named*> pointers{&named[2], &named[0]};
  EXPECT_EQ(mapped(pointers, &Named::name), (std::vector<std::string>{"two", "one"}));
}

TEST(Lists, GiveTheirElementsAway) {
  std::vector<std::unique_ptr<int>> numbers;
  numbers.push_back(std::make_unique<int>(3));
  const std::vector<std::unique_ptr<int>> moved =
      mapped(numbers, [](std::unique_ptr<int>& number) { return std::move(number); });
  EXPECT_EQ(*moved.front(), 3);
  EXPECT_EQ(numbers.front(), nullptr);
}

TEST(Lists, AreTabulated) {
  EXPECT_EQ(tabulated(3, [](std::size_t i) { return 2 * i; }), (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_TRUE(tabulated(0, [](std::size_t i) { return i; }).empty());
}

TEST(Lists, AreJoined) {
  EXPECT_EQ(joined(named, ", ", &Named::name), "one, none, two");
  EXPECT_EQ(joined(std::vector<std::string>{"", "a"}, ",", [](const std::string& text) { return text; }), ",a");
  EXPECT_EQ(joined(std::vector<Named>(), ", ", &Named::name), "");
}

TEST(Lists, AreAddedUp) {
  EXPECT_EQ(sum_over<std::size_t>(named, &Named::size), 3U);
  EXPECT_EQ(sum_over<std::size_t>(std::vector<Named>(), &Named::size), 0U);
}

}  // namespace
}  // namespace fractile
