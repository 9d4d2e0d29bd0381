#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/expected_loss.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// Appendix D.1: both losses, and equation 37's and 75's corners.
TEST(ExpectedLoss, KnownOthersAsInAppendixD) {
  const Pipeline pipeline = known_others();
  const Channel counts = channel_at(pipeline, Rational(7, 2)).channel;
  EXPECT_EQ(counts(0, 0), Rational(196, 6561));
  EXPECT_EQ(counts(0, 2), Rational(1067, 2187));
  EXPECT_EQ(counts(3, 1), Rational(24793, 45927));
  EXPECT_EQ(counts(6, 4).to_string(), "256/15752961");
  const Channel after = channel_at(pipeline, Rational(351, 100)).channel;
  EXPECT_EQ(after(0, 0).to_string(), "1232010000/41371966801");
  EXPECT_EQ(expected_loss(pipeline, thousandfold_error(), Rational(7, 2)).to_string(), "1276949536000/771895089");
  EXPECT_EQ(expected_loss(pipeline, thousandfold_error(), Rational(351, 100)).to_string(),
            "2552438666271995640492212000/1542907143753726048154857");
}

// Figure 3: 20 people, 3 categories, uniform over all 231 histograms (the paper says 105).
TEST(ExpectedLoss, NoisyArgmaxOfTwentyPeopleAsInFigureThree) {
  const Pipeline pipeline = noisy_argmax(20, 3);
  Analyst analyst;
  analyst.goal = Analyst::Goal::argmax_accuracy;
  EXPECT_EQ(prior_of(analyst, pipeline).size(), 231U);
  EXPECT_EQ(expected_loss_bounds(pipeline, analyst, Rational(1, 2)).to_decimal(7), "0.1330283");
  EXPECT_EQ(expected_loss_bounds(pipeline, analyst, Rational(1)).to_decimal(7), "0.0629183");
}

TEST(ExpectedLoss, EnclosuresHoldTheExactOne) {
  // epsilon = (1/2) ln 9 has the rational exponential 3, which the enclosing route is not told here.
  const Exponent half = Exponent::log(Rational(9001, 1000), Rational(1, 2));
  const RealBounds bounds = expected_loss_bounds(known_others(), thousandfold_error(), half);
  EXPECT_LT(bounds.lower, bounds.upper);
  EXPECT_LT(bounds.upper - bounds.lower, Rational::dyadic(1, -120));
  const RealBounds odds = odds_bounds(half);
  EXPECT_LT((odds.lower).pow(2), Rational(9001, 1000));
  EXPECT_GT((odds.upper).pow(2), Rational(9001, 1000));
  const Rational near = expected_loss(known_others(), thousandfold_error(), odds.lower);
  EXPECT_LT(near - bounds.upper, Rational::dyadic(1, -120));
  EXPECT_LT(bounds.lower - near, Rational::dyadic(1, -120));
}

// A row stands for all tuples with its composition: guessing one of them is as hard as among all nine rows.
TEST(ExpectedLoss, GuessingEveryoneCountsArrangements) {
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  const Channel one = pipeline.perturber.at(3);
  const Channel all = kronecker(one, one) * deterministic({2, 1, 1, 1, 0, 0, 1, 0, 0}, 3);
  EXPECT_EQ(expected_loss(pipeline, {}, 3), expected_loss(Prior::uniform(9), all, bayes_risk(9)));
}

TEST(Analyst, MustFitThePipeline) {
  EXPECT_THROW(loss_of(thousandfold_error(), pipeline_of(2, Perturber::geometric(3), summing())), Error);
  Analyst analyst;
  analyst.prior = Prior::uniform(2);
  EXPECT_THROW(prior_of(analyst, known_others()), Error);
}

}  // namespace
}  // namespace fractile::flow
