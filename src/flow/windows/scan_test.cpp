#include "flow/windows/scan.hpp"

#include <gtest/gtest.h>

#include "support/windows.hpp"

namespace fractile::flow {
namespace {

// What a scan comes upon, where nothing is isolated: the same window, by comparing losses.
TEST(ScannedWindows, HoldThoseThatAreIsolated) {
  const LossModel four_people(known_others(), thousandfold_error());
  std::vector<Rational> odds;
  for (int i = 0; i <= 100; ++i) odds.push_back(Rational(34, 10) + Rational(2 * i, 1000));
  const std::vector<UnstableWindow> windows = scanned_windows(four_people, odds);
  const std::vector<UnstableWindow> isolated = isolate(known_others(), thousandfold_error(), odds.front(), odds.back());
  ASSERT_EQ(windows.size(), 1U);
  ASSERT_EQ(isolated.size(), 1U);
  for (const auto& end : {&UnstableWindow::from, &UnstableWindow::to}) {
    EXPECT_LT((windows[0].*end).lower, (isolated[0].*end).lower);
    EXPECT_GT((windows[0].*end).upper, (isolated[0].*end).upper);
    EXPECT_LT((windows[0].*end).upper - (windows[0].*end).lower, Rational(1, 1'000'000));
  }
  ASSERT_TRUE(windows[0].proof.has_value());
  EXPECT_LT(windows[0].proof->odds_from, windows[0].proof->odds_to);
  EXPECT_LT(windows[0].proof->loss_from.upper, windows[0].proof->loss_to.lower);
  const std::vector<Rational> where_it_falls{2, 3, Rational(17, 5)};
  EXPECT_TRUE(scanned_windows(four_people, where_it_falls).empty());
}

}  // namespace
}  // namespace fractile::flow
