#include "flow/refinement/single_bet.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "flow/refinement/two_actions.hpp"
#include "support/drawn_channels.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

std::optional<SingleBet> bet_between(const Matrix& from, const Matrix& to) {
  return single_bet(columns_of(from), columns_of(to));
}

bool refutes(const SingleBet& bet, const Matrix& from, const Matrix& to) {
  const Prior prior = Prior::uniform(from.rows());
  const Loss loss(bet_losses(bet.costs));
  return expected_loss(prior, Channel(to), loss) < expected_loss(prior, Channel(from), loss);
}

// The suggested analyst loses less with the second channel; where the second is a post-processing of the first, none is suggested.
TEST(SingleBet, Refutes) {
  std::size_t found = 0;
  EXPECT_TRUE(rc::check([&] {
    Drawing draw(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t rows = 3 + draw.below(3);
    const Matrix from = draw.stochastic(rows, 3 + draw.below(4), draw.below(3));
    const Matrix to = draw.stochastic(rows, 1 + draw.below(4), draw.below(3));
    if (const auto bet = bet_between(from, to)) {
      ++found;
      RC_ASSERT(refutes(*bet, from, to));
    }
    const Matrix noise = draw.stochastic(from.columns(), 1 + draw.below(4), draw.below(3));
    RC_ASSERT(!bet_between(from, from * noise).has_value());
  }));
  EXPECT_GT(found, 0U);
}

// Beliefs after the least total are a mixture of those after others, which come up too seldom: of four values, and not of three.
TEST(SingleBet, SeesHowSeldomObservationsAre) {
  for (const std::size_t people : {std::size_t{3}, std::size_t{50}}) {
    Pipeline four = pipeline_of(4 * people + 1, Perturber::randomized_response(4), summing());
    four.secret = {Secret::Kind::target, std::vector<std::size_t>(4, people)};
    const Matrix from = channel_at(four, Odds(3)).channel.matrix();
    const Matrix to = channel_at(four, Odds(2)).channel.matrix();
    const std::optional<SingleBet> bet = bet_between(from, to);
    ASSERT_TRUE(bet.has_value());
    EXPECT_TRUE(refutes(*bet, from, to));
    Pipeline three = pipeline_of(3 * people + 1, Perturber::randomized_response(3), summing());
    three.secret = {Secret::Kind::target, std::vector<std::size_t>(3, people)};
    EXPECT_FALSE(bet_between(channel_at(three, Odds(3)).channel.matrix(), channel_at(three, Odds(2)).channel.matrix()));
  }
}

TEST(SingleBet, SaysHowSeldomItIsOffered) {
  const SingleBet bet{{1, -1, 0}, -50};
  EXPECT_EQ(bet.how_seldom(), " once in some 10^15 cases");
  EXPECT_EQ((SingleBet{{1, -1, 0}, -3}).how_seldom(), "");
}

}  // namespace
}  // namespace fractile::flow
