#include "flow/refinement/three_secrets.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/drawn_channels.hpp"

namespace fractile::flow {
namespace {

RoughRows rough(const Matrix& channel) {
  RoughRows rows(channel.rows());
  for (std::size_t x = 0; x < channel.rows(); ++x) {
    for (const Rational& p : channel.row(x)) rows[x].push_back(p.to_double());
  }
  return rows;
}

// What is suggested is an analyst to whom the second is worth more; and of three secrets, where the second follows from the first, nothing
// is.
TEST(ThreeSecrets, BetsRefute) {
  std::size_t found = 0;
  EXPECT_TRUE(rc::check([&] {
    Drawing draw(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t rows = 3 + draw.below(2);
    const Matrix from = draw.stochastic(rows, 3 + draw.below(4), draw.below(3));
    const Matrix to = draw.stochastic(rows, 1 + draw.below(4), draw.below(3));
    const Channel first(from);
    const Channel second(to);
    if (const auto bet = bet_on_three(rough(from), rough(to))) {
      ++found;
      const Loss loss(losses_of_bet(*bet));
      const Prior prior = Prior::uniform(rows);
      RC_ASSERT(expected_loss(prior, second, loss) < expected_loss(prior, first, loss));
    }
    const Matrix noise = draw.stochastic(from.columns(), 1 + draw.below(4), draw.below(3));
    RC_ASSERT(!bet_on_three(rough(from), rough(from * noise)).has_value());
  }));
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace fractile::flow
