#include "flow/windows/isolate.hpp"

#include <gtest/gtest.h>

#include "support/windows.hpp"

namespace fractile::flow {
namespace {

// Appendix D.1: the loss rises between these odds, and grids miss it.
TEST(IsolatedWindows, KnownOthersHaveOne) {
  const std::vector<UnstableWindow> windows = isolate(known_others(), thousandfold_error(), 1, 1000);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].from.to_decimal(6), "3.500545");
  EXPECT_EQ(windows[0].to.to_decimal(6), "3.516615");
  const Rational lowest = expected_loss(known_others(), thousandfold_error(), Odds(windows[0].from.upper));
  const Rational highest = expected_loss(known_others(), thousandfold_error(), Odds(windows[0].to.lower));
  EXPECT_LT(lowest, highest);
}

TEST(IsolatedWindows, EndAtTheRangesEnds) {
  const std::vector<UnstableWindow> windows =
      isolate(known_others(), thousandfold_error(), Rational(351, 100), Rational(703, 200));
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].from.lower, Rational(351, 100));
  EXPECT_EQ(windows[0].to.upper, Rational(703, 200));
}

/// Whether the loss falls from one odds to the next in a row of them, apart from the windows.
void expect_windows_to_explain(const Pipeline& pipeline, const Analyst& analyst, const Rational& to, int points) {
  const std::vector<UnstableWindow> windows = isolate(pipeline, analyst, 1, to);
  Rational before = expected_loss(pipeline, analyst, Odds(1));
  Rational odds = 1;
  for (int i = 1; i <= points; ++i) {
    const Rational next = Rational(1) + (to - 1) * Rational(i, points);
    const Rational here = expected_loss(pipeline, analyst, Odds(next));
    bool touched = false;
    bool inside = false;
    for (const UnstableWindow& window : windows) {
      touched = touched || (window.from.lower < next && window.to.upper > odds);
      inside = inside || (window.from.upper <= odds && next <= window.to.lower);
    }
    EXPECT_TRUE(touched || here <= before) << next.to_string();
    EXPECT_TRUE(!inside || here > before) << next.to_string();
    odds = next;
    before = here;
  }
}

TEST(IsolatedWindows, AreWhereTheLossRises) {
  expect_windows_to_explain(known_others(), thousandfold_error(), 5, 200);
  for (const PostProcessor& post : {counting({0}), counting({1}), summing()}) {
    for (const Analyst::Goal goal : {Analyst::Goal::bayes_risk, Analyst::Goal::squared_error}) {
      Pipeline pipeline = pipeline_of(3, Perturber::geometric(4), post);
      pipeline.secret = Secret::target_knowing({3, 1});
      Analyst analyst;
      analyst.goal = goal;
      analyst.prior = Prior({Rational(1, 2), Rational(1, 10), Rational(1, 5), Rational(1, 5)});
      expect_windows_to_explain(pipeline, analyst, 12, 40);
    }
  }
}

TEST(IsolatedWindows, NoneForAStablePipeline) {
  const Pipeline pipeline = pipeline_of(3, Perturber::randomized_response(3), counting({0}));
  EXPECT_TRUE(isolate(pipeline, {}, 1, 100).empty());
}

}  // namespace
}  // namespace fractile::flow
