#include "exact/gaussian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>

#include "fractile/error.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;

/// The sum over all integers k of exp(-(k - shift)^2 / (2 sigma^2)): terms up to `reach` from the shift and
/// a bound of the others, of which each is at most exp(-reach / (2 sigma^2)) times the one before.
Enclosure theta(const Rational& sigma_squared, const Rational& shift) {
  const auto term = [&](const Rational& distance) {
    return Enclosure::of(-(distance * distance) / (Rational(2) * sigma_squared)).exp();
  };
  const std::int64_t reach = 20 * (sqrt_down(sigma_squared).ceil() + Rational(1)).to_int64();
  const std::int64_t middle = shift.floor().to_int64();
  Enclosure sum = Enclosure::of(Rational(0));
  for (std::int64_t k = middle - reach; k <= middle + reach; ++k) sum += term(Rational(k) - shift);
  const Enclosure ratio = Enclosure::of(-Rational(reach) / (Rational(2) * sigma_squared)).exp();
  const Enclosure others = Enclosure::of(Rational(2)) * term(Rational(reach)) / (Enclosure::of(Rational(1)) - ratio);
  arb_add_error(sum.arb(), others.arb());
  return sum;
}

/// The law on -reach .. reach; the last cell holds all other integers.
std::vector<double> law_of(const Rational& sigma_squared, int reach) {
  const Enclosure total = theta(sigma_squared, 0);
  std::vector<double> law;
  Enclosure rest = Enclosure::of(Rational(1));
  for (int k = -reach; k <= reach; ++k) {
    const Enclosure p = Enclosure::of(-Rational(k * k) / (Rational(2) * sigma_squared)).exp() / total;
    law.push_back(p.to_double());
    rest -= p;
  }
  law.push_back(rest.to_double());
  return law;
}

std::vector<std::uint64_t> counts_of(const DiscreteGaussian& noise, std::uint64_t draws, int reach, RandomBits& bits,
                                     Filter filter = {}) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(2 * reach + 2));
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::int64_t k = noise(bits, filter);
    ++counts[static_cast<std::size_t>(std::abs(k) <= reach ? k + reach : 2 * reach + 1)];
  }
  return counts;
}

TEST(DiscreteGaussianNoise, HasItsLaw) {
  RandomBits bits = RandomBits::system();
  for (const char* text : {"1/10", "1/2", "1", "2", "7/3", "4", "30.25", "400"}) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const Rational sigma_squared = Rational::parse(text);
      const int reach = static_cast<int>(4 * std::sqrt(sigma_squared.to_double())) + 1;
      const DiscreteGaussian noise(sigma_squared);
      const auto counts = counts_of(noise, effort(filter.prefix_bits == 64 ? 300'000 : 20'000), reach, bits, filter);
      EXPECT_GT(chi_square_p(counts, law_of(sigma_squared, reach)), 1e-9) << text;
    }
  }
}

TEST(DiscreteGaussianNoise, ALawWrongByOnePartInAHundredIsCaught) {
  RandomBits bits = RandomBits::system();
  const DiscreteGaussian noise(Rational::parse("4.04"));
  EXPECT_LT(chi_square_p(counts_of(noise, 5'000'000, 12, bits), law_of(4, 12)), 1e-9);
}

/// At such a sigma the law is indistinguishable from the continuous one: its deciles bound ten cells.
TEST(DiscreteGaussianNoise, HasItsLawFarFromZero) {
  RandomBits bits = RandomBits::system();
  const std::vector<double> deciles{
      -1.2815515655446004, -0.8416212335729143, -0.5244005127080407, -0.2533471031357997, 0,
      0.2533471031357997,  0.5244005127080407,  0.8416212335729143,  1.2815515655446004};
  for (const char* text : {"1e12", "1e24"}) {
    const Rational sigma_squared = Rational::parse(text);
    const double sigma = std::sqrt(sigma_squared.to_double());
    const DiscreteGaussian noise(sigma_squared);
    std::vector<std::uint64_t> counts(10);
    for (std::uint64_t i = 0; i < effort(20'000); ++i) {
      const double z = static_cast<double>(noise(bits)) / sigma;
      ++counts[static_cast<std::size_t>(std::ranges::upper_bound(deciles, z) - deciles.begin())];
    }
    EXPECT_GT(chi_square_p(counts, std::vector<double>(10, 0.1)), 1e-9) << text;
  }
}

TEST(DiscreteGaussianNoise, AcceptanceBoundsContainTheProbability) {
  std::mt19937_64 random(7);
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (std::uint64_t i = 0; i < effort(3'000); ++i) {
      const int scale = static_cast<int>(random() % 120) - 40;
      const Rational sigma_squared =
          Rational::dyadic(static_cast<std::int64_t>(random() >> 20) + 1, scale - 44) / Rational(i % 7 + 1);
      if (sigma_squared > Rational::dyadic(1, DiscreteGaussian::max_log2_sigma_squared)) continue;
      std::fesetround(mode);
      const DiscreteGaussian noise(sigma_squared);
      const double sigma = std::sqrt(sigma_squared.to_double());
      const auto magnitude = static_cast<std::int64_t>(sigma * static_cast<double>(random() % 1000) / 100);
      const Bounds bounds = noise.acceptance(magnitude);
      std::fesetround(FE_TONEAREST);
      const Enclosure p = noise.acceptance_enclosure(magnitude, 300);
      ASSERT_LE(bounds.lower, p.lower_double()) << sigma_squared.to_string() << " at " << magnitude;
      ASSERT_GE(bounds.upper, p.upper_double()) << sigma_squared.to_string() << " at " << magnitude;
      ASSERT_LE(bounds.upper - bounds.lower, 0x1p-36) << sigma_squared.to_string() << " at " << magnitude;
    }
  }
}

// Canonne, Kamath and Steinke 2020, Proposition 5: noise on a count of sensitivity 1 costs rho = 1/(2 sigma^2). For integer orders
// the bound is attained: sum P^a Q^(1-a) = exp(a (a-1)/(2 sigma^2)) theta(1 - a)/theta(0).
TEST(DiscreteGaussianNoise, CostsWhatZcdpSays) {
  for (const char* text : {"1/10", "1/2", "1", "7/3", "4"}) {
    const Rational sigma_squared = Rational::parse(text);
    const Rational rho = Rational(1) / (Rational(2) * sigma_squared);
    const Enclosure total = theta(sigma_squared, 0);
    for (const Rational& order : {Rational(3, 2), Rational(5, 2), Rational(21, 2)}) {
      const Enclosure shifted = theta(sigma_squared, Rational(1) - order);
      EXPECT_TRUE(certainly_at_most(shifted, total)) << text;  // the divergence is at most rho * order
    }
    const Enclosure integer_order = theta(sigma_squared, -2) / total;
    EXPECT_NEAR(integer_order.to_double(), 1, 1e-25);
    // By the definition of zCDP at order 2: ln sum P^2/Q = 2 rho.
    Enclosure sum = Enclosure::of(Rational(0));
    for (int k = -200; k <= 200; ++k) {
      sum += Enclosure::of(-Rational(2 * (k - 1) * (k - 1) - k * k) / (Rational(2) * sigma_squared)).exp() / total;
    }
    EXPECT_NEAR((sum.log() / Enclosure::of(Rational(2) * rho)).to_double(), 1, 1e-9) << text;
  }
}

TEST(DiscreteGaussianNoise, RefusesVariancesOutOfReach) {
  RandomBits bits = RandomBits::system();
  EXPECT_THROW(DiscreteGaussian{Rational(0)}, Error);
  EXPECT_THROW(DiscreteGaussian{Rational(-1)}, Error);
  EXPECT_THROW(DiscreteGaussian(Rational::dyadic(1, 80) + Rational(1)), Error);
  EXPECT_NO_THROW(DiscreteGaussian(Rational::dyadic(1, 80))(bits));
  EXPECT_EQ(DiscreteGaussian(Rational::parse("1e-300"))(bits), 0);
  EXPECT_EQ(DiscreteGaussian(Rational::parse("1e-9999"))(bits), 0);
}

}  // namespace
}  // namespace fractile
