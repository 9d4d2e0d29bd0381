// Verdicts about refinement against an independent decider. docs/proofs/refinement.md
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <sstream>

#include "flow/algebra/rational_program.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "support/drawn_channels.hpp"
#include "support/exact_feasibility.hpp"
#include "support/pipelines.hpp"
#include "support/statistics.hpp"

namespace fractile::flow {
namespace {

using fractile::testing::leads_to;

// Appendix B. The paper prints 7/30, 8/15, 7/30 as the middle row.
TEST(Refinement, GeometricWitnessIsTheProductWithTheInverse) {
  const Refinement refinement = refines(g3, g2);
  ASSERT_TRUE(refinement.refines());
  EXPECT_EQ(std::get<Witness>(refinement.verdict).matrix,
            matrix({{"5/6", "1/12", "1/12"}, {"5/24", "7/12", "5/24"}, {"1/12", "1/12", "5/6"}}));
  EXPECT_TRUE(refines(g2, g3).refuted());
}

TEST(Refinement, AsksForAsManySecrets) { EXPECT_THROW(refines(g3, channel({{"1"}, {"1"}})), Error); }

// --- What can go wrong at the edges -----------------------------------------------------------------------------------

std::string shown(const Matrix& matrix) {
  std::ostringstream text;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (const Rational& entry : matrix.row(i)) text << entry.to_string() << ' ';
    text << '\n';
  }
  return text.str();
}

bool verified(const Channel& from, const Channel& to, const Refinement& refinement) {
  if (refinement.refines()) return verify(from, to, std::get<Witness>(refinement.verdict));
  return refinement.refuted() && verify(from, to, std::get<Counterexample>(refinement.verdict));
}

/// The verdict is what the simplex method in rationals says, and comes with a certificate that holds.
void expect_decided_rightly(const Channel& from, const Channel& to) {
  const Refinement refinement = refines(from, to);
  EXPECT_EQ(refinement.refines(), leads_to(from.matrix(), to.matrix())) << refinement.reason << "\nfrom\n"
                                                                        << shown(from.matrix()) << "to\n"
                                                                        << shown(to.matrix());
  EXPECT_TRUE(verified(from, to, refinement)) << refinement.reason << "\nfrom\n"
                                              << shown(from.matrix()) << "to\n"
                                              << shown(to.matrix());
}

TEST(Refinement, DecidesTheSmallestChannels) {
  const std::vector<Channel> channels = {
      channel({{"1"}, {"1"}}),
      channel({{"0", "1"}, {"0", "1"}}),
      channel({{"1", "0"}, {"0", "1"}}),
      channel({{"0", "1"}, {"1", "0"}}),
      channel({{"1/2", "1/2"}, {"1/2", "1/2"}}),
      channel({{"1/2", "1/2"}, {"0", "1"}}),
      channel({{"1/2", "0", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/4", "1/4", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/2", "1/3", "1/6"}, {"1/6", "1/3", "1/2"}}),
      channel({{"1/3", "1/3", "1/3", "0"}, {"0", "1/3", "1/3", "1/3"}}),
  };
  for (const Channel& from : channels) {
    for (const Channel& to : channels) expect_decided_rightly(from, to);
  }
  const Channel one_secret = channel({{"1/3", "2/3"}});
  expect_decided_rightly(one_secret, channel({{"1"}}));
  expect_decided_rightly(channel({{"1"}}), one_secret);
}

// --- Against the independent decider ----------------------------------------------------------------------------------

TEST(Refinement, AgreesWithTheSimplexMethodInRationals) {
  std::map<std::string, int> reasons;
  const std::uint64_t pairs = fractile::testing::effort(1000, 200);
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair = drawn_pair(seed);
    expect_decided_rightly(pair.from, pair.to);
    ++reasons[refines(pair.from, pair.to).reason];
  }
  // All ways to a verdict occur, except that rounding decides whether the last two (the simplex method in rationals) are needed.
  EXPECT_GE(reasons.size(), 5U);
}

TEST(RationalProgram, ProvesItsAnswer) {
  int feasible = 0;
  const auto runs = static_cast<int>(fractile::testing::effort(300));
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    Drawing drawing(static_cast<std::uint64_t>(run));
    const std::size_t variables = 1 + drawing.below(5);
    std::vector<std::vector<Rational>> equations(1 + drawing.below(4), std::vector<Rational>(variables));
    std::vector<Rational> right;
    for (std::vector<Rational>& equation : equations) {
      for (Rational& entry : equation) entry = static_cast<std::int64_t>(drawing.below(7)) - 3;
      right.emplace_back(static_cast<std::int64_t>(drawing.below(3)));
    }
    const auto dot = [](const std::vector<Rational>& a, const std::vector<Rational>& b) {
      Rational sum;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const Feasibility found = solve_program(equations, right);
    EXPECT_EQ(found.is_feasible, fractile::testing::FeasibilityTableau(equations, right).is_feasible());
    if (found.is_feasible) {
      ++feasible;
      for (const Rational& entry : found.solution) EXPECT_GE(entry.sign(), 0);
      for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(dot(equations[i], found.solution), right[i]);
      continue;
    }
    EXPECT_GT(dot(found.prices, right).sign(), 0);
    for (std::size_t j = 0; j < variables; ++j) {
      std::vector<Rational> column;
      for (const std::vector<Rational>& equation : equations) column.push_back(equation[j]);
      EXPECT_LE(dot(found.prices, column).sign(), 0);
    }
  }
  EXPECT_GT(feasible, runs / 10);
  EXPECT_LT(feasible, runs - runs / 10);
}

// --- Near ties --------------------------------------------------------------------------------------------------------

const Rational a_millionth_less(2'999'999, 1'000'000);
const Rational hardly_less = Rational(3) - Rational(1, 10).pow(40);

TEST(Refinement, OneAnswerIsWorthMoreAtHigherOdds) {
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(2), Perturber::randomized_response(5),
                                       Perturber::geometric(2), Perturber::geometric(3), Perturber::geometric(5)}) {
      const Channel more = perturber.at(Odds(3));
      const Channel less = perturber.at(Odds(lower));
      EXPECT_TRUE(refines(more, less).refines());
      EXPECT_TRUE(refines(less, more).refuted());
      EXPECT_TRUE(verified(more, less, refines(more, less)));
      EXPECT_TRUE(verified(less, more, refines(less, more)));
    }
  }
}

TEST(Refinement, ChannelsOfPipelinesAreDecidedAtNearlyEqualOdds) {
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3)}) {
      for (const PostProcessor& post : {counting({0}), counting({0, 2}), summing(), taking_the_mode()}) {
        const Pipeline pipeline = pipeline_of(2, perturber, post);
        const Channel more = channel_at(pipeline, Odds(3)).channel;
        const Channel less = channel_at(pipeline, Odds(lower)).channel;
        expect_decided_rightly(more, less);
        expect_decided_rightly(less, more);
      }
    }
  }
}

// The same with linearly dependent columns.
TEST(Refinement, MixedAnswersAreDecidedAtNearlyEqualOdds) {
  Drawing drawing(1);
  const Channel mixer(drawing.stochastic(3, 5, 1));
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3)}) {
      const Channel more = perturber.at(Odds(3)) * mixer;
      const Channel less = perturber.at(Odds(lower)) * mixer;
      expect_decided_rightly(more, less);
      expect_decided_rightly(less, more);
      expect_decided_rightly(more, perturber.at(Odds(lower)));
    }
  }
}

// --- What holds for all channels --------------------------------------------------------------------------------------

TEST(Refinement, EveryChannelRefinesItself) {
  EXPECT_TRUE(rc::check("both of a pair", [] {
    const Pair pair = any_pair();
    RC_ASSERT(refines(pair.from, pair.from).refines());
    RC_ASSERT(refines(pair.to, pair.to).refines());
  }));
}

TEST(Refinement, WhatIsMadeOfAChannelIsNeverWorthMore) {
  EXPECT_TRUE(rc::check("post-processing", [] {
    Drawing drawing = any_drawing();
    const Channel from = any_channel(drawing);
    RC_ASSERT(refines(from, from * any_after(drawing, from)).refines());
  }));
}

TEST(Refinement, WitnessesCompose) {
  EXPECT_TRUE(rc::check("their product", [] {
    Drawing drawing = any_drawing();
    const Channel first = any_channel(drawing);
    const Channel second = first * any_after(drawing, first);
    const Channel third = second * any_after(drawing, second);
    const Refinement one = refines(first, second);
    const Refinement two = refines(second, third);
    RC_ASSERT(one.refines() && two.refines());
    const Matrix product = std::get<Witness>(one.verdict).matrix * std::get<Witness>(two.verdict).matrix;
    RC_ASSERT(verify(first, third, Witness{product}));
    RC_ASSERT(refines(first, third).refines());
  }));
}

// The easy half of Theorem 2.4: an analyst whom verify() accepts excludes every witness.
TEST(Refinement, NoAnalystContradictsAWitness) {
  const std::uint64_t pairs = fractile::testing::effort(1000, 200);
  std::uint64_t contradictions = 0;
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    const Pair pair = drawn_pair(seed);
    Drawing drawing(seed + 1);
    const Counterexample analyst = any_analyst(drawing, pair.from, pair.to);
    const bool prefers_the_second = analyst.loss_to < analyst.loss_from;
    EXPECT_EQ(verify(pair.from, pair.to, analyst), prefers_the_second) << seed;
    if (!prefers_the_second) continue;
    ++contradictions;
    EXPECT_FALSE(leads_to(pair.from.matrix(), pair.to.matrix())) << seed;
    EXPECT_TRUE(refines(pair.from, pair.to).refuted()) << seed;
  }
  EXPECT_GT(contradictions, pairs / 50);
}

// Six answers of four values: columns are dependent, and no linear program is asked.
TEST(Mixtures, AreFoundHoweverManyAnswersThereAre) {
  const auto subsets = [](const Rational& odds) {
    std::vector<std::vector<Rational>> rows(4, std::vector<Rational>(6));
    for (std::size_t x = 0; x < 4; ++x) {
      std::size_t y = 0;
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = a + 1; b < 4; ++b) rows[x][y++] = (a == x || b == x ? odds : Rational(1)) / (odds * 3 + 3);
      }
    }
    return Channel(Matrix::of(rows));
  };
  const Refinement less = refines(subsets(3), subsets(2));
  ASSERT_TRUE(less.refines());
  EXPECT_TRUE(verify(subsets(3), subsets(2), std::get<Witness>(less.verdict)));
  EXPECT_EQ(less.reason, "the second is the first with some probability, and otherwise reveals nothing");
  EXPECT_TRUE(refines(subsets(2), subsets(3)).refuted());
}

TEST(Mixtures, SayWhatTheyAre) {
  const Channel one = channel({{"1/2", "1/2"}, {"1/4", "3/4"}});
  EXPECT_EQ(refines(one, one).reason, "both channels are the same");
  EXPECT_EQ(refines(one, channel({{"1/3", "2/3"}, {"1/3", "2/3"}})).reason, "the second reveals nothing");
}

// Half of the first column and a remainder with a negative part: this is not a mixture, and is decided in another way.
TEST(Mixtures, HaveNoNegativeParts) {
  const Channel from = channel({{"1/2", "1/2"}, {"1/4", "3/4"}});
  const Channel to = channel({{"1/8", "7/8"}, {"0", "1"}});
  const Refinement answer = refines(from, to);
  EXPECT_NE(answer.reason, "the second is the first with some probability, and otherwise reveals nothing");
  EXPECT_TRUE(answer.refines() || answer.refuted());
}

}  // namespace
}  // namespace fractile::flow
