#include "exact/run_majorant.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <random>

#include "exact/majorant.hpp"
#include "support/instruction_sets.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::on_every_instruction_set;
using Integers = std::vector<std::uint64_t>;

/// The acceptance probability of a run that is proposed with the majorant's mass.
Enclosure acceptance(const Exponent& rate, std::uint64_t gap, std::uint64_t length, const RunMajorant& majorant) {
  return acceptance_enclosure(rate, gap, length, uint128{majorant(gap, length)} << (53 - majorant.unit_bits()), 200);
}

TEST(RunMajorant, IsNeverBelowTheWeightAndNeverFarAbove) {
  std::mt19937_64 random(2);
  double worst = 0;
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (std::uint64_t i = 0; i < effort(20'000); ++i) {
      const std::uint64_t gap = i % 5 == 0 ? 0 : random() >> (random() % 64);
      const std::uint64_t length = (random() >> (1 + random() % 62)) + 1;
      const std::uint64_t best_length = (random() >> (1 + random() % 62)) + 1;
      const Exponent rate(
          Rational::dyadic(static_cast<std::int64_t>(random() >> 20), static_cast<int>(random() % 120) - 100));
      RunMajorant majorant(RateBounds(rate).bits_per_unit());
      std::fesetround(mode);
      majorant.fit(std::max(majorant.weight(gap, length), majorant.weight(0, best_length)));
      const std::uint64_t w = majorant(gap, length);
      std::fesetround(FE_TONEAREST);
      const Enclosure share = acceptance(rate, gap, length, majorant);
      ASSERT_TRUE(certainly_at_most(share, Enclosure::of(Rational(1)))) << rate.to_string() << " gap " << gap;
      ASSERT_LE(w, std::uint64_t{1} << 46);
      ASSERT_LE(least_acceptance(w), share.lower_double()) << rate.to_string() << " gap " << gap;
      if (w > 1'000'000) worst = std::max(worst, 1 / share.to_double());
    }
  }
  EXPECT_LT(worst, 1.0615);
  EXPECT_GT(worst, 1.05);
}

struct DrawnRuns {
  Integers scores;
  Integers lengths;
  std::uint64_t flip;
  double rate;
};

DrawnRuns drawn_runs(std::mt19937_64& random) {
  DrawnRuns d{Integers(random() % 200 + 1), {}, random() % 2 == 0 ? 0 : ~std::uint64_t{0}, 0};
  const auto width = static_cast<int>(random() % 64);
  const std::uint64_t base = random() >> (random() % 64);
  for (std::uint64_t& score : d.scores) {
    score = base + (random() >> width);
    d.lengths.push_back(random() % 4 == 0 ? 0 : random() >> (1 + random() % 63));
  }
  if (random() % 16 != 0) {
    d.rate =
        std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 12), -52), static_cast<int>(random() % 1950) - 1050);
  }
  return d;
}

void expect_the_same(const DrawnRuns& d) {
  const std::size_t skipped = d.scores.size() % 3 == 0 ? 0 : 1 % d.scores.size();  // aligned or not
  const RunSpan runs{std::span(d.scores).subspan(skipped), std::span(d.lengths).subspan(skipped), d.flip};
  std::uint64_t best = ~std::uint64_t{0};
  for (std::size_t k = 0; k < runs.scores.size(); ++k) {
    if (runs.lengths[k] > 0) best = std::min(best, runs.scores[k] ^ d.flip);
  }
  ASSERT_EQ(least_score(runs), best);
  RunMajorant majorant(d.rate);
  double largest = 0;
  for (std::size_t k = 0; k < runs.scores.size(); ++k) {
    largest = std::max(largest, majorant.weight((runs.scores[k] ^ d.flip) - best, runs.lengths[k]));
  }
  ASSERT_EQ(largest_weight(majorant, runs, best), largest);
  if (largest == 0) return;  // no members
  ASSERT_GE(largest, 0.5);
  majorant.fit(largest);
  Integers masses;
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < runs.scores.size(); ++k) {
    masses.push_back(majorant((runs.scores[k] ^ d.flip) - best, runs.lengths[k]));
    ASSERT_EQ(masses.back() == 0, runs.lengths[k] == 0);
    total += masses.back();
  }
  masses.push_back(77);  // and nothing behind them
  Integers written(masses.size(), 77);
  ASSERT_EQ(run_masses(majorant, runs, best, written.data()), total);
  ASSERT_EQ(written, masses);
  ASSERT_EQ(run_mass(majorant, runs, best), total);
}

TEST(RunMajorant, IsTheSameInEveryInstructionSetAndRoundingMode) {
  on_every_instruction_set([] {
    std::mt19937_64 random(7);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      for (std::uint64_t i = 0; i < effort(2'000); ++i) {
        const DrawnRuns d = drawn_runs(random);
        std::fesetround(mode);
        expect_the_same(d);
        std::fesetround(FE_TONEAREST);
      }
    }
  });
}

}  // namespace
}  // namespace fractile
