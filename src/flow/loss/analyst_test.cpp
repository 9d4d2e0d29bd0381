#include <gtest/gtest.h>

#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// expected_loss(p, a, 2) once meant odds, and expected_loss_bounds(p, a, 2) an epsilon.
template <class Number>
concept HasALoss = requires(const Pipeline& pipeline, const Analyst& analyst, Number odds) {
  expected_loss(pipeline, analyst, odds);
};
template <class Number>
concept HasLossBounds = requires(const Pipeline& pipeline, const Analyst& analyst, Number epsilon) {
  expected_loss_bounds(pipeline, analyst, epsilon);
};
static_assert(HasALoss<Odds> && !HasALoss<int> && !HasALoss<Rational> && !HasALoss<Exponent>);
static_assert(HasLossBounds<Exponent> && !HasLossBounds<int> && !HasLossBounds<Rational> && !HasLossBounds<Odds>);

// Appendix D.1: both losses, and equation 37's and 75's corners.
TEST(ExpectedLoss, KnownOthersAsInAppendixD) {
  const Pipeline pipeline = known_others();
  const Channel counts = channel_at(pipeline, Odds(Rational(7, 2))).channel;
  EXPECT_EQ(counts(0, 0), Rational(196, 6561));
  EXPECT_EQ(counts(0, 2), Rational(1067, 2187));
  EXPECT_EQ(counts(3, 1), Rational(24793, 45927));
  EXPECT_EQ(counts(6, 4).to_string(), "256/15752961");
  const Channel after = channel_at(pipeline, Odds(Rational(351, 100))).channel;
  EXPECT_EQ(after(0, 0).to_string(), "1232010000/41371966801");
  EXPECT_EQ(expected_loss(pipeline, thousandfold_error(), Odds(Rational(7, 2))).to_string(), "1276949536000/771895089");
  EXPECT_EQ(expected_loss(pipeline, thousandfold_error(), Odds(Rational(351, 100))).to_string(),
            "2552438666271995640492212000/1542907143753726048154857");
}

// Figure 3: 20 people, 3 categories, uniform over all 231 histograms (the paper says 105).
TEST(ExpectedLoss, NoisyArgmaxOfTwentyPeopleAsInFigureThree) {
  const Pipeline pipeline = noisy_argmax(20, 3);
  Analyst analyst;
  analyst.goal = Analyst::Goal::argmax_accuracy;
  EXPECT_EQ(prior_of(analyst, pipeline).size(), 231U);
  EXPECT_EQ(expected_loss_bounds(pipeline, analyst, Exponent(Rational(1, 2))).to_decimal(7), "0.1330283");
  EXPECT_EQ(expected_loss_bounds(pipeline, analyst, Exponent(1)).to_decimal(7), "0.0629183");
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
  const Rational near = expected_loss(known_others(), thousandfold_error(), Odds(odds.lower));
  EXPECT_LT(near - bounds.upper, Rational::dyadic(1, -120));
  EXPECT_LT(bounds.lower - near, Rational::dyadic(1, -120));
}

// A row stands for all tuples with its composition: guessing one of them is as hard as among all nine rows.
TEST(ExpectedLoss, GuessingEveryoneCountsArrangements) {
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  const Channel one = pipeline.perturber.at(Odds(3));
  const Channel all = kronecker(one, one) * deterministic({2, 1, 1, 1, 0, 0, 1, 0, 0}, 3);
  EXPECT_EQ(expected_loss(pipeline, {}, Odds(3)), expected_loss(Prior::uniform(9), all, bayes_risk(9)));
}

TEST(Analyst, MustFitThePipeline) {
  EXPECT_THROW(loss_of(thousandfold_error(), pipeline_of(2, Perturber::geometric(3), summing())), Error);
  Analyst analyst;
  analyst.prior = Prior::uniform(2);
  EXPECT_THROW(prior_of(analyst, known_others()), Error);
}

// Section 9.1: "the 'distance' from the true mode", which the paper suspects of being unstable.
TEST(AnalystAbout, DistanceFromTheMode) {
  const Pipeline pipeline = noisy_argmax(3, 3);
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  analyst.about = taking_the_mode();
  const Loss loss = loss_of(analyst, pipeline);
  const PipelineChannel shown = channel_at(pipeline, Odds(3));
  for (std::size_t x = 0; x < shown.secrets.size(); ++x) {
    const std::vector<std::size_t>& bars = shown.secrets[x];
    const auto mode = std::ranges::max_element(bars) - bars.begin();
    for (std::int64_t w = 0; w < 3; ++w) {
      EXPECT_EQ(loss.matrix()(x, static_cast<std::size_t>(w)), Rational(std::abs(mode - w)));
    }
  }
  EXPECT_EQ(expected_loss(pipeline, analyst, Odds(3)), expected_loss(Prior::uniform(10), shown.channel, loss));
  // Argmax accuracy (equation 17), by the shortcut and by rows.
  analyst.goal = Analyst::Goal::bayes_risk;
  Analyst named;
  named.goal = Analyst::Goal::argmax_accuracy;
  EXPECT_EQ(loss_of(analyst, pipeline).matrix(), loss_of(named, pipeline).matrix());
  EXPECT_EQ(expected_loss(pipeline, analyst, Odds(3)), expected_loss(pipeline, named, Odds(3)));
}

TEST(AnalystAbout, TrueCountsSumsAndModes) {
  Pipeline pipeline = pipeline_of(3, Perturber::geometric(3), summing());
  pipeline.values = {1, 2, 3};
  for (const Secret::Kind kind : {Secret::Kind::everyone, Secret::Kind::target, Secret::Kind::histogram}) {
    Pipeline here = pipeline;
    here.secret = kind == Secret::Kind::target ? Secret::target_knowing({1, 1}) : Secret{kind};
    if (kind == Secret::Kind::histogram) {
      here.perturber = Perturber::geometric(4);
      here.post = taking_the_mode();
    }
    const PipelineChannel shown = channel_at(here, Odds(2));
    for (const PostProcessor& about : {counting({0, 2}), summing(), taking_the_mode()}) {
      // The same by a matrix of losses about the post-processor's output on unperturbed values.
      Pipeline truth = pipeline_of(3, Perturber::fixed(Channel(Matrix::identity(3))), about);
      truth.values = here.values;
      const PipelineChannel everyone = channel_at(truth, Odds(1));
      std::vector<Rational> truths;
      for (std::size_t x = 0; x < shown.secrets.size(); ++x) {
        std::vector<std::size_t> tuple = shown.secrets[x];
        if (kind == Secret::Kind::target) tuple = {1, 1, tuple[0]};
        if (kind == Secret::Kind::histogram) {
          tuple.clear();
          for (std::size_t value = 0; value < 3; ++value) tuple.insert(tuple.end(), shown.secrets[x][value], value);
        }
        std::ranges::sort(tuple);
        const auto row = std::ranges::find(everyone.secrets, tuple) - everyone.secrets.begin();
        const auto probabilities = everyone.channel.matrix().row(static_cast<std::size_t>(row));
        const auto at = std::ranges::find(probabilities, Rational(1)) - probabilities.begin();
        truths.push_back(Rational::parse(everyone.channel.observations()[static_cast<std::size_t>(at)]));
      }
      std::vector<Rational> guesses = truths;
      std::ranges::sort(guesses);
      guesses.erase(std::unique(guesses.begin(), guesses.end()), guesses.end());
      Analyst analyst;
      analyst.about = about;
      analyst.goal = Analyst::Goal::squared_error;
      analyst.scale = Rational(1, 2);
      Matrix losses(truths.size(), guesses.size());
      for (std::size_t x = 0; x < truths.size(); ++x) {
        for (std::size_t w = 0; w < guesses.size(); ++w) {
          losses(x, w) = (truths[x] - guesses[w]) * (truths[x] - guesses[w]) / 2;
        }
      }
      EXPECT_EQ(loss_of(analyst, here).matrix(), losses);
      EXPECT_EQ(expected_loss(here, analyst, Odds(2)),
                expected_loss(prior_of(analyst, here), shown.channel, Loss(losses)));
    }
  }
}

TEST(AnalystAbout, NeedsAGoalAndAQuestionThatFit) {
  const Pipeline pipeline = noisy_argmax(2, 3);
  Analyst analyst;
  analyst.about = taking_the_mode();
  analyst.goal = Analyst::Goal::argmax_accuracy;
  EXPECT_THROW(loss_of(analyst, pipeline), Error);
  analyst.goal = Analyst::Goal::linear_error;
  analyst.about = PostProcessor{};
  EXPECT_THROW(loss_of(analyst, pipeline), Error);
  analyst.about = counting({3});
  EXPECT_THROW(loss_of(analyst, pipeline), Error);
}

// C(19, 2) histograms of 20 people and three values have no empty bar.
TEST(Prior, UniformOverFullHistograms) {
  const Prior prior = uniform_over_full_histograms(noisy_argmax(20, 3));
  ASSERT_EQ(prior.size(), 231U);
  EXPECT_EQ(std::ranges::count(prior.probabilities(), Rational(1, 171)), 171);
  EXPECT_EQ(std::ranges::count(prior.probabilities(), Rational(0)), 60);
  // Tuples, arranged in any order.
  Pipeline everyone = pipeline_of(4, Perturber::geometric(3), summing());
  const Prior rows = uniform_over_full_histograms(everyone);
  everyone.post = {};
  const Prior tuples = uniform_over_full_histograms(everyone);
  const PipelineChannel shown = channel_at(everyone, Odds(2));
  everyone.post = summing();
  const PipelineChannel grouped = channel_at(everyone, Odds(2));
  for (std::size_t x = 0; x < grouped.secrets.size(); ++x) {
    Rational sum;
    for (std::size_t y = 0; y < shown.secrets.size(); ++y) {
      std::vector<std::size_t> sorted = shown.secrets[y];
      std::ranges::sort(sorted);
      if (sorted == grouped.secrets[x]) sum += tuples[y];
    }
    EXPECT_EQ(sum, rows[x]);
  }
  EXPECT_THROW(uniform_over_full_histograms(noisy_argmax(2, 3)), Error);
  everyone.secret = Secret::target_knowing({0, 1, 2});
  EXPECT_THROW(uniform_over_full_histograms(everyone), Error);
}

}  // namespace
}  // namespace fractile::flow
