#include "fractile/comparing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"

namespace fractile {
namespace {

const Lattice whole = Lattice::regular(0, 1000, 1);

QuantileRelease released(const std::optional<Rational>& level, std::uint64_t seed, bool together = false) {
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(2))};
  query.expected_rows = 1000;
  if (level) query.intervals = IntervalRequest{*level, IntervalOf::population, together};
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  return release_quantiles(reference_table(whole, Shape::normal, 1000), whole, query, bits);
}

TEST(Comparing, IntervalsInPairsFailHalfAsOften) {
  EXPECT_EQ(level_in_pairs({Rational(19, 20)}), Rational(39, 40));
  std::uint64_t wider = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const bool together : {false, true}) {
      const QuantileRelease release = released(Rational(1, 2), seed, together);
      ASSERT_EQ(release.intervals_in_pairs.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(release.intervals_in_pairs[i].lower, release.intervals[i].lower);
        EXPECT_GE(release.intervals_in_pairs[i].upper, release.intervals[i].upper);
        wider += release.intervals_in_pairs[i] == release.intervals[i] ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(wider, 60U);
}

TEST(Comparing, TakesTheIntervalsInPairs) {
  const QuantileRelease release = released(Rational(19, 20), 1);
  const Estimate estimate = estimate_in_pairs(release, 2);
  EXPECT_EQ(estimate.value, release.value(2));
  EXPECT_EQ(estimate.lower, whole.at(release.intervals_in_pairs[2].lower));
  EXPECT_EQ(estimate.upper, whole.at(release.intervals_in_pairs[2].upper));
  EXPECT_THROW(estimate_in_pairs(released({}, 1), 2), Error);
}

/// Whether an end holds a number, when it says "or below" (or above) of any that are beyond.
bool holds(const Estimate& estimate, const Rational& number) {
  return (estimate.or_below || estimate.lower <= number) && (estimate.or_above || number <= estimate.upper);
}

/// What an estimate allows: its ends, what is between, and far beyond open ends.
std::vector<Rational> possible(const Estimate& estimate) {
  std::vector<Rational> numbers{estimate.lower, (estimate.lower + estimate.upper) * Rational(1, 2), estimate.upper};
  if (estimate.or_below) numbers.push_back(estimate.lower - Rational(1000));
  if (estimate.or_above) numbers.push_back(estimate.upper + Rational(1000));
  return numbers;
}

TEST(Comparing, HoldsWhateverBothEstimatesAllowAndNoMore) {
  std::mt19937_64 generator(1);
  std::uniform_int_distribution<int> number(-6, 6);
  std::bernoulli_distribution open(0.3);
  const auto estimate = [&] {
    const auto [lower, upper] = std::minmax({number(generator), number(generator)});
    return Estimate{number(generator), lower, upper, open(generator), open(generator)};
  };
  std::size_t ratios = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const Estimate first = estimate();
    const Estimate second = estimate();
    const Comparison comparison = compare(first, second);
    EXPECT_EQ(comparison.difference.value, second.value - first.value);
    bool reaches_lower = false;
    bool reaches_upper = false;
    const bool divides = first.lower > Rational(0) && !first.or_below && first.value > Rational(0);
    ASSERT_EQ(comparison.ratio.has_value(), divides);
    ratios += divides ? 1U : 0U;
    bool reaches_least = false;
    bool reaches_most = false;
    for (const Rational& x : possible(first)) {
      for (const Rational& y : possible(second)) {
        EXPECT_TRUE(holds(comparison.difference, y - x));
        reaches_lower |= comparison.difference.lower == y - x;
        reaches_upper |= comparison.difference.upper == y - x;
        if (!divides) continue;
        EXPECT_TRUE(holds(*comparison.ratio, y / x)) << y.to_string() << " / " << x.to_string();
        reaches_least |= comparison.ratio->lower == y / x;
        reaches_most |= comparison.ratio->upper == y / x;
      }
    }
    EXPECT_TRUE(reaches_lower && reaches_upper);
    EXPECT_EQ(reaches_least && reaches_most, divides);
    if (divides) {
      EXPECT_EQ(comparison.ratio->value, second.value / first.value);
    }
    EXPECT_EQ(comparison.difference.or_below, second.or_below || first.or_above);
  }
  EXPECT_GT(ratios, 200U);
}

}  // namespace
}  // namespace fractile
