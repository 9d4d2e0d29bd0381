#include "experiments/loss_curve.hpp"

#include <gtest/gtest.h>

#include "experiments/kronecker_examples.hpp"

namespace fractile::experiments {
namespace {

const Observer nobody{[](const std::string&) {}};

std::vector<Exponent> logarithms(const std::vector<Rational>& odds) {
  std::vector<Exponent> result;
  for (const Rational& r : odds) result.push_back(Exponent::log(r));
  return result;
}

TEST(LossCurve, StepsEndWhereTheyShould) {
  EXPECT_EQ(even_steps(20, 4), (std::vector<Rational>{5, 10, 15, 20}));
  const std::vector<Rational> thirds = even_steps(1, 3);
  EXPECT_EQ(thirds[0].to_decimal(), "0.333333333");
  EXPECT_EQ(thirds[1].to_decimal(), "0.666666667");
  EXPECT_EQ(thirds[2], Rational(1));
}

TEST(LossCurve, FourPeoplesLossFallsAndRisesAndFalls) {
  std::vector<LossCurve> curves{
      {"geometric", "uniform", kronecker_utility::four_people(), kronecker_utility::thousandfold_linear_error()}};
  compute(curves, logarithms({Rational(7, 2), Rational(351, 100), Rational(352, 100)}), nobody);
  ASSERT_EQ(curves[0].points.size(), 3U);
  EXPECT_EQ(curves[0].points[0].change, flow::Change::falls);  // compared with 12000/7, without a release
  EXPECT_EQ(curves[0].points[1].change, flow::Change::rises);
  EXPECT_EQ(curves[0].points[2].change, flow::Change::falls);
  EXPECT_EQ(curves[0].without_release, Rational(12000, 7));
  EXPECT_EQ(curves[0].rises(), 1U);
  EXPECT_EQ(to_csv(curves).substr(0, 61), "epsilon,mechanism,prior,loss,change\nln 7/2,geometric,uniform,");
}

/// A pipeline that reveals nothing costs as much as no release, so whether its loss rises or falls cannot be decided.
TEST(LossCurve, LevelLossesAreUndecided) {
  flow::Pipeline pipeline = kronecker_utility::four_people();
  pipeline.post.counted = {0, 1, 2, 3, 4, 5, 6};
  std::vector<LossCurve> curves{{"geometric", "uniform", pipeline, kronecker_utility::thousandfold_linear_error()}};
  compute(curves, {Rational(1), Rational(2)}, nobody);
  EXPECT_EQ(curves[0].undecided(), 2U);
}

}  // namespace
}  // namespace fractile::experiments
