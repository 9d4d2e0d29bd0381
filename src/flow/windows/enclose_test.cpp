// Windows that are enclosed, of counts and modes; those of sums are in local_sum_test.cpp.
#include "flow/windows/enclose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "support/properties.hpp"
#include "support/statistics.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

// Pipelines so small that both methods apply: they find the same windows, and the enclosed ends hold the exact ones.
TEST(EnclosedWindows, AreThoseThatAreIsolated) {
  EXPECT_TRUE(testing::check_cases(testing::effort(30), [] {
    const auto values = *rc::gen::inRange<std::size_t>(3, 6);
    std::vector<std::uint64_t> histogram(values);
    for (std::uint64_t& people : histogram) people = *rc::gen::inRange<std::uint64_t>(0, 5);
    std::vector<std::size_t> counted{*rc::gen::inRange<std::size_t>(0, values)};
    const Perturber perturber =
        *rc::gen::arbitrary<bool>() ? Perturber::geometric(values) : Perturber::randomized_response(values);
    Analyst analyst;
    analyst.goal =
        *rc::gen::element(Analyst::Goal::bayes_risk, Analyst::Goal::linear_error, Analyst::Goal::squared_error);
    expect_the_same(counting_among(perturber, histogram, counted), analyst, Rational(3, 2), 8);
  }));
}

// 1 - 10^-1000 of all counts leave this analyst with the most frequent value.
TEST(EnclosedWindows, AreDecidedHoweverUnlikely) {
  const Pipeline pipeline = counting_among(Perturber::geometric(6), {2358, 16, 38, 1, 9291, 5}, {4});
  Analyst analyst = with_weights({2358, 16, 38, 1, 9291, 5}, Matrix());
  analyst.goal = Analyst::Goal::linear_error;
  analyst.losses = {};
  const Windows answer = enclose(pipeline, analyst, 19, Rational(96, 5));
  EXPECT_TRUE(answer.windows.empty());
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, OfHighestBarsAreThoseThatAreIsolated) {
  EXPECT_TRUE(testing::check_cases(testing::effort(40), [] {
    const auto participants = *rc::gen::inRange<std::size_t>(2, 6);
    Pipeline pipeline = noisy_argmax(participants, *rc::gen::inRange<std::size_t>(2, 4));
    if (*rc::gen::arbitrary<bool>()) pipeline.perturber = Perturber::randomized_response(participants + 1);
    expect_the_same(pipeline, mode_guesser(), *rc::gen::element<Rational>(1, Rational(3, 2)), 9);
  }));
}

TEST(EnclosedWindows, AppendixD1) {
  const Windows answer = enclose(known_others(), thousandfold_error(), 1, 100);
  ASSERT_EQ(answer.windows.size(), 1U);
  const std::vector<UnstableWindow> exact = isolate(known_others(), thousandfold_error(), 1, 100);
  for (const auto& end : {&UnstableWindow::from, &UnstableWindow::to}) {
    EXPECT_LE((answer.windows[0].*end).lower, (exact[0].*end).lower);
    EXPECT_GE((answer.windows[0].*end).upper, (exact[0].*end).upper);
    EXPECT_LT((answer.windows[0].*end).upper - (answer.windows[0].*end).lower, Rational(1, 100'000'000));
  }
}

/// Expects that windows are proved by pairs of losses, and that losses on a grid rise only there.
Windows explain_a_grid(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
                       int points) {
  Windows answer = enclose(pipeline, analyst, from, to);
  for (const UnstableWindow& window : answer.windows) {
    EXPECT_TRUE(window.proof.has_value() && window.proof->loss_from.upper < window.proof->loss_to.lower);
  }
  const auto touches = [](const RealBounds& range, const Rational& low, const Rational& high) {
    return range.lower <= high && low <= range.upper;
  };
  Rational before = from;
  RealBounds loss_before = expected_loss_bounds(pipeline, analyst, Exponent::log(before));
  for (int i = 1; i <= points; ++i) {
    const Rational here = from + (to - from) * Rational(i, points);
    const RealBounds loss = expected_loss_bounds(pipeline, analyst, Exponent::log(here));
    bool may_rise =
        std::ranges::any_of(answer.undecided, [&](const RealBounds& range) { return touches(range, before, here); });
    bool rises = false;
    for (const UnstableWindow& window : answer.windows) {
      may_rise = may_rise || touches({window.from.lower, window.to.upper}, before, here);
      rises = rises || (window.from.upper <= before && here <= window.to.lower);
    }
    EXPECT_TRUE(may_rise || loss.lower <= loss_before.upper) << here.to_string();
    EXPECT_TRUE(!rises || loss.upper > loss_before.lower) << here.to_string();
    before = here;
    loss_before = loss;
  }
  return answer;
}

TEST(EnclosedWindows, ExplainAGridForHundredsOfPeople) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::squared_error;
  const Windows answer = explain_a_grid(counting_among(Perturber::geometric(6), {118, 1, 2, 0, 464, 1}, {4}), analyst,
                                        2, Rational(5, 2), 1000);
  EXPECT_GT(answer.windows.size(), 20U);
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, ExplainAGridOfSums) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  const Windows answer =
      explain_a_grid(adding_among(Perturber::geometric(4), {40, 5, 0, 60}, {0, 1, 2, 3}), analyst, 2, 4, 200);
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, ExplainAGridOfHighestBars) {
  const Windows answer = explain_a_grid(noisy_argmax(24, 4), mode_guesser(), Rational(5, 4), 9, 40);
  EXPECT_TRUE(answer.undecided.empty());
}

// A loss that does not depend on the count has no window, up to where it does; theorem 6.1 allows none at all.
TEST(EnclosedWindows, NoneForRandomizedResponse) {
  const Windows answer =
      enclose(counting_among(Perturber::randomized_response(4), {250, 300, 249, 200}, {0, 1}), {}, 2, 20);
  EXPECT_TRUE(answer.windows.empty());
  EXPECT_TRUE(answer.undecided.empty());
  EXPECT_FALSE(cell_losses(LossModel(noisy_argmax(2, 3), {})).has_value());
}

}  // namespace
}  // namespace fractile::flow
