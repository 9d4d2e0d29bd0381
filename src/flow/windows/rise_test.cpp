#include "flow/windows/rise.hpp"

#include <gtest/gtest.h>

#include "support/windows.hpp"

namespace fractile::flow {
namespace {

// Exact losses of four people, near the ends of their window.
TEST(Rise, IsExactForFewPeople) {
  const std::optional<Rise> rise =
      rise_between(LossModel(known_others(), thousandfold_error()), Rational(351, 100), Rational(703, 200));
  ASSERT_TRUE(rise.has_value());
  EXPECT_GE(rise->odds_from, Rational(351, 100));
  EXPECT_LE(rise->odds_to, Rational(703, 200));
  EXPECT_LT(rise->odds_from, rise->odds_to);
  EXPECT_EQ(rise->loss_from.lower, rise->loss_from.upper);
  EXPECT_EQ(rise->loss_from.lower, expected_loss(known_others(), thousandfold_error(), Odds(rise->odds_from)));
  EXPECT_EQ(rise->loss_to.upper, expected_loss(known_others(), thousandfold_error(), Odds(rise->odds_to)));
  EXPECT_LT(rise->loss_from.upper, rise->loss_to.lower);
}

// Among thousands, enclosures that are apart are enough.
TEST(Rise, IsEnclosedForManyPeople) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::squared_error;
  const Pipeline pipeline = counting_among(Perturber::geometric(6), {236, 2, 4, 0, 928, 2}, {4});
  const Windows windows = enclose(pipeline, analyst, 2, Rational(5, 2));
  ASSERT_FALSE(windows.windows.empty());
  const UnstableWindow& window = windows.windows[windows.windows.size() / 2];
  ASSERT_TRUE(window.proof.has_value());
  EXPECT_LT(window.proof->loss_from.lower, window.proof->loss_from.upper);
  EXPECT_LT(window.proof->loss_from.upper, window.proof->loss_to.lower);
}

TEST(Rise, IsNotFoundWhereTheLossFalls) {
  EXPECT_FALSE(rise_between(LossModel(known_others(), thousandfold_error()), 2, 3).has_value());
}

}  // namespace
}  // namespace fractile::flow
