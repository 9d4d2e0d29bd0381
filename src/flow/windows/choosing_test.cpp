#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/errors.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

using enum ServedRange::Answer;

std::vector<ServedRange> served_by(const Pipeline& pipeline, const Analyst& analyst, const Rational& most_loss,
                                   const Rational& from, const Rational& to) {
  return served_ranges(pipeline, analyst, {most_loss, find_windows(pipeline, analyst, OddsRange(from, to))},
                       OddsRange(from, to));
}

/// Expects that the ranges reach from one end to the other, that neighbors differ, and that unknown ranges are narrow and lie
/// between different answers.
void expect_complete(const std::vector<ServedRange>& ranges, const Rational& from, const Rational& to) {
  ASSERT_FALSE(ranges.empty());
  EXPECT_EQ(ranges.front().from, from);
  EXPECT_EQ(ranges.back().to, to);
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    EXPECT_EQ(ranges[i].to, ranges[i + 1].from);
    EXPECT_NE(ranges[i].answer, ranges[i + 1].answer);
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].answer == unknown) {
      EXPECT_TRUE(ranges[i].is_narrow());
    }
  }
}

// Appendix D.1: between two ranges that serve, a larger epsilon costs more.
TEST(ServedRanges, AppendixD1HasTwo) {
  const Rational most = Rational::parse("1654.305");
  const std::vector<ServedRange> ranges = served_by(known_others(), thousandfold_error(), most, 1, 100);
  expect_complete(ranges, 1, 100);
  ASSERT_EQ(ranges.size(), 7U);
  EXPECT_EQ(ranges[0].answer, not_served);
  EXPECT_EQ(ranges[2].answer, served);
  EXPECT_EQ(ranges[4].answer, not_served);
  EXPECT_EQ(ranges[6].answer, served);
  const auto loss = [](const Rational& odds) {
    return expected_loss(known_others(), thousandfold_error(), Odds(odds));
  };
  for (const std::size_t i : {2U, 6U}) {
    EXPECT_LE(loss(ranges[i].from), most);
    EXPECT_LE(loss(ranges[i].to), most);
    EXPECT_LE(loss((ranges[i].from + ranges[i].to) / 2), most);
  }
  for (const std::size_t i : {0U, 4U}) {
    EXPECT_GT(loss(ranges[i].from), most);
    EXPECT_GT(loss(ranges[i].to), most);
    EXPECT_GT(loss((ranges[i].from + ranges[i].to) / 2), most);
  }
}

// Every epsilon serves an analyst who bears the loss without a release, even where nothing is known of windows.
TEST(ServedRanges, TheLossWithoutAReleaseIsBorneEverywhere) {
  const Pipeline pipeline{
      3, {0, 1, 2}, Perturber::release({CentralMechanism::Kind::approximate, {Rational(1, 3), Rational(3, 4)}}, 3), {}};
  Analyst analyst;
  analyst.goal = Analyst::Goal::bayes_risk;
  const RealBounds without = loss_without_release(pipeline, analyst);
  EXPECT_EQ(without.lower, Rational(26, 27));  // one of 27 arrangements is guessed
  EXPECT_EQ(without.upper, without.lower);
  const std::vector<ServedRange> ranges = served_by(pipeline, analyst, without.upper, 2, 3);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges.front().answer, served);
}

// The loss at an end equals the target: by exact comparison it is borne.
TEST(ServedRanges, ALossThatIsExactlyBorneServes) {
  const Rational most = expected_loss(known_others(), thousandfold_error(), Odds(3));
  EXPECT_EQ(served_by(known_others(), thousandfold_error(), most, 3, Rational(7, 2)).front().answer, served);
  EXPECT_EQ(
      served_by(known_others(), thousandfold_error(), most - Rational(1, 1000), 3, Rational(301, 100)).front().answer,
      not_served);
}

TEST(ServedRanges, WhatIsBorneWithoutAReleaseServesEverywhere) {
  const Rational prior = expected_loss(known_others(), thousandfold_error(), Odds(1));
  const std::vector<ServedRange> ranges = served_by(known_others(), thousandfold_error(), prior, 1, 50);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].answer, served);
}

// Where it is unknown whether the loss rises, the odds between two compared ones are unknown as well.
TEST(ServedRanges, KnowNothingWithoutWindows) {
  const Windows none{Windows::Method::none, {}, {{2, 3}}};
  const auto ranges = served_ranges(known_others(), thousandfold_error(), {1654, none}, OddsRange(2, 3));
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].answer, unknown);
  const Windows half{Windows::Method::enclosed, {}, {{2, Rational(5, 2)}}};
  const auto rest = served_ranges(known_others(), thousandfold_error(), {1000, half}, OddsRange(2, 3));
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].answer, unknown);
  EXPECT_EQ(rest[1].answer, not_served);
  EXPECT_EQ(rest[1].from, Rational(5, 2));
}

TEST(ServedRanges, OfThousandsOfPeople) {
  const Pipeline pipeline = counting_among(Perturber::geometric(4), {900, 500, 300, 800}, {1});
  const Analyst analyst;
  const Rational most = Rational::parse("0.7");
  const std::vector<ServedRange> ranges = served_by(pipeline, analyst, most, 2, 1000);
  ASSERT_FALSE(ranges.empty());
  EXPECT_EQ(ranges.front().answer, not_served);
  for (const ServedRange& range : ranges) {
    if (range.answer == unknown) continue;
    const RealBounds loss = expected_loss_bounds(pipeline, analyst, Exponent::log((range.from + range.to) / 2));
    EXPECT_TRUE(range.answer == served ? loss.upper <= most : loss.lower > most);
  }
}

TEST(ServedRanges, StopWhenAsked) {
  const Windows windows = find_windows(known_others(), thousandfold_error(), OddsRange(2, 4));
  const auto ranges =
      served_ranges(known_others(), thousandfold_error(), {1654, windows}, OddsRange(2, 4), [] { return true; });
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].answer, unknown);
}

TEST(ServedRanges, RefuseWhatIsNoRange) {
  EXPECT_THROW(served_by(known_others(), thousandfold_error(), 1, 3, 3), Error);
  EXPECT_THROW(served_ranges(known_others(), thousandfold_error(), {1, {}}, OddsRange(Rational(1, 2), 3)), Error);
}

// One analyst who is not served is enough; where one is unknown and none is certainly not served, all together are unknown.
TEST(ServedTogether, EveryoneMustBeServed) {
  const std::vector<ServedRange> one{{1, 4, not_served}, {4, 5, unknown}, {5, 9, served}};
  const std::vector<ServedRange> other{{1, 2, served}, {2, 7, served}, {7, 8, unknown}, {8, 9, not_served}};
  const std::vector<ServedRange> both = served_together({one, other});
  const std::vector<std::pair<Rational, ServedRange::Answer>> expected{
      {4, not_served}, {5, unknown}, {7, served}, {8, unknown}, {9, not_served}};
  ASSERT_EQ(both.size(), expected.size());
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_EQ(both[i].to, expected[i].first);
    EXPECT_EQ(both[i].answer, expected[i].second);
  }
  EXPECT_EQ(served_together({one}).size(), one.size());
  EXPECT_TRUE(served_together({}).empty());
}

TEST(ServedTogether, RangesMustBeTheSame) {
  const std::vector<ServedRange> whole{{1, 4, served}};
  const auto are_refused = [&](const std::vector<std::vector<ServedRange>>& each) {
    return testing::code_of([&] { served_together(each); }) == ErrorCode::usage;
  };
  EXPECT_TRUE(are_refused({whole, {}}));
  EXPECT_TRUE(are_refused({std::vector<ServedRange>{}}));
  EXPECT_TRUE(are_refused({{{1, 2, served}}, {{3, 4, served}}}));
  EXPECT_TRUE(are_refused({whole, {{1, 3, served}}}));
  EXPECT_TRUE(are_refused({whole, {{2, 4, served}}}));
  EXPECT_TRUE(are_refused({whole, {{1, 2, served}, {3, 4, served}}}));
  EXPECT_TRUE(are_refused({whole, {{1, 3, served}, {2, 4, served}}}));
  EXPECT_TRUE(are_refused({whole, {{2, 4, served}, {1, 2, served}}}));
  EXPECT_FALSE(are_refused({whole, {{1, 2, served}, {2, 4, unknown}}}));
}

}  // namespace
}  // namespace fractile::flow
