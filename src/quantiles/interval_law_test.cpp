#include "quantiles/interval_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "exact/enclosure.hpp"

namespace fractile {
namespace {

const NoisePrice laplace{Exponent(Rational(1, 2)), 0};
const NoisePrice gaussian{Exponent(), Rational(9)};

double total_of(const LowerLaw& law) { return law.masses_below().back(); }

/// P(X < t), t a multiple of the law's step.
double below(const LowerLaw& law, std::int64_t t) {
  const std::vector<double> masses = law.masses_below();
  if (t <= law.first()) return masses.front();
  return t >= law.end() ? masses.back() : masses[static_cast<std::size_t>(t - law.first())];
}

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

TEST(IntervalLaw, OfASampleIsTheBinomialOneExactlyForSmallTables) {
  for (const Rational& q : {Rational(1, 2), Rational(1, 4), Rational(9, 10), Rational(1, 100)}) {
    for (const std::int64_t n : {0, 1, 2, 7, 40}) {
      const QuantileFraction fraction = QuantileFraction::of(q);
      const LowerLaw law = binomial_law(fraction, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(n), -4);
      for (std::int64_t t = -16 * n - 16; t <= 16 * n + 16; ++t) {
        Rational exact;  // P(B - q n < t / 16)
        for (std::int64_t k = 0; k <= n; ++k) {
          if (Rational(k) - q * Rational(n) < Rational(t, 16)) exact += binomial_mass(n, k, q);
        }
        // What is rounded down by a sixteenth may be counted already.
        EXPECT_GE(below(law, t), exact.to_double() - 1e-300) << n << ' ' << t;
        Rational next;
        for (std::int64_t k = 0; k <= n; ++k) {
          if (Rational(k) - q * Rational(n) < Rational(t + 1, 16)) next += binomial_mass(n, k, q);
        }
        EXPECT_LE(below(law, t), next.to_double() * (1 + 1e-6) + 1e-12) << n << ' ' << t;
      }
    }
  }
}

TEST(IntervalLaw, OfTwoSizesServesAllBetween) {
  const QuantileFraction q = QuantileFraction::of(Rational(1, 3));
  const LowerLaw both = binomial_law(q, 30, 36, -2);
  for (std::uint64_t n = 30; n <= 36; ++n) {
    const LowerLaw one = binomial_law(q, n, n, -2);
    for (std::int64_t t = -100; t <= 100; ++t) EXPECT_GE(below(both, t) * (1 + 1e-6), below(one, t) * (1 - 1e-6)) << n;
  }
}

// --- Critical values, against sums by brute force -------------------------------------------------------------------

/// P(Z_i < c - (B - q n)) for Laplace noise, by listing everything on a fine step.
double failure_of(std::size_t i, std::size_t cells, double q, int n, double c) {
  const LowerLaw one = noise_law(Measure::pure, laplace, 0);
  std::vector<LowerLaw> sums{{0, 0, {1}, 0}};
  while (sums.size() <= cells) sums.push_back(LowerLaw::sum(sums.back(), one));
  double failure = 0;
  for (int b = 0; b <= n; ++b) {
    const double mass = std::exp(std::lgamma(n + 1) - std::lgamma(b + 1) - std::lgamma(n - b + 1) + b * std::log(q) +
                                 (n - b) * std::log1p(-q));
    const LowerLaw& low = sums[i];
    const LowerLaw& high = sums[cells - i];
    const std::vector<double> masses_of_high = high.masses_below();
    double here = 0;
    for (std::int64_t s = low.first(); s < low.end(); ++s) {
      // (1 - q) s - q s' < c - (b - q n), and s' is symmetric
      const double most = (c - (b - q * n) - (1 - q) * static_cast<double>(s)) / q;
      here += low.masses()[static_cast<std::size_t>(s - low.first())] *
              below(high, static_cast<std::int64_t>(std::ceil(most - 1e-9)));
    }
    failure += mass * here;
  }
  return failure;
}

TEST(CriticalValues, OfAPopulationKeepTheFailureProbabilityForEveryNumberOfCellsAndRecords) {
  CriticalValues critical(Measure::pure, laplace, 6);
  const QuantileFraction q = QuantileFraction::of(Rational(1, 4));
  const double wanted = 0.02;
  const auto [value, log2_step] = critical.of_population(q, IntervalEnd::lower, {1, 4}, wanted, 60, 0.0025);
  const double c = std::ldexp(static_cast<double>(value), log2_step);
  const auto [least, most] = critical.records(60, 0.0025).value();
  EXPECT_LT(least, 60U);
  EXPECT_GT(most, 60U);
  double worst = 0;
  for (std::uint64_t n = least; n <= most; n += 3) {
    for (std::size_t i = 1; i <= 4; ++i) worst = std::max(worst, failure_of(i, 6, 0.25, static_cast<int>(n), c));
  }
  EXPECT_LE(worst, wanted);
  EXPECT_GT(worst, wanted / 2);  // and does not waste it
}

TEST(CriticalValues, OfATableKeepTheFailureProbabilityForEveryNumberOfCells) {
  CriticalValues critical(Measure::pure, laplace, 6);
  for (const Rational& q : {Rational(1, 4), Rational(1, 2), Rational(3, 4)}) {
    const auto [value, log2_step] = critical.of_table(QuantileFraction::of(q), {1, 5}, 0.025);
    const double c = std::ldexp(static_cast<double>(value), log2_step);
    double worst = 0;
    for (std::size_t i = 1; i <= 5; ++i) worst = std::max(worst, failure_of(i, 6, q.to_double(), 0, c));
    EXPECT_LE(worst, 0.025) << q.to_string();
    EXPECT_GT(worst, 0.025 * 0.7) << q.to_string();
  }
}

TEST(CriticalValues, CompareExactlyAndStrictly) {
  const CriticalValues::Threshold quarter{-1, -2};  // -1/4
  EXPECT_FALSE(quarter.exceeds(-1, 4));
  EXPECT_TRUE(quarter.exceeds(-2, 4));
  EXPECT_FALSE(quarter.exceeds(-25, 100));
  EXPECT_TRUE(quarter.exceeds(-26, 100));
  const CriticalValues::Threshold eight{-1, 3};
  EXPECT_FALSE(eight.exceeds(-16, 2));
  EXPECT_TRUE(eight.exceeds(-17, 2));
}

TEST(CriticalValues, BoundTheNumberOfRecordsOnBothSides) {
  CriticalValues critical(Measure::pure, laplace, 6);
  const auto [least, most] = critical.records(1000, 0.01).value();
  EXPECT_EQ(1000 - least, most - 1000);
  LowerLaw sum{0, 0, {1}, 0};
  for (int i = 0; i < 6; ++i) sum = LowerLaw::sum(sum, noise_law(Measure::pure, laplace, 0));
  EXPECT_LE(below(sum, -static_cast<std::int64_t>(1000 - least)), 0.005);
  EXPECT_GT(below(sum, -static_cast<std::int64_t>(1000 - least) + 2), 0.005);
  EXPECT_EQ(critical.records(-50, 0.01).value().least, 0U);
}

}  // namespace
}  // namespace fractile
