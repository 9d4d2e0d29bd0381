#include "flow/refinement/two_secrets.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/drawn_channels.hpp"

namespace fractile::flow {
namespace {

Rational guessing_error(const Matrix& channel, std::size_t one, std::size_t other, const Rational& weight) {
  Rational error;
  for (std::size_t y = 0; y < channel.columns(); ++y) error += std::min(channel(one, y), weight * channel(other, y));
  return error;
}

// Two secrets that are found are told apart better by the second channel. Where none are found, no weights of a grid show any two
// that are.
TEST(TwoSecrets, AreToldApartOrNot) {
  EXPECT_TRUE(rc::check([] {
    Drawing draw(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t rows = 2 + draw.below(2);
    const Matrix from = draw.stochastic(rows, 1 + draw.below(4), draw.below(3));
    const Matrix to = draw.stochastic(rows, 1 + draw.below(4), draw.below(3));
    const std::optional<TwoSecrets> found = told_apart(from, to);
    if (found) {
      RC_ASSERT(guessing_error(from, found->one, found->other, found->weight) >
                guessing_error(to, found->one, found->other, found->weight));
      return;
    }
    for (std::size_t one = 0; one < rows; ++one) {
      for (std::size_t other = one + 1; other < rows; ++other) {
        for (std::int64_t i = 1; i < 60; ++i) {
          const Rational weight(i, 60 - i);
          RC_ASSERT(guessing_error(from, one, other, weight) <= guessing_error(to, one, other, weight));
        }
      }
    }
  }));
}

}  // namespace
}  // namespace fractile::flow
