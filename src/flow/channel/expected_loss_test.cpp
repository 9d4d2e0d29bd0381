#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "flow/channel/papers.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "support/distributions.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

std::vector<Rational> random_distribution(std::size_t size) { return some_distribution(size, 8); }

Channel random_channel(std::size_t secrets, std::size_t observations) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t x = 0; x < secrets; ++x) rows.push_back(random_distribution(observations));
  return Channel(Matrix::of(rows));
}

Loss random_loss(std::size_t secrets, std::size_t actions) {
  Matrix losses(secrets, actions);
  for (std::size_t x = 0; x < secrets; ++x) {
    for (std::size_t w = 0; w < actions; ++w) losses(x, w) = Rational(*rc::gen::inRange(0, 20), 7);
  }
  return Loss(losses);
}

TEST(ExpectedLossOfAChannel, BayesRiskOfTwoRespondents) {
  const Channel channel(matrix({{"3/4", "1/4"}, {"1/4", "3/4"}}));
  EXPECT_EQ(expected_loss(Prior::uniform(2), channel, bayes_risk(2)), Rational(1, 4));
  EXPECT_EQ(expected_loss(Prior::uniform(2), bayes_risk(2)), Rational(1, 2));
  EXPECT_EQ(optimal_actions(Prior::uniform(2), channel, bayes_risk(2)), (std::vector<std::size_t>{0, 1}));
  const Prior sure({Rational(9, 10), Rational(1, 10)});
  EXPECT_EQ(optimal_actions(sure, channel, bayes_risk(2)), (std::vector<std::size_t>{0, 0}));
}

TEST(ExpectedLossOfAChannel, LossesAreThePapers) {
  EXPECT_EQ(linear_error({0, Rational(1, 2), 3}).matrix(),
            matrix({{"0", "1/2", "3"}, {"1/2", "0", "5/2"}, {"3", "5/2", "0"}}));
  EXPECT_EQ(squared_error({0, 2}).matrix(), matrix({{"0", "4"}, {"4", "0"}}));
  EXPECT_EQ(bayes_risk(2).scaled(3).matrix(), matrix({{"0", "3"}, {"3", "0"}}));
  EXPECT_THROW(Loss(matrix({{"-1"}})), Error);
  EXPECT_THROW(Prior({Rational(1, 2), Rational(1, 3)}), Error);
  EXPECT_THROW(Prior({Rational(3, 2), Rational(-1, 2)}), Error);
}

// Lemma 2.7: the best of all remaps attains the posterior uncertainty.
TEST(ExpectedLossOfAChannel, IsTheBestRemap) {
  EXPECT_TRUE(rc::check([] {
    const auto secrets = *rc::gen::inRange<std::size_t>(1, 4);
    const auto observations = *rc::gen::inRange<std::size_t>(1, 4);
    const auto actions = *rc::gen::inRange<std::size_t>(1, 4);
    const Prior prior(random_distribution(secrets));
    const Channel channel = random_channel(secrets, observations);
    const Loss loss = random_loss(secrets, actions);
    std::optional<Rational> least;
    std::vector<std::size_t> remap(observations);
    for (;;) {
      const Rational here = remapped_loss(prior, channel, loss, remap);
      if (!least || here < *least) least = here;
      std::size_t at = 0;
      while (at < observations && remap[at] + 1 == actions) remap[at++] = 0;
      if (at == observations) break;
      ++remap[at];
    }
    RC_ASSERT(*least == expected_loss(prior, channel, loss));
    RC_ASSERT(*least == remapped_loss(prior, channel, loss, optimal_actions(prior, channel, loss)));
  }));
}

// The data-processing inequality (section 2.1.2); and a release never raises the expected loss.
TEST(ExpectedLossOfAChannel, PostProcessingNeverHelps) {
  EXPECT_TRUE(rc::check([] {
    const auto secrets = *rc::gen::inRange<std::size_t>(1, 5);
    const Prior prior(random_distribution(secrets));
    const Channel first = random_channel(secrets, 3);
    const Channel second = random_channel(3, 4);
    const Loss loss = random_loss(secrets, 3);
    const Rational with = expected_loss(prior, first, loss);
    RC_ASSERT(with <= expected_loss(prior, first * second, loss));
    RC_ASSERT(expected_loss(prior, first * second, loss) <= expected_loss(prior, loss));
  }));
}

TEST(ExpectedLossOfAChannel, SizesMustFit) {
  const Channel channel(Matrix::identity(2));
  EXPECT_THROW(expected_loss(Prior::uniform(3), channel, bayes_risk(2)), Error);
  EXPECT_THROW(expected_loss(Prior::uniform(2), channel, bayes_risk(3)), Error);
  EXPECT_THROW(remapped_loss(Prior::uniform(2), channel, bayes_risk(2), {0}), Error);
  EXPECT_THROW(remapped_loss(Prior::uniform(2), channel, bayes_risk(2), {0, 2}), Error);
}

}  // namespace
}  // namespace fractile::flow
