#include "quantiles/stages/critical_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "quantiles/stages/interval_law_test_support.hpp"

namespace fractile {
namespace {

/// max over i of P(Z_i + margin < t), Z_i = (d - a) S_i - a S_j, by listing everything; for t >= -reach.
class WorstByListing {
 public:
  WorstByListing(Measure measure, const NoisePrice& noise, std::size_t cells, const QuantileFraction& q,
                 std::size_t innermost, const CutMargins& margins)
      : worst_(2 * reach + 1, 0) {
    const CriticalValues critical(measure, noise, cells);
    for (std::size_t i = 1; i < cells; ++i) {
      const std::int64_t margin = critical.margin(q, IntervalEnd::lower, innermost, i, margins);
      std::vector<double> masses(2 * reach + 1, 0);
      const LowerLaw low = convolved(measure, noise, i);
      const LowerLaw high = convolved(measure, noise, cells - i);
      for (std::int64_t s = low.first(); s < low.end(); ++s) {
        for (std::int64_t u = high.first(); u < high.end(); ++u) {
          const auto den = static_cast<std::int64_t>(q.denominator);
          const auto num = static_cast<std::int64_t>(q.numerator);
          const std::int64_t z = std::clamp((den - num) * s - num * u + margin, -reach, reach);
          masses[static_cast<std::size_t>(z + reach)] += low.masses()[static_cast<std::size_t>(s - low.first())] *
                                                         high.masses()[static_cast<std::size_t>(u - high.first())];
        }
      }
      double sum = 0;
      for (std::size_t k = 0; k < masses.size(); ++k) {
        worst_[k] = std::max(worst_[k], sum);
        sum += masses[k];
      }
    }
  }
  double operator()(std::int64_t t) const {
    return worst_[static_cast<std::size_t>(std::clamp(t, -reach, reach) + reach)];
  }

 private:
  static constexpr std::int64_t reach = 2000;
  std::vector<double> worst_;
};

/// sum over b of P(B = b) max over i of P(Z_i < t - (min(b, floor(q n)) - q n)), all in units of 1 / d.
double failure_of_a_population(const WorstByListing& worst, const QuantileFraction& q, int n, std::int64_t t) {
  const double p = static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
  double failure = 0;
  for (int b = 0; b <= n; ++b) {
    const double mass = std::exp(std::lgamma(n + 1) - std::lgamma(b + 1) - std::lgamma(n - b + 1) + b * std::log(p) +
                                 (n - b) * std::log1p(-p));
    const auto den = static_cast<std::int64_t>(q.denominator);
    const std::int64_t of_n = static_cast<std::int64_t>(q.numerator) * n;
    failure += mass * worst(t - (std::min<std::int64_t>(b, of_n / den) * den - of_n));
  }
  return failure;
}

/// A law on steps of 4 bounds P(X < t) for every t, on the coarser steps as exactly as on its own.
TEST(WorstNoise, IsBoundedOnCoarserStepsForEveryPlace) {
  const std::vector<double> masses{0.125, 0.25, 0.5, 0.125};  // at -8, -4, 0 and 4
  const LowerLaw fine(0, 0, {1}, 0);
  WorstNoise worst({{LowerLaw(2, -2, masses, 0), LowerLaw(2, 0, {1}, 0)}, {LowerLaw(0, 100, {1}, 0), fine}}, 1000);
  EXPECT_EQ(worst.first(), -8);
  for (std::int64_t t = 12; t > -12; --t) {
    double below = 0;
    for (std::int64_t k = 0; k < 4; ++k) below += 4 * (k - 2) < t ? masses[static_cast<std::size_t>(k)] : 0;
    EXPECT_GE(worst.at(t), below) << t;
    EXPECT_LE(worst.at(t), below + 1e-6) << t;
  }
}

constexpr std::size_t cells = 6;
constexpr std::pair<Measure, const NoisePrice*> noises[] = {{Measure::pure, &laplace}, {Measure::zcdp, &gaussian}};

std::int64_t value_of(const CriticalValues::Threshold& threshold) { return threshold.value << threshold.log2_step; }

TEST(CriticalValues, OfAPopulationKeepTheFailureProbabilityForEveryNumberOfCellsAndRecords) {
  const double wanted = 0.02;
  for (const auto& [measure, noise] : noises) {
    CriticalValues critical(measure, *noise, cells);
    for (const Rational& quantile : {Rational(1, 4), Rational(1, 2), Rational(9, 10)}) {
      const QuantileFraction q = QuantileFraction::of(quantile);
      const WorstByListing noise_of_q(measure, *noise, cells, q, 4, CutMargins::of_population());
      const CriticalValues::Threshold threshold = critical.of_population(q, IntervalEnd::lower, 4, wanted, 60, 0.0025);
      const std::int64_t c = value_of(threshold);
      const std::int64_t step = std::int64_t{1} << threshold.log2_step;
      const auto [least, most] = critical.records(60, 0.0025).value();
      EXPECT_LT(least, 60U);
      EXPECT_GT(most, 60U);
      double worst = 0;
      double worst_of_more = 0;
      for (std::uint64_t n = least; n <= most; ++n) {
        worst = std::max(worst, failure_of_a_population(noise_of_q, q, static_cast<int>(n), c));
        worst_of_more =
            std::max(worst_of_more, failure_of_a_population(noise_of_q, q, static_cast<int>(n), c + 3 * step));
      }
      EXPECT_LE(worst, wanted) << quantile.to_string();
      EXPECT_GT(worst_of_more, wanted) << quantile.to_string();
    }
  }
}

/// With almost no noise, whole records decide, so that no number of records represents its neighbors.
TEST(CriticalValues, OfAPopulationKeepItForEveryNumberOfRecordsWhereWholeRecordsDecide) {
  const NoisePrice narrow{Exponent(Rational(3)), 0};
  int smaller = 0;
  for (const Rational& quantile : {Rational(1, 4), Rational(1, 2), Rational(9, 10), Rational(7, 8)}) {
    const QuantileFraction q = QuantileFraction::of(quantile);
    const WorstByListing noise_of_q(Measure::pure, narrow, cells, q, 4, CutMargins::of_population());
    for (const std::int64_t noisy : {20, 33, 60}) {
      for (const double wanted : {0.02, 0.1, 0.3}) {
        CriticalValues critical(Measure::pure, narrow, cells);
        const CriticalValues::Threshold threshold =
            critical.of_population(q, IntervalEnd::lower, 4, wanted, noisy, 0.0025);
        ASSERT_EQ(threshold.log2_step, 0);
        const auto [least, most] = critical.records(noisy, 0.0025).value();
        const auto fails_most = [&](std::int64_t c) {
          double failure = 0;
          for (std::uint64_t n = least; n <= most; ++n)
            failure = std::max(failure, failure_of_a_population(noise_of_q, q, static_cast<int>(n), c));
          return failure;
        };
        EXPECT_LE(fails_most(threshold.value), wanted) << quantile.to_string() << ' ' << noisy << ' ' << wanted;
        if (threshold.value < -3) {  // two numbers of records are served by one sum
          EXPECT_GT(fails_most(threshold.value + 3), wanted) << quantile.to_string() << ' ' << noisy << ' ' << wanted;
        }
        smaller +=
            failure_of_a_population(noise_of_q, q, static_cast<int>(most), threshold.value + 1) <= wanted ? 1 : 0;
      }
    }
  }
  EXPECT_GT(smaller, 3) << "the largest number of records always decides";
}

/// One object is asked for several levels, since comparisons take intervals at another level.
TEST(CriticalValues, RememberEachFailureProbabilityByItself) {
  const QuantileFraction q = QuantileFraction::of(Rational(1, 4));
  const auto fresh = [] { return CriticalValues(Measure::pure, laplace, cells); };
  CriticalValues kept = fresh();
  for (const double failure : {0.1, 0.02, 0.3, 0.1}) {
    for (const std::size_t innermost : {std::size_t{2}, std::size_t{4}}) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) {
        EXPECT_EQ(kept.of_table(q, end, innermost, failure).value, fresh().of_table(q, end, innermost, failure).value);
        for (const std::int64_t noisy : {50, 200}) {
          for (const double of_n : {0.01, 0.2}) {
            EXPECT_EQ(kept.of_population(q, end, innermost, failure, noisy, of_n).value,
                      fresh().of_population(q, end, innermost, failure, noisy, of_n).value);
          }
        }
      }
    }
  }
  EXPECT_LT(fresh().of_table(q, IntervalEnd::lower, 2, 0.02).value,
            fresh().of_table(q, IntervalEnd::lower, 2, 0.3).value);
}

TEST(CriticalValues, OfATableAreTheLargestThatKeepTheFailureProbabilityForEveryNumberOfCells) {
  for (const auto& [measure, noise] : noises) {
    CriticalValues critical(measure, *noise, cells);
    for (const Rational& quantile : {Rational(1, 4), Rational(1, 2), Rational(3, 4)}) {
      for (const std::size_t innermost : {std::size_t{5}, std::size_t{3}, std::size_t{1}}) {
        const QuantileFraction q = QuantileFraction::of(quantile);
        const WorstByListing worst(measure, *noise, cells, q, innermost, CutMargins::of_table(0.025));
        const CriticalValues::Threshold threshold = critical.of_table(q, IntervalEnd::lower, innermost, 0.025);
        ASSERT_EQ(threshold.log2_step, 0);
        EXPECT_LE(worst(threshold.value), 0.025) << quantile.to_string();
        EXPECT_GT(worst(threshold.value + 1), 0.025) << quantile.to_string();
      }
    }
  }
}

/// The other cuts cost the innermost one almost nothing, whatever their noise: they are rejected at a distance that costs nothing.
TEST(CriticalValues, HaveMarginsWhereNoiseIsWiderThanAtTheInnermostCutAndBeyondIt) {
  constexpr std::size_t many = 40;
  constexpr double deviate = 1.96;  // of 0.025
  for (const auto& [measure, noise] : noises) {
    CriticalValues critical(measure, *noise, many);
    for (const Rational& quantile : {Rational(1, 10), Rational(1, 2), Rational(9, 10)}) {
      const QuantileFraction q = QuantileFraction::of(quantile);
      const auto innermost = static_cast<std::size_t>((quantile * Rational(many)).floor().to_uint64());
      for (const CutMargins& margins : {CutMargins::of_table(0.025), CutMargins::of_population()}) {
        const auto margin = [&](std::size_t i) {
          return critical.margin(q, IntervalEnd::lower, innermost, i, margins);
        };
        EXPECT_EQ(margin(innermost), 0);
        EXPECT_EQ(margin(1) > 0, quantile == Rational(9, 10));
        EXPECT_EQ(margin(innermost + 1) > 0, quantile != Rational(1, 2));
        for (const std::size_t i : {std::size_t{1}, innermost + 1}) {
          EXPECT_EQ(margin(i), critical.margin(QuantileFraction::of(Rational(1) - quantile), IntervalEnd::upper,
                                               many - innermost, many - i, margins));
        }
      }
      const double p = quantile.to_double();
      const auto below = static_cast<double>(innermost);
      const auto unit = static_cast<double>(q.denominator);
      const double alone = unit * noise_deviation(measure, *noise) *
                           std::sqrt((1 - p) * (1 - p) * below + p * p * (static_cast<double>(many) - below));
      for (const auto& [failure, deviate_of_table] : {std::pair(0.025, deviate), std::pair(0.0005, 3.29)}) {
        const auto all = static_cast<double>(value_of(critical.of_table(q, IntervalEnd::lower, innermost, failure)));
        EXPECT_LT(all, -0.95 * deviate_of_table * alone);
        EXPECT_GT(all, -1.2 * deviate_of_table * alone - 1) << quantile.to_string() << ' ' << failure;
      }
      const std::uint64_t most = critical.records(4000, 0.005)->most;
      const double sampled = std::hypot(alone, unit * std::sqrt(static_cast<double>(most) * p * (1 - p)));
      const auto of_both =
          static_cast<double>(value_of(critical.of_population(q, IntervalEnd::lower, innermost, 0.025, 4000, 0.005)));
      EXPECT_LT(of_both, -0.95 * deviate * sampled);
      EXPECT_GT(of_both, -1.1 * deviate * sampled - 1) << quantile.to_string();
    }
  }
}

/// Cuts far out keep ends from being open. With a tie at the end of the range, nothing more lies beyond them, so they must be rejected about
/// as soon as the innermost one.
TEST(CriticalValues, HaveMarginsOfTheTableThatHardlyExceedWhatTheNoiseAsks) {
  constexpr std::size_t many = 9;
  const CriticalValues critical(Measure::pure, laplace, many);
  const QuantileFraction q = QuantileFraction::of(Rational(3, 4));
  const auto deviation = [&](std::size_t below) {
    return 4 * noise_deviation(Measure::pure, laplace) *
           std::sqrt(static_cast<double>(below) / 16 + static_cast<double>(many - below) * 9 / 16);
  };
  for (const auto& [failure, deviate] : {std::pair(0.025, 1.96), std::pair(0.0005, 3.29)}) {
    const auto margin =
        static_cast<double>(critical.margin(q, IntervalEnd::lower, 7, 1, CutMargins::of_table(failure)));
    EXPECT_GE(margin, deviate * (deviation(1) - deviation(7))) << failure;
    EXPECT_LE(margin, (deviate + 0.3) * (deviation(1) - deviation(7)) + 1) << failure;
  }
  EXPECT_GT(deviation(1), 1.3 * deviation(7));
}

/// Fewer cells are counted where cuts are left out.
TEST(CriticalValues, OfFewerCellsAreThoseOfSoManyCells) {
  const QuantileFraction q = QuantileFraction::of(Rational(1, 4));
  for (const auto& [measure, noise] : noises) {
    const CriticalValues most(measure, *noise, 12);
    for (const std::size_t fewer : {std::size_t{2}, std::size_t{5}, std::size_t{12}}) {
      CriticalValues shared = most.of_fewer(fewer);
      CriticalValues fresh(measure, *noise, fewer);
      EXPECT_EQ(shared.of_table(q, IntervalEnd::upper, 1, 0.025).value,
                fresh.of_table(q, IntervalEnd::upper, 1, 0.025).value);
      EXPECT_EQ(shared.records(100, 0.01)->most, fresh.records(100, 0.01)->most);
    }
  }
}

TEST(CriticalValues, OfWideNoiseWasteLittleOfIt) {
  for (const auto& [measure, noise] : {std::pair(Measure::pure, NoisePrice{Exponent(Rational(1, 2000)), 0}),
                                       std::pair(Measure::zcdp, NoisePrice{Exponent(), Rational(4000000)})}) {
    // This many draws are nearly normal: 2 is about the deviate of 0.0228, of sums of 40 draws of Laplace noise 2.005.
    constexpr double deviate = 2.0;
    CriticalValues critical(measure, noise, 40);
    const double deviation = std::sqrt(40 * 0.25) * noise_deviation(measure, noise);
    const CriticalValues::Threshold threshold =
        critical.of_table(QuantileFraction::of(Rational(1, 2)), IntervalEnd::lower, 20, 0.02275);
    const double c = std::ldexp(static_cast<double>(threshold.value), threshold.log2_step) / 2;
    EXPECT_LT(c, -deviate * deviation);
    EXPECT_GT(c, -deviate * 1.03 * deviation);
  }
}

TEST(CriticalValues, OfAnUpperEndAreThoseOfTheMirroredColumn) {
  CriticalValues critical(Measure::pure, laplace, cells);
  const QuantileFraction quarter = QuantileFraction::of(Rational(1, 4));
  const QuantileFraction rest = QuantileFraction::of(Rational(3, 4));
  EXPECT_EQ(critical.of_table(quarter, IntervalEnd::lower, 2, 0.1).value,
            critical.of_table(rest, IntervalEnd::upper, 4, 0.1).value);
  EXPECT_EQ(critical.of_table(quarter, IntervalEnd::upper, 2, 0.1).value,  // -Z_i has the law of Z_i
            critical.of_table(quarter, IntervalEnd::lower, 2, 0.1).value);
  EXPECT_EQ(critical.of_population(quarter, IntervalEnd::lower, 2, 0.1, 50, 0.01).value,
            critical.of_population(rest, IntervalEnd::upper, 4, 0.1, 50, 0.01).value);
}

/// The largest number of records decides, so it may be rounded up, never down.
TEST(CriticalValues, AreSharedByNumbersOfRecordsUpToTheNextRoundOne) {
  const QuantileFraction third{1, 3};
  const auto critical = [] { return CriticalValues(Measure::pure, {Exponent(Rational(1, 4)), {}}, 6); };
  std::int64_t noisy = 2000;
  while (critical().records(noisy, 0.0025)->most < 2048) ++noisy;  // 2048 is round
  const auto at = [&](std::int64_t n) {
    return critical().of_population(third, IntervalEnd::lower, 3, 0.025, n, 0.0025).value;
  };
  for (const std::int64_t fewer : {1, 8, 15}) EXPECT_EQ(at(noisy - fewer), at(noisy));
  EXPECT_LT(at(noisy), at(noisy - 40));
}

TEST(CriticalValues, CompareExactlyAndStrictly) {
  const CriticalValues::Threshold one{-1, 0};
  EXPECT_FALSE(one.exceeds(-1));
  EXPECT_TRUE(one.exceeds(-2));
  const CriticalValues::Threshold eight{-1, 3};
  EXPECT_FALSE(eight.exceeds(-8));
  EXPECT_TRUE(eight.exceeds(-9));
}

TEST(CriticalValues, BoundTheNumberOfRecordsOnBothSides) {
  CriticalValues critical(Measure::pure, laplace, 6);
  const auto [least, most] = critical.records(1000, 0.01).value();
  EXPECT_EQ(1000 - least, most - 1000);
  const LowerLaw sum = convolved(Measure::pure, laplace, 6);
  EXPECT_LE(below(sum, -static_cast<std::int64_t>(1000 - least)), 0.005);
  EXPECT_GT(below(sum, -static_cast<std::int64_t>(1000 - least) + 2), 0.005);
  EXPECT_EQ(critical.records(-50, 0.01).value().least, 0U);
}

/// Noise that goes beyond 64 bits wrapped around, and the release ended for want of memory when it was drawn.
TEST(CriticalValues, KnowNoNumberOfRecordsUnderTheWidestNoise) {
  const NoisePrice wide{Exponent::parse("1e-18"), Rational(0)};
  const CriticalValues critical(Measure::pure, wide, 6);
  for (const std::int64_t noisy : {std::int64_t{0}, std::int64_t{1} << 60, -(std::int64_t{1} << 60)})
    EXPECT_FALSE(critical.records(noisy, 0.01).has_value());
}

}  // namespace
}  // namespace fractile
