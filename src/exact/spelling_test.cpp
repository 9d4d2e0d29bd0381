#include "fractile/spelling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace fractile {
namespace {

TEST(EditDistance, OfWords) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("income", "income"), 0u);
  EXPECT_EQ(edit_distance("incoem", "income"), 2u);
}

TEST(EditDistance, IsAMetric) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b, const std::string& c) {
    RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
    RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
    RC_ASSERT(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
  }));
}

}  // namespace
}  // namespace fractile
