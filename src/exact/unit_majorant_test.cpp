#include "exact/unit_majorant.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>

#include "support/instruction_sets.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::on_every_instruction_set;
using Integers = std::vector<std::uint64_t>;

struct DrawnScores {
  Integers scores;
  std::uint64_t flip;
  UnitMajorant majorant;
};

/// Any number of scores, which are near each other, spread over all 64 bits, or equal; and any rate, from 0 to such that only the
/// best score counts.
DrawnScores drawn_scores(std::mt19937_64& random) {
  Integers scores(random() % 200 + 1);
  const auto width = static_cast<int>(random() % 64);
  const std::uint64_t base = random() >> (random() % 64);
  for (std::uint64_t& score : scores) score = base + (random() >> width);
  if (random() % 8 == 0) scores.assign(scores.size(), base);
  if (random() % 8 == 0) scores[random() % scores.size()] = ~std::uint64_t{0};
  if (random() % 8 == 0) scores[random() % scores.size()] = 0;
  const double rate = random() % 16 == 0 ? 0
                                         : std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 12), -52),
                                                      static_cast<int>(random() % 1950) - 1050);
  return {scores, random() % 2 == 0 ? 0 : ~std::uint64_t{0},
          UnitMajorant(random() % 4 == 0 ? rate : std::fmod(rate, 1.0))};
}

void expect_the_same(const DrawnScores& d) {
  const std::span<const std::uint64_t> all(d.scores);
  const auto scores = all.subspan(d.scores.size() % 3 == 0 ? 0 : 1 % d.scores.size());  // aligned or not
  std::uint64_t best = ~std::uint64_t{0};
  for (const std::uint64_t score : scores) best = std::min(best, score ^ d.flip);
  Integers masses;
  std::uint64_t total = 0;
  for (const std::uint64_t score : scores) {
    masses.push_back(d.majorant((score ^ d.flip) - best));
    total += masses.back();
  }
  ASSERT_EQ(least_score(scores, d.flip), best);
  ASSERT_EQ(unit_mass(d.majorant, scores, d.flip, best), total);
  Integers written(scores.size() + 1, 77);
  ASSERT_EQ(unit_masses(d.majorant, scores, d.flip, best, written.data()), total);
  masses.push_back(77);  // and nothing behind them
  ASSERT_EQ(written, masses);
  std::fill(written.begin(), written.end(), 77);
  const UnitRow row = unit_row(d.majorant, scores, d.flip, written.data());
  ASSERT_EQ(row.best, best);
  ASSERT_EQ(row.total, total);
  ASSERT_EQ(written, masses);
}

TEST(UnitMajorant, IsTheSameInEveryInstructionSetAndRoundingMode) {
  on_every_instruction_set([] {
    std::mt19937_64 random(7);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      for (std::uint64_t i = 0; i < effort(3'000); ++i) {
        const DrawnScores d = drawn_scores(random);
        std::fesetround(mode);
        expect_the_same(d);
        std::fesetround(FE_TONEAREST);
      }
    }
  });
}

}  // namespace
}  // namespace fractile
