#include "quantiles/stages/noise_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "quantiles/stages/interval_law_test_support.hpp"

namespace fractile {
namespace {

const NoisePrice narrow_gaussian{Exponent(), Rational(1, 3)};
const NoisePrice narrow_laplace{Exponent(Rational(7)), 0};
const std::pair<Measure, NoisePrice> kinds[] = {{Measure::pure, laplace},
                                                {Measure::pure, narrow_laplace},
                                                {Measure::zcdp, gaussian},
                                                {Measure::zcdp, narrow_gaussian}};

/// P(|S| > w) of a law that was convolved draw by draw.
double beyond(const LowerLaw& sum, std::int64_t w) { return 2 * below(sum, -w); }

TEST(NoiseSum, OfFewDrawsIsAsNarrowAsItsExactLawAllows) {
  for (const auto& [measure, noise] : kinds) {
    for (const std::size_t draws : {1U, 2U, 3U, 9U}) {
      const LowerLaw expected = convolved(measure, noise, draws);
      const NoiseSum sum(measure, noise, draws);
      for (const double failure : {0.3, 0.05, 0.001}) {
        const auto w = static_cast<std::int64_t>(sum.half_width(failure));
        EXPECT_LE(beyond(expected, w), failure * (1 + 1e-6)) << draws << ' ' << failure;
        if (w > 0) {
          EXPECT_GT(beyond(expected, w - 1), failure * (1 - 1e-6)) << draws << ' ' << failure;
        }
      }
    }
  }
}

TEST(NoiseSum, OfManyDrawsIsNearlyNormal) {
  constexpr double two_sided = 1.959964;
  for (const auto& [measure, noise] : {std::pair(Measure::pure, NoisePrice{Exponent(Rational(1, 40)), 0}),
                                       std::pair(Measure::zcdp, NoisePrice{Exponent(), 1600}),
                                       std::pair(Measure::pure, laplace), std::pair(Measure::zcdp, narrow_gaussian)}) {
    for (const std::uint64_t draws : {1000U, 60000U}) {
      const double normal = two_sided * noise_deviation(measure, noise) * std::sqrt(static_cast<double>(draws));
      const auto w = static_cast<double>(NoiseSum(measure, noise, draws).half_width(0.05));
      EXPECT_GT(w, 0.97 * normal - 1) << draws;
      EXPECT_LT(w, 1.02 * normal + 1) << draws;
    }
  }
}

/// For noise so wide that its law is listed in units, the bound is almost as small.
TEST(NoiseSum, OfWideNoiseIsThatOfNarrowNoiseOnALargerScale) {
  for (const std::uint64_t draws : {1U, 5U, 300U}) {
    const auto narrow =
        static_cast<double>(NoiseSum(Measure::pure, {Exponent(Rational(1, 1000)), 0}, draws).half_width(0.05));
    const auto wide = static_cast<double>(
        NoiseSum(Measure::pure, {Exponent(Rational(1, 1'000'000'000'000)), 0}, draws).half_width(0.05));
    EXPECT_GT(wide, narrow * 1e9 * 0.995) << draws;
    EXPECT_LT(wide, narrow * 1e9 * 1.01) << draws;
  }
}

TEST(NoiseSum, RefusesWhatItHasNoLawFor) {
  EXPECT_THROW(NoiseSum(Measure::pure, laplace, most_noise_draws + 1), Error);
  EXPECT_THROW(NoiseSum(Measure::pure, {Exponent(Rational::dyadic(1, -62)), 0}, 1), Error);
}

// --- Counts of several groups -----------------------------------------------------------------------------------------

CountNoise count_noise(const NoisePrice& price) { return {Measure::pure, price.rate, {}}; }

TEST(ReleasedCount, AddsUpWithTheNoiseOfAllDraws) {
  const std::vector<ReleasedCount> cells{
      {10, count_noise(laplace), 3}, {-4, count_noise(laplace)}, {7, count_noise(laplace)}};
  const ReleasedCount margin = sum_of(cells);
  EXPECT_EQ(margin.value(), 13);
  EXPECT_EQ(margin.draws(), 5U);
  EXPECT_EQ(margin, cells[0] + (cells[1] + cells[2]));
  const ReleasedCount each[] = {margin, cells[1]};
  const std::vector<CountInterval> intervals = intervals_of(each, Rational(19, 20));
  const auto w = static_cast<std::int64_t>(NoiseSum(Measure::pure, laplace, 5).half_width(0.05));
  EXPECT_EQ(intervals[0].upper, static_cast<std::uint64_t>(13 + w));
  EXPECT_EQ(intervals[0].lower, static_cast<std::uint64_t>(std::max<std::int64_t>(13 - w, 0)));
  EXPECT_EQ(intervals[1].lower, 0U);
  EXPECT_LT(intervals[1].upper, 13U);
}

TEST(ReleasedCount, AddsUpNothingElse) {
  const ReleasedCount one(3, count_noise(laplace));
  EXPECT_THROW(one + ReleasedCount(3, count_noise(narrow_laplace)), Error);
  EXPECT_THROW(ReleasedCount(3, count_noise(laplace), 0), Error);
  EXPECT_THROW(sum_of({}), Error);
  EXPECT_THROW(intervals_of({&one, 1}, Rational(1)), Error);
  for (const CountNoise& noise :
       {CountNoise{}, CountNoise{Measure::zcdp, {}, Rational(-1)}, CountNoise{Measure::approximate, Rational(1)}}) {
    const ReleasedCount of_no_law(1, noise);
    EXPECT_THROW(intervals_of({&of_no_law, 1}, Rational(19, 20)), Error);
  }
  const ReleasedCount largest(std::int64_t{1} << 61, count_noise(laplace));
  EXPECT_EQ((largest + largest).value(), std::int64_t{1} << 61);
}

}  // namespace
}  // namespace fractile
