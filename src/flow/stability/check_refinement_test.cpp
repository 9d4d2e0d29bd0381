#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "flow/channel/papers.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/exact_feasibility.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

using fractile::testing::leads_to;

// Sections 6.1, 6.2 and 7.1, and appendix F (three respondents).
TEST(CheckRefinement, ThePapersVerdicts) {
  const Perturber response = Perturber::randomized_response(3);
  const Perturber geometric = Perturber::geometric(3);
  for (const std::size_t participants : {std::size_t{2}, std::size_t{3}}) {
    EXPECT_TRUE(
        check_refinement(pipeline_of(participants, response, counting({1})), Odds(3), Odds(2)).refinement.refines());
    EXPECT_TRUE(
        check_refinement(pipeline_of(participants, response, summing()), Odds(3), Odds(2)).refinement.refuted());
    EXPECT_TRUE(
        check_refinement(pipeline_of(participants, geometric, counting({0})), Odds(3), Odds(2)).refinement.refuted());
    EXPECT_TRUE(check_refinement(pipeline_of(participants, geometric, counting({0, 2})), Odds(3), Odds(2))
                    .refinement.refines());
    EXPECT_TRUE(
        check_refinement(pipeline_of(participants, geometric, summing()), Odds(3), Odds(2)).refinement.refuted());
  }
  // Appendix D.1: the less private channel is worse for some analyst.
  EXPECT_TRUE(check_refinement(known_others(), Odds(Rational(351, 100)), Odds(Rational(7, 2))).refinement.refuted());
  // Lemma 8.2 and appendix D.2, instances: two people, three categories.
  EXPECT_TRUE(check_refinement(noisy_argmax(2, 3), Odds(3), Odds(2)).refinement.refuted());
}

// Appendix D.2: instability of noisy ArgMax without a prior or a loss. Two bars of height 0 or 1.
TEST(TheoremOne, FailsForNoisyArgmax) {
  const Perturber bar = Perturber::geometric(2);
  const Refinement single = refines(bar.at(Odds(3)), bar.at(Odds(2)));
  ASSERT_TRUE(single.refines());
  const Matrix& witness = std::get<Witness>(single.verdict).matrix;
  EXPECT_FALSE(theorem_one_condition(kronecker(witness, witness), {0, 1, 0, 0}));
  const Channel argmax = deterministic({0, 1, 0, 0}, 2);
  EXPECT_TRUE(
      refines(kronecker_power(bar.at(Odds(3)), 2) * argmax, kronecker_power(bar.at(Odds(2)), 2) * argmax).refuted());
}

// The verdict about a thousand people follows from that about one.
TEST(CheckRefinement, CountsOfManyPeople) {
  const PipelineRefinement many =
      check_refinement(pipeline_of(1000, Perturber::randomized_response(3), counting({1})), Odds(3), Odds(2));
  ASSERT_TRUE(many.refinement.refines());
  EXPECT_EQ(std::get<Witness>(many.refinement.verdict).matrix.rows(), 2U);
  const PipelineRefinement refuted =
      check_refinement(pipeline_of(100, Perturber::geometric(3), counting({0})), Odds(3), Odds(2));
  EXPECT_TRUE(refuted.refinement.refuted());
  EXPECT_EQ(refuted.secrets.size(), 3U);
}

/// The losses of a refutation among so many that exact ones take minutes.
const Counterexample& bounded_losses(const PipelineRefinement& answer) {
  EXPECT_TRUE(answer.refinement.refuted());
  EXPECT_TRUE(answer.are_losses_bounds);
  return std::get<Counterexample>(answer.refinement.verdict);
}

// docs/proofs/stability.md, "Known others": to this analyst all counts at `from` are worth the same, and they lose 1/2.
TEST(CheckRefinement, CountsOfAMillionPeopleAreRefutedByBounds) {
  Pipeline known = pipeline_of(1'000'000, Perturber::geometric(3), counting({0}));
  const PipelineRefinement everyone = check_refinement(known, Odds(3), Odds(2));
  known.secret = {Secret::Kind::target, {500'000, 300'000, 199'999}};
  const PipelineRefinement target = check_refinement(known, Odds(3), Odds(2));
  for (const PipelineRefinement* answer : {&everyone, &target}) {
    const Counterexample& found = bounded_losses(*answer);
    EXPECT_LE(found.loss_from, Rational(1, 2));
    EXPECT_GT(found.loss_from, Rational(1, 2) - Rational::dyadic(1, -90));
    EXPECT_LT(found.loss_to, Rational(499'999, 1'000'000));
    EXPECT_GT(found.loss_to, Rational(499, 1000));
  }
}

// Where exact losses are short, they stay exact; those of the same people at long odds are bounded, and agree.
TEST(CheckRefinement, LossesOfManyPeopleAreExactWhereTheyAreShort) {
  Pipeline known = pipeline_of(3000, Perturber::geometric(3), counting({0}));
  known.secret = {Secret::Kind::target, {1000, 1000, 999}};
  const Counterexample exact = std::get<Counterexample>(check_refinement(known, Odds(3), Odds(2)).refinement.verdict);
  EXPECT_FALSE(check_refinement(known, Odds(3), Odds(2)).are_losses_bounds);
  EXPECT_EQ(exact.loss_from, Rational(1, 2));
  const Rational near = Rational::dyadic(1, -200);
  const Counterexample bounded =
      bounded_losses(check_refinement(known, Odds(Rational(3) + near), Odds(Rational(2) + near)));
  const Rational reach = Rational::dyadic(1, -80);
  EXPECT_LT(exact.loss_from - reach, bounded.loss_from);
  EXPECT_LT(bounded.loss_from, exact.loss_from + reach);
  EXPECT_LT(exact.loss_to - reach, bounded.loss_to);
  EXPECT_LT(bounded.loss_to, exact.loss_to + reach);
}

// The count of a target and of known others has rank 2, where a linear program finds no witness in time: counting again is one.
TEST(CheckRefinement, OneAmongKnownIsCountedAgain) {
  for (const std::size_t participants : {std::size_t{2}, std::size_t{30}, std::size_t{100}}) {
    Pipeline known = pipeline_of(participants, Perturber::randomized_response(3), counting({0}));
    known.secret = {Secret::Kind::target, {participants / 2, participants - 1 - participants / 2}};
    const PipelineRefinement answer = check_refinement(known, Odds(3), Odds(2));
    ASSERT_TRUE(answer.refinement.refines());
    ASSERT_TRUE(answer.about);
    EXPECT_EQ(answer.about->secret.kind, Secret::Kind::target);
    EXPECT_TRUE(verify(channel_at(known, Odds(3)).channel, channel_at(known, Odds(2)).channel,
                       std::get<Witness>(answer.refinement.verdict)));
    EXPECT_FALSE(check_refinement(known, Odds(2), Odds(3)).refinement.refines());
  }
}

// The witness of all people would have 361,201 entries of 150 digits and more. From one participant's, everyone's is composed.
TEST(CheckRefinement, CountsAmongHundredsAreProvedByOneParticipant) {
  Pipeline everyone = pipeline_of(600, Perturber::randomized_response(2), summing());
  Pipeline target = everyone;
  target.secret = {Secret::Kind::target, {300, 299}};
  for (const Pipeline& asked : {everyone, target}) {
    const PipelineRefinement answer = check_refinement(asked, Odds(3), Odds(2));
    ASSERT_TRUE(answer.refinement.refines());
    ASSERT_TRUE(answer.about);
    EXPECT_EQ(answer.about->participants, 1U);
    EXPECT_EQ(answer.about->secret.kind, Secret::Kind::everyone);
    EXPECT_TRUE(verify(channel_at(*answer.about, Odds(3)).channel, channel_at(*answer.about, Odds(2)).channel,
                       std::get<Witness>(answer.refinement.verdict)));
    EXPECT_TRUE(check_refinement(asked, Odds(2), Odds(3)).refinement.refuted());
  }
}

// By an interior-point method: the simplex method takes a minute for ninety people.
TEST(CheckRefinement, SumsAmongMoreThanAHundredAreProved) {
  Pipeline known = pipeline_of(112, Perturber::randomized_response(3), summing());
  known.secret = {Secret::Kind::target, {60, 40, 11}};
  const PipelineRefinement answer = check_refinement(known, Odds(3), Odds(2));
  ASSERT_TRUE(answer.refinement.refines());
  EXPECT_TRUE(verify(channel_at(known, Odds(3)).channel, channel_at(known, Odds(2)).channel,
                     std::get<Witness>(answer.refinement.verdict)));
  EXPECT_FALSE(check_refinement(known, Odds(2), Odds(3)).refinement.refines());
}

// With four values the least total refutes, which comes up once in 10^43 cases: too seldom for enclosures.
TEST(CheckRefinement, SumsOfFourValuesAreRefutedByTheRarestTotals) {
  for (const std::size_t each : {std::size_t{3}, std::size_t{27}}) {
    Pipeline known = pipeline_of(4 * each + 1, Perturber::randomized_response(4), summing());
    known.secret = {Secret::Kind::target, std::vector<std::size_t>(4, each)};
    const PipelineRefinement answer = check_refinement(known, Odds(3), Odds(2));
    ASSERT_TRUE(answer.refinement.refuted());
    EXPECT_TRUE(verify(channel_at(known, Odds(3)).channel, channel_at(known, Odds(2)).channel,
                       std::get<Counterexample>(answer.refinement.verdict)));
    EXPECT_NE(answer.refinement.reason.find("once in some 10^"), std::string::npos);
  }
}

// A linear program has four million variables here. There is no verdict without a certificate: a bet after one total is found, or
// the pair stays undecided.
TEST(CheckRefinement, SumsAmongAThousandAreRefutedOrUndecidedAtOnce) {
  Pipeline known = pipeline_of(1000, Perturber::geometric(3), summing());
  known.secret = {Secret::Kind::target, {500, 300, 199}};
  const PipelineRefinement answer = check_refinement(known, Odds(3), Odds(2));
  ASSERT_TRUE(answer.refinement.refuted());
  const Counterexample& bet = std::get<Counterexample>(answer.refinement.verdict);
  EXPECT_LT(bet.loss_to, bet.loss_from);
  EXPECT_EQ(bet.loss.actions().size(), 2U);
  Pipeline responses = pipeline_of(1000, Perturber::randomized_response(3), summing());
  responses.secret = {Secret::Kind::target, {333, 333, 333}};
  const PipelineRefinement open = check_refinement(responses, Odds(3), Odds(2));
  EXPECT_FALSE(open.refinement.refines() || open.refinement.refuted());
  // A perturber that tells two values apart better at a smaller epsilon would be refuted: here with `from` and `to` exchanged.
  const PipelineRefinement reversed = check_refinement(known, Odds(2), Odds(3));
  ASSERT_TRUE(reversed.refinement.refuted());
  const Counterexample& found = std::get<Counterexample>(reversed.refinement.verdict);
  EXPECT_LT(found.loss_to, found.loss_from);
}

// The same bet refutes where there are too many people for the channel to be written out: once in 10^381 cases.
TEST(CheckRefinement, SumsOfFourValuesAmongAThousandAreRefutedByTheRarestTotals) {
  Pipeline known = pipeline_of(1201, Perturber::randomized_response(4), summing());
  known.secret = {Secret::Kind::target, std::vector<std::size_t>(4, 300)};
  const PipelineRefinement answer = check_refinement(known, Odds(3), Odds(2));
  ASSERT_TRUE(answer.refinement.refuted());
  EXPECT_FALSE(answer.are_losses_bounds);
  const Counterexample& found = std::get<Counterexample>(answer.refinement.verdict);
  EXPECT_LT(found.loss_to, found.loss_from);
  EXPECT_LT(found.loss_from - found.loss_to, Rational::dyadic(1, -1000));
  EXPECT_NE(answer.refinement.reason.find("once in some 10^"), std::string::npos);
}

Channel random_perturber(std::size_t values) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t x = 0; x < values; ++x) {
    std::vector<Rational> row;
    Rational sum;
    for (std::size_t y = 0; y < values; ++y) {
      row.emplace_back(*rc::gen::inRange(y == x ? 1 : 0, 6));
      sum += row.back();
    }
    for (Rational& p : row) p /= sum;
    rows.push_back(std::move(row));
  }
  return Channel(Matrix::of(rows));
}

// docs/proofs/stability.md, "Counting": the closed criterion and elimination agree, for any perturbers.
TEST(Counting, CriterionIsRefinement) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 5);
    const auto participants = *rc::gen::inRange<std::size_t>(1, 4);
    const Channel first = random_perturber(values);
    // Half of the time an affine image, so that both verdicts occur.
    const bool affine = *rc::gen::arbitrary<bool>();
    const Rational offset(*rc::gen::inRange(-1, 4), 6);
    const Rational end(*rc::gen::inRange(2, 8), 6);
    std::vector<Rational> counted;
    std::vector<Rational> image;
    std::vector<std::vector<Rational>> rows;
    for (std::size_t x = 0; x < values; ++x) {
      counted.push_back(first(x, 0));
      const Rational p = affine ? offset + (end - offset) * first(x, 0) : Rational(*rc::gen::inRange(0, 5), 4);
      RC_PRE(p.sign() >= 0 && p <= 1);
      image.push_back(p);
      rows.push_back(std::vector<Rational>(values));
      rows.back()[0] = p;
      rows.back()[1] = Rational(1) - p;
    }
    const Pipeline before = pipeline_of(participants, Perturber::fixed(first), counting({0}));
    const Pipeline after = pipeline_of(participants, Perturber::fixed(Channel(Matrix::of(rows))), counting({0}));
    const Refinement refinement = refines(channel_at(before, Odds(1)).channel, channel_at(after, Odds(1)).channel);
    RC_ASSERT(refinement.refines() == recount(counted, image).has_value());
    RC_ASSERT(refinement.refines() != refinement.refuted());
  }));
}

// At odds that are next to equal the verdict is that of the channels, and the roles are not mixed up.
TEST(CheckRefinement, DecidesAtNearlyEqualOdds) {
  for (const Rational& lower : {Rational(2'999'999, 1'000'000), Rational(3) - Rational(1, 10).pow(40)}) {
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3)}) {
      for (const PostProcessor& post : {counting({0}), counting({0, 2}), summing(), taking_the_mode()}) {
        const Pipeline pipeline = pipeline_of(2, perturber, post);
        const Matrix more = channel_at(pipeline, Odds(3)).channel.matrix();
        const Matrix less = channel_at(pipeline, Odds(lower)).channel.matrix();
        EXPECT_EQ(check_refinement(pipeline, Odds(3), Odds(lower)).refinement.refines(), leads_to(more, less));
        EXPECT_EQ(check_refinement(pipeline, Odds(lower), Odds(3)).refinement.refines(), leads_to(less, more));
      }
    }
    const Pipeline counts = pipeline_of(3, Perturber::randomized_response(3), counting({0}));
    EXPECT_TRUE(check_refinement(counts, Odds(3), Odds(lower)).refinement.refines());
    EXPECT_TRUE(check_refinement(counts, Odds(lower), Odds(3)).refinement.refuted());
    const Pipeline sums = pipeline_of(2, Perturber::randomized_response(3), summing());
    EXPECT_TRUE(check_refinement(sums, Odds(3), Odds(lower)).refinement.refuted());
  }
}

}  // namespace
}  // namespace fractile::flow
