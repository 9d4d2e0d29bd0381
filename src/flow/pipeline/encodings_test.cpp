// Perturbers whose answers are not values, and participants with different epsilons.
#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

std::vector<std::pair<const char*, Perturber>> encodings(std::size_t values) {
  return {{"subset", Perturber::subset_selection(values, 1 + (values - 1) / 2)},
          {"hadamard", Perturber::hadamard(values)},
          {"symmetric", Perturber::symmetric_unary(values)},
          {"optimized", Perturber::optimized_unary(values)}};
}

// Rows add up to 1 (Channel checks it), and their epsilon is the one by which the perturber is named.
TEST(Encodings, CostWhatTheyAreCalledBy) {
  for (std::size_t values = 2; values <= 5; ++values) {
    for (const auto& [name, perturber] : encodings(values)) {
      const Channel channel = perturber.at(Odds(9));
      EXPECT_EQ(smallest_epsilon(channel, discrete_metric(values)), Exponent::log(9)) << name << values;
      EXPECT_EQ(channel.secrets().size(), values);
    }
  }
}

TEST(Encodings, AreThoseOfThePapers) {
  EXPECT_EQ(Perturber::subset_selection(3, 2).at(Odds(3)).matrix(),
            matrix({{"3/7", "3/7", "1/7"}, {"3/7", "1/7", "3/7"}, {"1/7", "3/7", "3/7"}}));
  EXPECT_EQ(Perturber::hadamard(3).at(Odds(3)).matrix(),
            matrix({{"3/8", "1/8", "3/8", "1/8"}, {"3/8", "3/8", "1/8", "1/8"}, {"3/8", "1/8", "1/8", "3/8"}}));
  EXPECT_EQ(Perturber::symmetric_unary(2).at(Odds(9)).matrix(),
            matrix({{"3/16", "1/16", "9/16", "3/16"}, {"3/16", "9/16", "1/16", "3/16"}}));
  EXPECT_EQ(Perturber::optimized_unary(2).at(Odds(3)).matrix(),
            matrix({{"3/8", "1/8", "3/8", "1/8"}, {"3/8", "3/8", "1/8", "1/8"}}));
  EXPECT_EQ(subset_answers(3, 2), (std::vector<Rational>{110, 101, 11}));
  EXPECT_EQ(unary_answers(2), (std::vector<Rational>{0, 1, 10, 11}));
}

// A smaller epsilon is a refinement: for every pair of odds, and by a proof over the range.
TEST(Encodings, LessEpsilonIsARefinement) {
  for (std::size_t values = 2; values <= 4; ++values) {
    for (const auto& [name, perturber] : encodings(values)) {
      Pipeline one{1, whole_values(values), perturber, {}, {}, whole_values(perturber.answers())};
      EXPECT_EQ(check_stability(one, OddsRange(4, 9)).verdict, Stability::Verdict::stable) << name << values;
      EXPECT_TRUE(check_refinement(one, Odds(9), Odds(4)).refinement.refines()) << name << values;
      EXPECT_TRUE(check_refinement(one, Odds(4), Odds(9)).refinement.refuted()) << name << values;
      one.participants = 3;
      one.post.kind = PostProcessor::Kind::shuffle;
      EXPECT_EQ(check_stability(one, OddsRange(4, 9)).verdict, Stability::Verdict::stable) << name << values;
    }
  }
}

TEST(Encodings, RefuseWhatCannotBe) {
  EXPECT_THROW(Perturber::subset_selection(3, 3), Error);
  EXPECT_THROW(Perturber::subset_selection(3, 0), Error);
  EXPECT_THROW(Perturber::subset_selection(12, 6), Error);
  EXPECT_THROW(Perturber::symmetric_unary(9), Error);
  EXPECT_THROW(Perturber::symmetric_unary(2).at(Odds(3)), Error);
  EXPECT_THROW(Perturber::geometric(3).with_epsilon_times(0), Error);
}

TEST(RootsOfOdds, AreThePowersOfARoot) {
  const Perturber written = Perturber::in_odds(
      {{"odds^(1/2)/(odds^(1/2) + 1)", "1/(odds^(1/2) + 1)"}, {"1/(odds^(1/2) + 1)", "odds^(1/2)/(odds^(1/2) + 1)"}});
  const Perturber half = Perturber::randomized_response(2).with_epsilon_times(Rational(1, 2));
  EXPECT_EQ(written.root_degree(), 2);
  EXPECT_EQ(written.at(Odds(9)), half.at(Odds(9)));
  EXPECT_EQ(half.at(Odds(9)), Perturber::randomized_response(2).at(Odds(3)));
  EXPECT_EQ(Perturber::geometric(3).with_epsilon_times(2).at(Odds(3)), Perturber::geometric(3).at(Odds(9)));
  EXPECT_THROW(written.at(Odds(3)), Error);
  EXPECT_THROW(Perturber::in_odds({{"2^(1/2)", "1"}, {"1", "1"}}), Error);
  const Perturber thirds = Perturber::in_odds({{"odds^(2/3)/(odds^(2/3) + 1)", "1/(odds^(2/3) + 1)"}, {"1/2", "1/2"}});
  EXPECT_EQ(thirds.at(Odds(8)).matrix(), matrix({{"4/5", "1/5"}, {"1/2", "1/2"}}));
}

// Losses, windows and channels at odds that have no rational root are those at their powers.
TEST(RootsOfOdds, AreEnclosedAnywhere) {
  const Pipeline halved = pipeline_of(2, Perturber::geometric(3).with_epsilon_times(Rational(1, 2)), counting({0}));
  const Pipeline plain = pipeline_of(2, Perturber::geometric(3), counting({0}));
  const RealBounds loss = expected_loss_bounds(halved, {}, Exponent(Rational(2)));
  const RealBounds same = expected_loss_bounds(plain, {}, Exponent(Rational(1)));
  EXPECT_LE(loss.lower, same.upper);
  EXPECT_LE(same.lower, loss.upper);
  EXPECT_LT(loss.upper - loss.lower, Rational(1, 1'000'000'000));
  EXPECT_EQ(check_stability(halved, OddsRange(4, 9)).verdict, check_stability(plain, OddsRange(2, 3)).verdict);
}

// Participants of a group are exchangeable: a row stands for all arrangements within the groups.
TEST(Groups, AreArrangedAmongThemselves) {
  const Perturber response = Perturber::randomized_response(2);
  const Perturber weak = Perturber::fixed(response.at(Odds(2)));
  Pipeline pipeline =
      pipeline_of(5, Perturber::by_participant({response, response, response, weak, weak}), counting({1}));
  const PipelineChannel channel = channel_at(pipeline, Odds(3));
  EXPECT_EQ(channel.channel.secrets().size(), 12U);  // 4 times 3
  Rational all;
  for (const Rational& arrangements : channel.arrangements) all += arrangements;
  EXPECT_EQ(all, Rational(32));
  pipeline.post.kind = PostProcessor::Kind::identity;
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel.secrets().size(), 32U);
}

TEST(SmallestEpsilon, IsOfOneParticipant) {
  EXPECT_EQ(smallest_epsilon(pipeline_of(3, Perturber::randomized_response(3), {}), Odds(5)), Exponent::log(5));
  EXPECT_LE(*smallest_epsilon(pipeline_of(3, Perturber::randomized_response(3), summing()), Odds(5)), Exponent::log(5));
  EXPECT_EQ(smallest_epsilon(noisy_argmax(2, 3), Odds(3)), Exponent::log(9));  // a vote moves two bars
  EXPECT_FALSE(smallest_epsilon(pipeline_of(2, Perturber::fixed(Channel(Matrix::identity(2))), summing()), Odds(3)));
  const Perturber mixed = Perturber::by_participant(
      {Perturber::randomized_response(2), Perturber::fixed(Perturber::randomized_response(2).at(Odds(7)))});
  EXPECT_EQ(smallest_epsilon(pipeline_of(2, mixed, {}), Odds(3)), Exponent::log(7));
}

/// The same release, as a table of all tuples.
Pipeline with_tuples_listed(Pipeline pipeline) {
  pipeline.post = {PostProcessor::Kind::table};
  std::size_t tuples = 1;
  for (std::size_t i = 0; i < pipeline.participants; ++i) tuples *= pipeline.values.size();
  for (std::size_t tuple = 0; tuple < tuples; ++tuple) pipeline.post.image.push_back(tuple);
  return pipeline;
}

TEST(SmallestEpsilon, OfAnswersSideBySideIsThatOfTheCostliest) {
  const Perturber response = Perturber::randomized_response(3);
  const Perturber seven = Perturber::fixed(response.at(Odds(7)));
  const Perturber revealing = Perturber::fixed(Channel(Matrix::identity(3)));
  for (const Perturber& perturber :
       {response, Perturber::geometric(3), Perturber::by_participant({seven, response}),
        Perturber::by_participant({response, seven}), Perturber::by_participant({revealing, response})}) {
    Pipeline pipeline = pipeline_of(2, perturber, {});
    EXPECT_EQ(smallest_epsilon(pipeline, Odds(3)), smallest_epsilon(with_tuples_listed(pipeline), Odds(3)));
    pipeline.secret = Secret::target_knowing({1});
    EXPECT_EQ(smallest_epsilon(pipeline, Odds(3)), smallest_epsilon(with_tuples_listed(pipeline), Odds(3)));
  }
  // The channel of 300 people cannot be listed.
  EXPECT_EQ(smallest_epsilon(pipeline_of(300, Perturber::geometric(3), {}), Odds(3)), Exponent::log(9));
  Pipeline bars = noisy_argmax(2, 2);
  bars.post = {};
  EXPECT_EQ(smallest_epsilon(bars, Odds(3)), Exponent::log(9));  // a vote moves two bars
}

TEST(Encodings, OfManyValuesAreRefused) {
  EXPECT_EQ(unary_answers(8).size(), 256U);
  for (const std::size_t values : {std::size_t{9}, std::size_t{64}, std::size_t{65}, std::size_t{1} << 63}) {
    EXPECT_THROW(unary_answers(values), Error) << values;
    EXPECT_THROW(Perturber::symmetric_unary(values), Error) << values;
  }
  EXPECT_EQ(Perturber::hadamard(255).answers(), 256U);
  for (const std::size_t values : {std::size_t{256}, std::size_t{1} << 63, ~std::size_t{0}}) {
    EXPECT_THROW(Perturber::hadamard(values), Error) << values;
    EXPECT_THROW(Perturber::subset_selection(values, 2), Error) << values;
    EXPECT_THROW(subset_answers(values, 2), Error) << values;
  }
}

}  // namespace
}  // namespace fractile::flow
