// One entry to windows, however they are found.
#include "support/windows.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

using enum Windows::Method;

/// The method that is chosen, asked over an empty range so that it takes no time.
Windows::Method method_for(const Pipeline& pipeline, const Analyst& analyst) {
  return find_windows(pipeline, analyst, OddsRange(2, 2)).method;
}

TEST(FindWindows, EnclosesWherePolynomialsAreMany) {
  EXPECT_EQ(method_for(noisy_argmax(20, 3), mode_guesser()), isolated);
  EXPECT_EQ(method_for(noisy_argmax(60, 4), mode_guesser()), enclosed);
  EXPECT_EQ(method_for(noisy_argmax(60, 4), {}), isolated);  // there is no other way
  EXPECT_EQ(method_for(known_others(), thousandfold_error()), isolated);
  EXPECT_EQ(method_for(adding_among(Perturber::geometric(4), {2, 1, 0, 1}, {0, 1, 2, 3}), {}), isolated);
  EXPECT_EQ(method_for(adding_among(Perturber::geometric(4), {9, 5, 0, 10}, {0, 1, 2, 3}), {}), enclosed);
  EXPECT_EQ(method_for(counting_among(Perturber::geometric(3), {5000, 4000, 2000}, {1}), {}), enclosed);
}

// A median of so many records has polynomials of a degree of 400, and nothing encloses its loss on cells.
TEST(FindWindows, KnowsNothingOfOthers) {
  const Pipeline many{51, whole_values(4), Perturber::release({}, 4), {}, {Secret::Kind::target, {20, 10, 10, 10}}};
  const Windows unknown = find_windows(many, {}, OddsRange(2, 3));
  EXPECT_EQ(unknown.method, none);
  EXPECT_FALSE(unknown.are_all());
  ASSERT_EQ(unknown.undecided.size(), 1U);
  EXPECT_EQ(unknown.undecided[0].lower, Rational(2));
  EXPECT_EQ(unknown.undecided[0].upper, Rational(3));
}

TEST(FindWindows, TellsUpToWhereAllIsDone) {
  Rational last = 0;
  const WindowSearch search{[&](const Rational& odds) {
    EXPECT_GT(odds, last);
    last = odds;
  }};
  const Pipeline pipeline = counting_among(Perturber::geometric(4), {200, 100, 100, 200}, {1});
  EXPECT_EQ(find_windows(pipeline, {}, OddsRange(2, Rational(9, 4)), search).method, enclosed);
  EXPECT_EQ(last, Rational(9, 4));
}

// After the stop everything is undecided up to the end of the range; what was decided before stays decided.
TEST(FindWindows, StopsWhenAsked) {
  Rational done = 2;
  std::atomic<int> asked = 0;
  WindowSearch search;
  search.progress = [&](const Rational& odds) { done = odds; };
  search.stop = [&] { return ++asked > 1; };
  const Pipeline pipeline = counting_among(Perturber::geometric(4), {200, 100, 100, 200}, {1});
  const Windows answer = find_windows(pipeline, {}, OddsRange(2, 100), search);
  EXPECT_EQ(answer.method, enclosed);
  EXPECT_TRUE(answer.is_stopped);
  EXPECT_LT(done, Rational(100));
  ASSERT_EQ(answer.undecided.size(), 1U);
  EXPECT_EQ(answer.undecided[0].lower, done);
  EXPECT_EQ(answer.undecided[0].upper, Rational(100));
  search.stop = [] { return false; };
  const Windows all = find_windows(pipeline, {}, OddsRange(2, Rational(9, 4)), search);
  EXPECT_TRUE(all.undecided.empty());
  EXPECT_FALSE(all.is_stopped);
}

TEST(FindWindows, RefusesWhatIsNoRange) {
  EXPECT_THROW(find_windows(known_others(), thousandfold_error(), OddsRange(Rational(1, 2), 2)), Error);
  EXPECT_THROW(find_windows(known_others(), thousandfold_error(), OddsRange(3, 2)), Error);
}

// A comparison that nothing can fail would prove nothing: an answer fails that is undecided everywhere, leaves a window out,
// invents one, or moves its end.
TEST(DifferenceOf, SeesWhatDiffers) {
  const std::vector<UnstableWindow> exact{{{3, 3}, {4, 4}, Rise{}}};
  const Windows right{enclosed, exact};
  EXPECT_EQ(difference_of(right, exact, 1, 100), "");
  EXPECT_EQ(difference_of({enclosed, {}, {{1, 100}}}, exact, 1, 100), "too much is undecided");
  EXPECT_EQ(difference_of({enclosed, {}, {{1, 100}}}, {}, 1, 100), "too much is undecided");
  EXPECT_EQ(difference_of({enclosed}, exact, 1, 100), "a window is missing");
  EXPECT_EQ(difference_of(right, {}, 1, 100), "a window is none");
  EXPECT_EQ(difference_of({enclosed, {{{3, 3}, {5, 5}, Rise{}}}}, exact, 1, 100), "a window ends elsewhere");
  EXPECT_EQ(difference_of({enclosed, {{{3, 3}, {4, 4}}}}, exact, 1, 100), "a window has no proof");
}

// The same channel, given as a matrix in odds or as one perturber per participant.
TEST(FindWindows, AreThoseOfTheChannel) {
  Pipeline known = pipeline_of(3, Perturber::geometric(3), counting({0}));
  known.secret = Secret::target_knowing({0, 1});
  Pipeline written = known;
  written.perturber = Perturber::in_odds({{"odds/(odds+1)", "(odds-1)/(odds*(odds + 1))", "1/(odds^2+odds)"},
                                          {"1/(odds+1)", "(odds-1)/(odds+1)", "1/(odds+1)"},
                                          {"1/(odds^2+odds)", "(odds-1)/(odds*(odds + 1))", "odds/(odds+1)"}});
  Pipeline each = known;
  each.perturber = Perturber::by_participant(std::vector<Perturber>(3, Perturber::geometric(3)));
  for (const Analyst::Goal goal : {Analyst::Goal::linear_error, Analyst::Goal::bayes_risk}) {
    Analyst analyst;
    analyst.goal = goal;
    const Windows expected = find_windows(known, analyst, OddsRange(1, 9));
    for (const Pipeline& other : {written, each}) {
      const Windows found = find_windows(other, analyst, OddsRange(1, 9));
      EXPECT_TRUE(found.are_all());
      ASSERT_EQ(found.windows.size(), expected.windows.size());
      for (std::size_t i = 0; i < found.windows.size(); ++i) {
        EXPECT_LE(found.windows[i].from.lower, expected.windows[i].from.upper);
        EXPECT_GE(found.windows[i].from.upper, expected.windows[i].from.lower);
      }
      EXPECT_EQ(expected_loss(other, analyst, Odds(3)), expected_loss(known, analyst, Odds(3)));
    }
  }
}

}  // namespace
}  // namespace fractile::flow
