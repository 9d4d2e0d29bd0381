#include "quantiles/stages/interval_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "exact/enclosure.hpp"
#include "quantiles/stages/interval_law_test_support.hpp"

namespace fractile {
namespace {

double total_of(const LowerLaw& law) { return law.masses_below().front(); }

TEST(IntervalLaw, OfLaplaceNoiseIsThatOfItsFormula) {
  const LowerLaw law = noise_law(Measure::pure, laplace, 0);
  const double r = std::exp(-0.5);
  for (std::int64_t k = -30; k <= 30; ++k) {
    const double mass = (1 - r) / (1 + r) * std::pow(r, static_cast<double>(std::abs(k)));
    EXPECT_NEAR(law.masses()[static_cast<std::size_t>(k - law.first())] / mass, 1, 1e-7) << k;
  }
  EXPECT_GE(total_of(law), 1);
  EXPECT_LE(total_of(law), 1 + 1e-6);
}

TEST(IntervalLaw, OfGaussianNoiseIsThatOfItsFormula) {
  const LowerLaw law = noise_law(Measure::zcdp, gaussian, 0);
  double all = 1;
  for (int k = 1; k < 100; ++k) all += 2 * std::exp(-k * k / 18.0);
  for (std::int64_t k = -15; k <= 15; ++k) {
    const double mass = std::exp(-static_cast<double>(k * k) / 18) / all;
    EXPECT_NEAR(law.masses()[static_cast<std::size_t>(k - law.first())] / mass, 1, 1e-6) << k;
  }
  EXPECT_GE(total_of(law), 1);
}

TEST(IntervalLaw, OnACoarserStepIsBelowTheFinerOne) {
  for (const auto& [measure, noise] : {std::pair(Measure::pure, NoisePrice{Exponent(Rational(1, 50)), 0}),
                                       std::pair(Measure::zcdp, NoisePrice{Exponent(), Rational(4000)})}) {
    const LowerLaw fine = noise_law(measure, noise, 0);
    const LowerLaw coarse = noise_law(measure, noise, 3);
    for (std::int64_t t = -20; t <= 20; ++t) EXPECT_GE(below(coarse, t), below(fine, 8 * t) * (1 - 1e-7)) << t;
    EXPECT_GE(total_of(coarse), 1);
  }
}

/// The whole tail below the list counts as missing: the part that is never listed, and the part that is trimmed.
TEST(IntervalLaw, OfLaplaceNoiseMissesNothingBelowItsList) {
  for (const std::int64_t tenths : {1, 5, 30}) {
    const double rate = static_cast<double>(tenths) / 10;
    const LowerLaw law = noise_law(Measure::pure, {Exponent(Rational(tenths, 10)), 0}, 0);
    const double below_it = std::exp(-rate * static_cast<double>(1 - law.first())) / (1 + std::exp(-rate));
    EXPECT_GE(law.missing(), below_it * (1 - 1e-10)) << rate;
    EXPECT_LE(law.missing(), 2e-11) << rate;
  }
}

TEST(IntervalLaw, CountsATrimmedLowerTailAsMissing) {
  LowerLaw law(0, 0, {0x1p-38, 0x1p-39, 0.5, 0.5, 0x1p-38}, 0x1p-40);
  law.trim();
  EXPECT_EQ(law.first(), 2);
  ASSERT_EQ(law.masses().size(), 2U);
  EXPECT_GE(law.missing(), 0x1p-38 + 0x1p-39 + 0x1p-40);
  EXPECT_GE(law.masses()[1], 0.5 + 0x1p-38);
  EXPECT_GE(total_of(law), 1 + 0x1p-37 + 0x1p-39 + 0x1p-40);
}

TEST(IntervalLaw, ExpectationsCountWhatIsMissingInFull) {
  const LowerLaw law(0, 0, {0.5, 0.25}, 0.125);
  const double half[] = {0.5};
  EXPECT_GE(law.expectation({0, half, 1}, 0), 0.125 + 0.75 * 0.5);
  EXPECT_LE(law.expectation({0, half, 1}, 0), 0.125 + 0.75 * 0.5 + 1e-6);
}

/// Each step, to either side, holds at least the masses of all its values.
TEST(IntervalLaw, OfGaussianNoiseHoldsAllOfEachCoarserStep) {
  const NoisePrice wide{Exponent(), Rational(4000)};
  const LowerLaw fine = noise_law(Measure::zcdp, wide, 0);
  const LowerLaw coarse = noise_law(Measure::zcdp, wide, 3);
  for (std::int64_t k = -30; k < 30; ++k) {
    double all = 0;
    for (std::int64_t value = 8 * k; value < 8 * k + 8; ++value)
      all += fine.masses()[static_cast<std::size_t>(value - fine.first())];
    EXPECT_GE(coarse.masses()[static_cast<std::size_t>(k - coarse.first())], all * (1 - 1e-7)) << k;
  }
}

TEST(IntervalLaw, OfSumsIsTheConvolution) {
  const LowerLaw one = noise_law(Measure::pure, laplace, 0);
  const LowerLaw two = LowerLaw::sum(one, one);
  const double r = std::exp(-0.5);
  // P(N + N' = 0) = sum of squares of the masses.
  const double square = std::pow((1 - r) / (1 + r), 2) * (1 + 2 * r * r / (1 - r * r));
  EXPECT_NEAR(two.masses()[static_cast<std::size_t>(-two.first())], square, 1e-7);
  EXPECT_GE(total_of(two), 1);
}

/// C(n, k) q^k (1 - q)^(n - k), exactly.
Rational binomial_mass(std::int64_t n, std::int64_t k, const Rational& q) {
  Rational mass = q.pow(k) * (Rational(1) - q).pow(n - k);
  for (std::int64_t i = 0; i < k; ++i) mass = mass * Rational(n - i) / Rational(i + 1);
  return mass;
}

TEST(IntervalLaw, OfASampleIsTheCutBinomialOneExactlyForSmallTables) {
  for (const Rational& q : {Rational(1, 2), Rational(1, 4), Rational(9, 10), Rational(1, 100)}) {
    for (const int step : {1, 4}) {
      for (const std::int64_t n : {0, 1, 2, 7, 40}) {
        const QuantileFraction fraction = QuantileFraction::of(q);
        const auto denominator = static_cast<std::int64_t>(fraction.denominator);
        const int log2_step = step == 4 ? 2 : 0;
        const auto records = static_cast<std::uint64_t>(n);
        const LowerLaw law = sample_law(fraction, records, records, log2_step, 1e-13);
        const std::int64_t highest = (q * Rational(n)).floor().to_int64();
        const auto exactly = [&](std::int64_t t) {  // P((B - q n) denominator < t)
          Rational exact;
          for (std::int64_t k = 0; k <= n; ++k) {
            const Rational distance = Rational(std::min(k, highest)) - q * Rational(n);
            if (distance * Rational(denominator) < Rational(t)) exact += binomial_mass(n, k, q);
          }
          return exact.to_double();
        };
        const std::int64_t reach = n * denominator / step + 1;
        for (std::int64_t t = -reach; t <= reach; t += std::max<std::int64_t>(1, reach / 50)) {
          EXPECT_GE(below(law, t), exactly(t * step) - 1e-300) << n << ' ' << t;
          // A value that is rounded down by a step may already be counted.
          EXPECT_LE(below(law, t), exactly(t * step + step - 1) * (1 + 1e-6) + 1e-12) << n << ' ' << t;
        }
      }
    }
  }
}

/// C(n, k).
double choices(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return 0;
  const auto factorial = [](std::int64_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return std::exp(factorial(n) - factorial(k) - factorial(n - k));
}

/// For n records drawn without replacement from N, the number at or below a q-quantile of the N: the law that is used has at least
/// as much mass below every threshold.
TEST(IntervalLaw, OfASampleServesEverySmallPopulationWithoutReplacement) {
  double closest = 0;
  for (const Rational& q : {Rational(1, 2), Rational(1, 4), Rational(9, 10), Rational(19, 20), Rational(1, 20)}) {
    const QuantileFraction fraction = QuantileFraction::of(q);
    const auto denominator = static_cast<std::int64_t>(fraction.denominator);
    for (std::int64_t population = 1; population <= 24; ++population) {
      const std::int64_t until = (q * Rational(population)).ceil().to_int64();
      for (std::int64_t n = 1; n <= population; ++n) {
        const auto records = static_cast<std::uint64_t>(n);
        const LowerLaw law = sample_law(fraction, records, records, 0, 1e-13);
        double too_few = 0;
        for (std::int64_t b = 0; b <= n; ++b) {
          too_few += choices(until, b) * choices(population - until, n - b) / choices(population, n);
          const std::int64_t above = b * denominator - static_cast<std::int64_t>(fraction.numerator) * n + 1;
          ASSERT_GE(below(law, above), too_few - 1e-9) << q.to_string() << ' ' << population << ' ' << n << ' ' << b;
          if (too_few < 0.999) closest = std::max(closest, too_few / below(law, above));
        }
      }
    }
  }
  EXPECT_GT(closest, 0.9);
}

TEST(IntervalLaw, OfTwoSizesServesAllBetween) {
  const QuantileFraction q = QuantileFraction::of(Rational(1, 3));
  const LowerLaw both = sample_law(q, 30, 36, 1, 1e-13);
  for (std::uint64_t n = 30; n <= 36; ++n) {
    const LowerLaw one = sample_law(q, n, n, 1, 1e-13);
    for (std::int64_t t = -60; t <= 60; ++t) EXPECT_GE(below(both, t) * (1 + 1e-6), below(one, t) * (1 - 1e-6)) << n;
  }
}

TEST(IntervalLaw, OfSumsAreThoseOfConvolutions) {
  for (const auto& [measure, noise] :
       {std::pair(Measure::pure, laplace), std::pair(Measure::pure, NoisePrice{Exponent(Rational(7)), 0}),
        std::pair(Measure::zcdp, gaussian), std::pair(Measure::zcdp, NoisePrice{Exponent(), 2}),
        std::pair(Measure::zcdp, NoisePrice{Exponent(), Rational(1, 3)})}) {
    const std::vector<LowerLaw> sums = noise_sums(measure, noise, 9);
    ASSERT_EQ(sums.size(), 10U);
    for (std::size_t draws = 0; draws < sums.size(); ++draws) {
      ASSERT_EQ(sums[draws].log2_step(), 0);
      const LowerLaw expected = convolved(measure, noise, draws);
      for (std::int64_t t = -60; t <= 60; ++t) {
        EXPECT_NEAR(below(sums[draws], t), below(expected, t), 1e-6 * below(expected, t) + 1e-10) << draws << ' ' << t;
      }
      EXPECT_GE(total_of(sums[draws]), 1) << draws;
    }
  }
}

TEST(IntervalLaw, OfSumsOnACoarserStepAreBelowThoseOnTheFinest) {
  for (const auto& [measure, noise] : {std::pair(Measure::pure, NoisePrice{Exponent(Rational(1, 300)), 0}),
                                       std::pair(Measure::zcdp, NoisePrice{Exponent(), Rational(100000)})}) {
    const std::vector<LowerLaw> sums = noise_sums(measure, noise, 4);
    const LowerLaw one = noise_law(measure, noise, 0);
    LowerLaw expected{0, 0, {1}, 0};
    for (const LowerLaw& sum : sums) {
      EXPECT_GT(sum.log2_step(), 1);
      const std::int64_t step = std::int64_t{1} << sum.log2_step();
      for (std::int64_t t = -200; t <= 200; ++t) {
        EXPECT_GE(below(sum, t), below(expected, t * step) * (1 - 1e-6)) << t;
        EXPECT_LE(below(sum, t), below(expected, (t + 4) * step) * 1.02 + 1e-10) << t;
      }
      EXPECT_GE(total_of(sum), 1);
      expected = LowerLaw::sum(expected, one);
    }
  }
}

TEST(IntervalLaw, TimesAWholeNumberRoundsDownToTheStep) {
  const LowerLaw law{1, -2, {0.25, 0.25, 0.5}, 0.125};  // at -4, -2 and 0
  const LowerLaw three = law.times(3, 2);               // -12, -6 and 0, in fours: -3, -2 and 0
  EXPECT_EQ(three.first(), -3);
  ASSERT_EQ(three.masses().size(), 4U);
  EXPECT_NEAR(three.masses()[0], 0.25, 1e-7);
  EXPECT_NEAR(three.masses()[1], 0.25, 1e-7);
  EXPECT_NEAR(three.masses()[3], 0.5, 1e-7);
  EXPECT_EQ(three.missing(), 0.125);
}

TEST(IntervalLaw, LessANumberRoundsDownToTheStep) {
  const LowerLaw law(2, 5, {1}, 0);  // at 20
  EXPECT_EQ(law.less(0).first(), 5);
  EXPECT_EQ(law.less(1).first(), 4);  // 19, which is above 16
  EXPECT_EQ(law.less(4).first(), 4);
  EXPECT_EQ(law.less(-3).first(), 5);
  EXPECT_EQ(law.less(-4).first(), 6);
}

TEST(IntervalLaw, ExpectationsAreThoseOfTheSum) {
  const LowerLaw a = noise_law(Measure::pure, laplace, 0).times(3, 0);
  const LowerLaw b = noise_law(Measure::zcdp, gaussian, 0).times(2, 0);
  const LowerLaw both = LowerLaw::sum(a, b);
  const std::vector<double> below_b = b.masses_below();
  for (std::int64_t t = both.first() - 90; t <= both.end() + 90; ++t) {
    const double expected = below(both, t);
    EXPECT_NEAR(a.expectation({b.end(), below_b.data(), below_b.size()}, t), expected, 1e-6 * expected + 1e-10) << t;
  }
  // Mass that is cut off is moved to the nearest listed value.
  const double half[] = {0.5, 0.25};
  EXPECT_NEAR(a.expectation({1000, half, 2}, 0), 0.25, 1e-6);
  EXPECT_NEAR(a.expectation({-1000, half, 2}, 0), 0.5, 1e-6);
}

}  // namespace
}  // namespace fractile
