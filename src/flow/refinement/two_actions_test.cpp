#include "flow/refinement/two_actions.hpp"

#include <gtest/gtest.h>

#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

TEST(TwoActions, ABetCostsMoreOrLessThanNothing) {
  EXPECT_EQ(bet_losses({1, -1, 0}),
            Matrix::of({{1, Rational(1, 2)}, {0, Rational(1, 2)}, {Rational(1, 2), Rational(1, 2)}}));
  EXPECT_EQ(bet_losses({3, 1}), Matrix::of({{1, 0}, {Rational(1, 3), 0}}));
  EXPECT_EQ(bet_losses({-3, 0}), Matrix::of({{0, 1}, {1, 1}}));
}

TEST(TwoActions, ForAndAgainstACombination) {
  EXPECT_EQ(losses_by({2, -4, 2}),
            Matrix::of({{Rational(3, 4), Rational(1, 4)}, {0, 1}, {Rational(3, 4), Rational(1, 4)}}));
  EXPECT_EQ(largest_of({2, -4, 2}), 4);
  EXPECT_EQ(largest_of({}), 0);
}

}  // namespace
}  // namespace fractile::flow
