#include "experiments/metrics.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace fractile::experiments {
namespace {

const QuantileFraction half{1, 2};

/// A profile of records on the candidates 0 .. 9.
RankProfile profile_of(std::initializer_list<std::int64_t> records) {
  ProfileBuilder builder(Lattice::regular(0, 9, 1));
  for (const std::int64_t record : records) builder.add(record);
  return builder.finish();
}

Errors median_errors(const RankProfile& profile, std::uint64_t released) {
  return errors_of(profile, std::vector{half}, std::vector{released});
}

TEST(Metrics, TheTrueQuantileHasFloorOfQNRecordsBelow) {
  const RankProfile profile = profile_of({1, 3, 5, 7});
  EXPECT_EQ(true_quantile(profile, {0, 1}), 1u);
  EXPECT_EQ(true_quantile(profile, {1, 4}), 3u);
  EXPECT_EQ(true_quantile(profile, {1, 3}), 3u);  // floor(4 / 3) = 1
  EXPECT_EQ(true_quantile(profile, half), 5u);
  EXPECT_EQ(true_quantile(profile, {1, 1}), 7u);  // there is no record above all
}

TEST(Metrics, RecordsByRank) {
  const RankProfile profile = profile_of({7, 2, 2, 5});
  EXPECT_EQ(record_at(profile, 0), 2u);
  EXPECT_EQ(record_at(profile, 1), 2u);
  EXPECT_EQ(record_at(profile, 2), 5u);
  EXPECT_EQ(record_at(profile, 3), 7u);
}

TEST(Metrics, TheGapIsHalfOpen) {
  const RankProfile profile = profile_of({1, 3, 5, 7});
  EXPECT_EQ(median_errors(profile, 5).gap, 0);
  EXPECT_EQ(median_errors(profile, 4).gap, 0);  // [4, 5) is empty
  EXPECT_EQ(median_errors(profile, 3).gap, 1);  // [3, 5) holds 3
  EXPECT_EQ(median_errors(profile, 6).gap, 1);  // [5, 6) holds 5
  EXPECT_EQ(median_errors(profile, 7).gap, 1);  // [5, 7) does not hold 7
  EXPECT_EQ(median_errors(profile, 9).gap, 2);
  EXPECT_EQ(median_errors(profile, 0).gap, 2);
}

TEST(Metrics, MissedPointsAreCountedFromTheRankNotFromTheTrueQuantile) {
  const RankProfile profile = profile_of({2, 2, 2, 2, 8});  // floor(5 / 2) = 2, and nothing lies below the median
  EXPECT_EQ(median_errors(profile, 2).gap, 0);
  EXPECT_EQ(median_errors(profile, 2).missed, 2);
  EXPECT_EQ(median_errors(profile, 3).missed, 2);
}

TEST(Metrics, TieRankErrorForgivesTies) {
  const RankProfile profile = profile_of({2, 2, 2, 2, 8});  // q n = 5 / 2
  EXPECT_EQ(median_errors(profile, 2).tie_rank, 0);         // in [0, 4]
  EXPECT_EQ(median_errors(profile, 3).tie_rank, 1.5);       // from [4, 4]
  EXPECT_EQ(median_errors(profile, 3).gap, 4);
  EXPECT_EQ(median_errors(profile, 1).tie_rank, 2.5);  // from [0, 0]
  EXPECT_EQ(median_errors(profile, 8).tie_rank, 1.5);  // from [4, 5]
}

TEST(Metrics, MeansOverQuantilesAndTheLargestMiss) {
  const RankProfile profile = profile_of({0, 1, 2, 3, 4, 5});
  const auto quantiles = uniform_quantiles(2);
  const Errors errors = errors_of(profile, quantiles, std::vector<std::uint64_t>{2, 7});
  EXPECT_EQ(errors.gap, 1);     // 0 and #[4, 7) = 2
  EXPECT_EQ(errors.missed, 2);  // 0 and |6 - 4|
  EXPECT_EQ(errors.tie_rank, 1);
}

TEST(Metrics, UniformQuantiles) {
  const auto quantiles = uniform_quantiles(3);
  ASSERT_EQ(quantiles.size(), 3u);
  EXPECT_EQ(quantiles[2].numerator, 3u);
  EXPECT_EQ(quantiles[2].denominator, 4u);
}

TEST(Metrics, StandardErrors) {
  Average average;
  average.add(3);
  EXPECT_EQ(average.estimate().mean, 3);
  EXPECT_EQ(average.estimate().standard_error, 0);
  average.add(5);
  EXPECT_EQ(average.estimate().mean, 4);
  EXPECT_DOUBLE_EQ(average.estimate().standard_error, 1);  // standard deviation sqrt(2) over sqrt(2)
}

TEST(Metrics, Medians) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 8}), 3);
  EXPECT_EQ(median({3, 1, 8, 4}), 3.5);
}

}  // namespace
}  // namespace fractile::experiments
