#include "flow/noisy_argmax.hpp"

#include <gtest/gtest.h>

#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Analyst mode_guesser() {
  Analyst analyst;
  analyst.goal = Analyst::Goal::argmax_accuracy;
  return analyst;
}

// docs/proofs/noisy_argmax.md: sums over histograms give what listing them gives.
TEST(NoisyArgmax, LossIsThatOfTheRows) {
  for (std::size_t bars = 2; bars <= 4; ++bars) {
    for (std::size_t participants = 1; participants <= 5; ++participants) {
      const Pipeline pipeline = noisy_argmax(participants, bars);
      for (const Rational& odds : {Rational(1), Rational(5, 4), Rational(3), Rational(100)}) {
        const Rational expected = utility(pipeline, mode_guesser(), odds);
        const Enclosure enclosed = loss_of_guessing_the_mode(pipeline, mode_guesser(), Enclosure::of(odds, 320));
        EXPECT_TRUE(enclosed.contains(expected)) << bars << " " << participants << " " << odds.to_string();
        EXPECT_LT(radius(enclosed), 1e-30);
      }
    }
  }
}

// Any perturber of bars, also one that is not geometric.
TEST(NoisyArgmax, TakesOtherPerturbers) {
  Pipeline pipeline = noisy_argmax(3, 3);
  pipeline.perturber = Perturber::fixed(Channel(
      matrix({{"1/2", "0", "1/2", "0"}, {"0", "1", "0", "0"}, {"1/3", "1/3", "0", "1/3"}, {"0", "0", "0", "1"}})));
  const Enclosure enclosed = loss_of_guessing_the_mode(pipeline, mode_guesser(), Enclosure::of(Rational(2), 320));
  EXPECT_TRUE(enclosed.contains(utility(pipeline, mode_guesser(), 2)));
}

// Large odds leave most distances out; what is left out is accounted for.
TEST(NoisyArgmax, FarHeightsAreAccountedFor) {
  const Pipeline pipeline = noisy_argmax(12, 3);
  const Rational odds = Rational::dyadic(1, 40);
  const Enclosure enclosed = loss_of_guessing_the_mode(pipeline, mode_guesser(), Enclosure::of(odds, 320));
  EXPECT_TRUE(enclosed.contains(utility(pipeline, mode_guesser(), odds)));
}

}  // namespace
}  // namespace fractile::flow
