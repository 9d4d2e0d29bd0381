#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

const Lattice whole = Lattice::regular(0, 1000, 1);

Release released(const std::optional<Rational>& level, std::uint64_t seed, bool together = false) {
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(2))};
  query.expected_rows = 1000;
  if (level) query.intervals = IntervalRequest{*level, IntervalSubject::population, together};
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  return release(reference_table(whole, Shape::normal, 1000), query, bits);
}

TEST(Comparing, IntervalsInPairsFailHalfAsOften) {
  EXPECT_EQ(level_in_pairs({Rational(19, 20)}), Rational(39, 40));
  std::uint64_t wider = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const bool together : {false, true}) {
      const Release release = released(Rational(1, 2), seed, together);
      ASSERT_EQ(release.only().intervals_in_pairs.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(release.only().intervals_in_pairs[i].lower, release.only().intervals[i].lower);
        EXPECT_GE(release.only().intervals_in_pairs[i].upper, release.only().intervals[i].upper);
        wider += release.only().intervals_in_pairs[i] == release.only().intervals[i] ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(wider, 60U);
}

TEST(Comparing, TakesTheIntervalsInPairs) {
  const Release release = released(Rational(19, 20), 1);
  const Estimate estimate = estimate_in_pairs(release, release.only(), 2);
  EXPECT_EQ(estimate.value, release.value(2));
  EXPECT_EQ(estimate.lower, whole.at(release.only().intervals_in_pairs[2].lower));
  EXPECT_EQ(estimate.upper, whole.at(release.only().intervals_in_pairs[2].upper));
  EXPECT_THROW(estimate_in_pairs(release, release.only(), release.query.quantiles.size()), Error);
  const Release without = released({}, 1);
  EXPECT_THROW(estimate_in_pairs(without, without.only(), 2), Error);
}

/// Whether an estimate holds a number; an open end, "or below" or "or above", holds every number beyond it.
bool holds(const Estimate& estimate, const Rational& number) {
  return (estimate.or_below || estimate.lower <= number) && (estimate.or_above || number <= estimate.upper);
}

/// Numbers that an estimate allows: its ends, some between them, and some far beyond open ends.
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

// --- Coverage, through the shipped entry ----------------------------------------------------------------------------

/// A sample of records from a law, each a candidate of `whole` with a weight.
RankProfile sample(const std::vector<std::pair<std::uint64_t, double>>& law, std::mt19937_64& generator) {
  constexpr std::uint64_t records = 300;
  std::vector<double> weights;
  for (const auto& [candidate, weight] : law) weights.push_back(weight);
  std::discrete_distribution<std::size_t> distribution(weights.begin(), weights.end());
  std::vector<std::uint64_t> drawn(law.size());
  for (std::uint64_t i = 0; i < records; ++i) ++drawn[distribution(generator)];
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < law.size(); ++k) {
    if (drawn[k] == 0) continue;
    positions.push_back(2 * law[k].first + 1);
    counts.push_back(drawn[k]);
  }
  return {whole, positions, counts};
}

/// The first record up to which at least this many quarters of the records lie.
std::int64_t quartile_of(const RankProfile& table, std::uint64_t quarters) {
  std::size_t k = 0;
  while (4 * table.cumulative(k + 1) < quarters * table.records()) ++k;
  return static_cast<std::int64_t>(table.position(k) / 2);
}

/// The numbers of comparisons that do not hold the truth.
struct Misses {
  double of_difference = 0;
  double of_ratio = 0;

  void count(const Comparison& comparison, std::int64_t first, std::int64_t second) {
    of_difference += holds(comparison.difference, Rational(second - first)) ? 0 : 1;
    if (comparison.ratio) of_ratio += holds(*comparison.ratio, Rational(second) / Rational(first)) ? 0 : 1;
  }
  double most() const { return std::max(of_difference, of_ratio); }
};

// As many misses are allowed as this many runs have at the level except for one run of this test in a million: 0.5 + 4.8 standard
// errors.
TEST(Comparing, DifferencesAndRatiosOfGroupsAndQuartilesHoldWhatIsTrue) {
  std::vector<std::pair<std::uint64_t, double>> even;
  for (std::uint64_t k = 100; k <= 300; ++k) even.emplace_back(k, 1);  // quartiles 150, 200 and 250
  const std::vector<std::pair<std::uint64_t, double>> tied{{200, 0.3}, {400, 0.35}, {800, 0.35}};
  constexpr std::int64_t of_even[] = {150, 200, 250};
  constexpr std::int64_t of_tied[] = {200, 400, 800};
  const int runs = static_cast<int>(testing::effort(200));
  double missed = 0;
  for (const Budget& budget : {Budget::pure(Rational(2)), Budget::zcdp(Rational(1))}) {
    for (const IntervalSubject of : {IntervalSubject::population, IntervalSubject::table}) {
      QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, budget};
      query.expected_rows = 300;
      query.intervals = IntervalRequest{Rational(1, 2), of, false};
      std::mt19937_64 generator(3);
      RandomBits bits = RandomBits::unsafe_seeded(4);
      std::vector<Misses> of_groups(3);
      Misses between_quartiles;
      for (int run = 0; run < runs; ++run) {
        const std::vector<RankProfile> tables{sample(even, generator), sample(tied, generator)};
        const Release groups = release({"even", "tied"}, tables, query, bits);
        const auto estimate = [&](std::size_t g, std::size_t i) {
          return estimate_in_pairs(groups, groups.groups[g], i);
        };
        std::int64_t first[3];
        std::int64_t second[3];
        for (std::size_t i = 0; i < 3; ++i) {
          first[i] = of == IntervalSubject::table ? quartile_of(tables[0], i + 1) : of_even[i];
          second[i] = of == IntervalSubject::table ? quartile_of(tables[1], i + 1) : of_tied[i];
          of_groups[i].count(compare(estimate(0, i), estimate(1, i)), first[i], second[i]);
        }
        between_quartiles.count(compare(estimate(0, 0), estimate(0, 2)), first[0], first[2]);
      }
      const double allowed = 0.5 * runs + 4.8 * std::sqrt(0.25 * runs) + 1;
      for (const Misses& misses : of_groups) EXPECT_LE(misses.most(), allowed);
      EXPECT_LE(between_quartiles.most(), allowed);
      missed += of_groups[0].of_difference + between_quartiles.of_difference;
    }
  }
  if (runs < 200) return;  // there may be none
  EXPECT_GT(missed, 0) << "nothing comes near the level";
}

}  // namespace
}  // namespace fractile
