#include "flow/stability/rough_totals.hpp"

#include <gtest/gtest.h>

#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Pipeline among(std::size_t each) {
  Pipeline known = pipeline_of(4 * each + 1, Perturber::randomized_response(4), summing());
  known.secret = {Secret::Kind::target, std::vector<std::size_t>(4, each)};
  return known;
}

void expect_the_same(const RoughColumns& here, std::size_t i, const RoughColumns& exact, std::size_t y) {
  EXPECT_NEAR(here.magnitudes[i], exact.magnitudes[y], 1e-9) << y;
  for (std::size_t x = 0; x < here.directions[i].size(); ++x) {
    EXPECT_NEAR(here.directions[i][x], exact.directions[y][x], 1e-12) << y << " " << x;
  }
}

// The totals at the ends have probabilities of 10^-190.
TEST(RoughTotals, AreTheChannelsColumns) {
  const Pipeline known = among(80);
  const RoughColumns exact = columns_of(channel_at(known, Odds(3)).channel.matrix());
  const TargetTotal sum(known, {});
  const RoughColumns all = all_totals(sum, 3);
  ASSERT_EQ(all.magnitudes.size(), exact.magnitudes.size());
  EXPECT_LT(all.magnitudes.front(), -400);
  for (std::size_t y = 0; y < all.magnitudes.size(); ++y) expect_the_same(all, y, exact, y);

  const RoughColumns likely = likely_totals(sum, 3);
  ASSERT_LT(likely.magnitudes.size(), all.magnitudes.size());
  const std::size_t first = (all.magnitudes.size() - likely.magnitudes.size()) / 2;  // the law is symmetric
  for (std::size_t i = 0; i < likely.magnitudes.size(); ++i) expect_the_same(likely, i, exact, first + i);
}

// No participant has the first value or the last one, and all answer truthfully, so that none adds it: tilts end all the same.
TEST(RoughTotals, EndWhereAnEndIsNeverReached) {
  Pipeline known = pipeline_of(9, Perturber::fixed(Channel(Matrix::identity(3))), summing());
  known.secret = {Secret::Kind::target, {0, 8, 0}};
  const RoughColumns all = all_totals(TargetTotal(known, {}), 3);
  EXPECT_EQ(all.magnitudes.size(), 3U);
}

// Some totals stand for thousands.
TEST(RoughTotals, AreNotTooMany) {
  const RoughColumns all = all_totals(TargetTotal(among(2000), {}), 3);
  EXPECT_LE(all.magnitudes.size(), 3001U);
  EXPECT_GE(all.magnitudes.size(), 1500U);
}

}  // namespace
}  // namespace fractile::flow
