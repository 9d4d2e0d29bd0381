#include "flow/pipeline/additions.hpp"

#include <gtest/gtest.h>

namespace fractile::flow {
namespace {

TEST(Reachable, TotalsAreThoseOfSomeAnswers) {
  EXPECT_EQ(reachable({{0, 2, 3}, 0, 1}, 2), (std::vector<std::size_t>{0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(reachable({{0, 3}, 0, 1}, 3), (std::vector<std::size_t>{0, 3, 6, 9}));
  EXPECT_EQ(reachable({{2, 7}, 0, 1}, 2), (std::vector<std::size_t>{4, 9, 14}));
  EXPECT_EQ(reachable({{1, 1}, 0, 1}, 5), (std::vector<std::size_t>{5}));
}

}  // namespace
}  // namespace fractile::flow
