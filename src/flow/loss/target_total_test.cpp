#include "flow/loss/target_total.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>

#include "fractile/error.hpp"
#include "support/distributions.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

/// The expected loss by all rows of the channel.
Rational by_rows(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  return expected_loss(prior_of(analyst, pipeline), channel_at(pipeline, Odds(odds)).channel,
                       loss_of(analyst, pipeline));
}

Perturber some_perturber(std::size_t values) {
  const int kind = *rc::gen::inRange(0, 3);
  if (kind == 0) return Perturber::geometric(values);
  if (kind == 1) return Perturber::randomized_response(values);
  Matrix matrix(values, values);
  for (std::size_t x = 0; x < values; ++x) {  // with zeros and ones: some answers are certain
    const auto first = *rc::gen::inRange<std::size_t>(0, values);
    const auto second = *rc::gen::inRange<std::size_t>(0, values);
    const Rational p(*rc::gen::inRange(0, 4), 3);
    matrix(x, first) += p;
    matrix(x, second) += Rational(1) - p;
  }
  return Perturber::fixed(Channel(matrix));
}

/// A pipeline of up to eight people, of whom all but one are known.
Pipeline among_few(const PostProcessor& post) {
  const auto values = *rc::gen::inRange<std::size_t>(2, 5);
  const auto others = *rc::gen::inRange<std::size_t>(0, 7);
  Pipeline pipeline = pipeline_of(others + 1, some_perturber(values), post);
  std::vector<std::size_t> known(others);
  for (std::size_t& value : known) value = *rc::gen::inRange<std::size_t>(0, values);
  pipeline.secret = Secret::target_knowing(known);
  return pipeline;
}

Analyst some_analyst(std::size_t values) {
  Analyst analyst;
  analyst.goal =
      *rc::gen::element(Analyst::Goal::bayes_risk, Analyst::Goal::linear_error, Analyst::Goal::squared_error);
  analyst.prior = Prior(some_distribution(values, 5));
  return analyst;
}

Rational some_odds() { return Rational(1) + Rational(*rc::gen::inRange(0, 40), 7); }

// docs/proofs/target_loss.md: both routes give what the channel's rows give.
TEST(KnownOthers, LossIsThatOfTheRows) {
  EXPECT_TRUE(rc::check([] {
    Pipeline pipeline = among_few(counting({}));
    for (std::size_t value = 0; value < pipeline.values.size(); ++value) {
      if (*rc::gen::arbitrary<bool>()) pipeline.post.counted.push_back(value);
    }
    const Analyst analyst = some_analyst(pipeline.values.size());
    const Rational odds = some_odds();
    const Rational expected = by_rows(pipeline, analyst, odds);
    RC_ASSERT(TargetTotal(pipeline, analyst).exact_loss(odds) == expected);
    const Enclosure enclosed = TargetTotal(pipeline, analyst).loss(Enclosure::of(odds, 320));
    RC_ASSERT(enclosed.contains(expected));
    RC_ASSERT(radius(enclosed) < 1e-30);
  }));
}

TEST(KnownSums, LossIsThatOfTheRows) {
  EXPECT_TRUE(rc::check([] {
    Pipeline pipeline = among_few(summing());
    const bool goes_by_places = pipeline.perturber.is_geometric();
    if (!goes_by_places && *rc::gen::arbitrary<bool>())
      pipeline.values[1] = Rational(7, 2);  // no longer equally spaced
    const Analyst analyst = some_analyst(pipeline.values.size());
    const Rational odds = some_odds();
    const Enclosure enclosed = TargetTotal(pipeline, analyst).loss(Enclosure::of(odds, 320));
    const Rational expected = by_rows(pipeline, analyst, odds);
    RC_ASSERT(TargetTotal(pipeline, analyst).exact_loss(odds) == expected);
    RC_ASSERT(enclosed.contains(expected));
    RC_ASSERT(radius(enclosed) < 1e-30);
  }));
}

// Unlike with counts, one action may be best after both the least and the greatest sum, and another one between them.
TEST(KnownSums, AnActionMayBeBestBetweenTheEnds) {
  Pipeline pipeline = pipeline_of(2, Perturber::randomized_response(3), summing());
  pipeline.secret = Secret::target_knowing({1});
  Analyst analyst;
  analyst.goal = Analyst::Goal::matrix;
  analyst.losses = Matrix::of({{0, 1}, {1, 0}, {0, 1}});
  const Enclosure enclosed = TargetTotal(pipeline, analyst).loss(Enclosure::of(Rational(20), 320));
  EXPECT_TRUE(enclosed.contains(by_rows(pipeline, analyst, 20)));
  EXPECT_LT(radius(enclosed), 1e-30);
}

TEST(KnownSums, ExactLossesHaveAnEnd) {
  Pipeline pipeline = pipeline_of(300'000, Perturber::geometric(3), summing());
  pipeline.secret = Secret::target_among({100'000, 150'000, 50'000}, 300'000);
  EXPECT_THROW(TargetTotal(pipeline, {}).exact_loss(3), Error);
}

// A law so long that its ends are left out.
TEST(KnownSums, WhatIsLeftOutIsAccountedFor) {
  Pipeline pipeline = pipeline_of(400, Perturber::geometric(3), summing());
  pipeline.secret = Secret::target_among({100, 250, 50}, 400);
  for (const Rational& odds : {Rational(2), Rational(30)}) {
    const Enclosure enclosed = TargetTotal(pipeline, {}).loss(Enclosure::of(odds, 320));
    EXPECT_TRUE(enclosed.contains(by_rows(pipeline, {}, odds)));
    EXPECT_LT(radius(enclosed), 1e-35);
  }
}

TEST(KnownSums, ThousandsOfPeople) {
  Pipeline pipeline = pipeline_of(11'710, Perturber::geometric(6), summing());
  pipeline.secret = Secret::target_among({2358, 16, 38, 1, 9292, 5}, 11'710);
  Enclosure before = Enclosure::of(Rational(1));
  for (const char* epsilon : {"0.1", "1", "8"}) {
    const Enclosure odds = Enclosure::of(Exponent::parse(epsilon), 320).exp();
    const Enclosure loss = TargetTotal(pipeline, {}).loss(odds);
    EXPECT_LT(radius(loss), 1e-30);
    EXPECT_TRUE(certainly_less(loss, before));
    before = loss;
  }
}

TEST(KnownOthers, AValueIsCountedOnce) {
  Pipeline twice = known_others();
  twice.post.counted = {0, 0};
  EXPECT_EQ(expected_loss(twice, thousandfold_error(), Odds(3)),
            expected_loss(known_others(), thousandfold_error(), Odds(3)));
}

/// Section 9.2: 11,710 people, one of the modal status unknown; how many are jail inmates.
Pipeline custody(const Perturber& perturber) {
  Pipeline pipeline = pipeline_of(11710, perturber, counting({4}));
  pipeline.secret = {Secret::Kind::target, {2358, 16, 38, 1, 9291, 5}};
  return pipeline;
}

TEST(KnownOthers, ThousandsOfPeopleExactlyAndEnclosed) {
  for (const Perturber& perturber : {Perturber::geometric(6), Perturber::randomized_response(6)}) {
    const Pipeline pipeline = custody(perturber);
    const Rational exact = expected_loss(pipeline, {}, Odds(10));
    const RealBounds bounds = expected_loss_bounds(pipeline, {}, Exponent::log(10));
    EXPECT_LE(bounds.lower, exact);
    EXPECT_GE(bounds.upper, exact);
    EXPECT_LT(bounds.upper - bounds.lower, Rational(10).pow(-30));
  }
}

/// What a program in doubles computes: the others' law by one convolution after the other.
double in_doubles(const Pipeline& pipeline, const Prior& prior, double odds) {
  const std::size_t values = pipeline.values.size();
  const auto counted = [&](std::size_t value) {  // randomized response, value 4 is counted
    return (value == 4 ? odds : 1.0) / (odds + static_cast<double>(values) - 1);
  };
  std::vector<double> law{1.0};
  for (std::size_t value = 0; value < values; ++value) {
    const double p = counted(value);
    for (std::size_t person = 0; person < pipeline.secret.known[value]; ++person) {
      law.push_back(0);
      for (std::size_t y = law.size() - 1; y > 0; --y) law[y] = law[y] * (1 - p) + law[y - 1] * p;
      law[0] *= 1 - p;
    }
  }
  law.push_back(0);
  double loss = 0;
  for (std::size_t y = 0; y < law.size(); ++y) {
    double all = 0;
    double most = 0;
    for (std::size_t x = 0; x < values; ++x) {
      const double p = counted(x);
      const double joint = prior[x].to_double() * ((1 - p) * law[y] + p * (y > 0 ? law[y - 1] : 0));
      all += joint;
      most = std::max(most, joint);
    }
    loss += all - most;
  }
  return loss;
}

// Randomized response is stable (theorem 6.1), so no loss may rise with epsilon. In doubles it does.
TEST(KnownOthers, DoublesShowADipThatIsNotThere) {
  const Pipeline pipeline = custody(Perturber::randomized_response(6));
  Analyst analyst;
  std::vector<Rational> frequencies;
  for (const std::int64_t others : {2358, 16, 38, 1, 9291, 5}) frequencies.emplace_back(others, 11709);
  analyst.prior = Prior(frequencies);
  bool rises_in_doubles = false;
  bool rises = false;
  double last = 2;
  std::optional<RealBounds> before;
  for (int i = 1; i <= 6; ++i) {
    const Rational odds = Rational(1) + Rational(i, 5);
    const double rounded = in_doubles(pipeline, *analyst.prior, odds.to_double());
    rises_in_doubles = rises_in_doubles || rounded > last;
    last = rounded;
    const RealBounds here = expected_loss_bounds(pipeline, analyst, Exponent::log(odds));
    rises = rises || (before && here.lower > before->upper);
    before = here;
  }
  EXPECT_TRUE(rises_in_doubles);
  EXPECT_FALSE(rises);
}

// At odds -1 the loss was -3, and a root of them ended the process.
TEST(TargetTotal, OddsBelowOneAreRefused) {
  for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::symmetric_unary(3)}) {
    Pipeline pipeline = pipeline_of(3, perturber, counting({0}));
    pipeline.secret = Secret::target_knowing({0, 1});
    if (perturber.answers() > 3) pipeline.answers = unary_answers(3);
    for (const Rational& odds : {Rational(-1), Rational(0), Rational(1, 2)}) {
      EXPECT_THROW(expected_loss(pipeline, {}, Odds(odds)), Error) << odds.to_string();
      EXPECT_THROW(is_exact_at(pipeline, Odds(odds)), Error) << odds.to_string();
    }
    EXPECT_TRUE(is_exact_at(pipeline, Odds(1)));
  }
}

// The denominators' powers would not fit into memory.
TEST(TargetTotal, LossesOfTooManyPeopleAreRefused) {
  constexpr std::uint64_t many = std::uint64_t{1} << 38;
  Pipeline pipeline = pipeline_of(3 * many, Perturber::geometric(3), counting({0}));
  pipeline.secret = Secret::target_among({many, many, many}, 3 * many);
  EXPECT_THROW(expected_loss(pipeline, {}, Odds(2)), Error);
  pipeline.post = summing();
  EXPECT_THROW(expected_loss(pipeline, {}, Odds(2)), Error);
  pipeline.post.kind = PostProcessor::Kind::shuffle;
  EXPECT_THROW(channel_at(pipeline, Odds(2)), Error);
}

}  // namespace
}  // namespace fractile::flow
