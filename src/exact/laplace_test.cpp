#include "exact/laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fractile/error.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;

/// The law on -reach .. reach; the last two cells hold its tails.
std::vector<double> law_of(const Exponent& rate, int reach) {
  const Enclosure one = Enclosure::of(Rational(1));
  const auto power = [&](int k) { return exp_of_minus(rate * Rational(k)); };
  const Enclosure centre = (one - power(1)) / (one + power(1));
  std::vector<double> law;
  for (int k = -reach; k <= reach; ++k) law.push_back((centre * power(std::abs(k))).to_double());
  const double tail = (power(reach + 1) / (one + power(1))).to_double();
  law.push_back(tail);
  law.push_back(tail);
  return law;
}

template <class Draw>
std::vector<std::uint64_t> counts_of(std::uint64_t draws, int reach, Draw&& draw) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(2 * reach + 3));
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::int64_t k = draw();
    const std::int64_t tail = k < 0 ? 2 * reach + 1 : 2 * reach + 2;
    ++counts[static_cast<std::size_t>(std::abs(k) <= reach ? k + reach : tail)];
  }
  return counts;
}

TEST(DiscreteLaplaceNoise, HasItsLaw) {
  RandomBits bits = RandomBits::system();
  for (const char* text : {"1", "ln 2", "0.3", "1/7", "1/100", "3", "10", "1/3 ln 5"}) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const Exponent rate = Exponent::parse(text);
      const int reach = static_cast<int>(4 / rate.to_double()) + 1;
      const DiscreteLaplace noise(rate);
      const auto counts =
          counts_of(effort(filter.prefix_bits == 64 ? 300'000 : 30'000), reach, [&] { return noise(bits, filter); });
      EXPECT_GT(chi_square_p(counts, law_of(rate, reach)), 1e-9) << text;
    }
  }
}

TEST(DiscreteLaplaceNoise, ALawWrongByOnePartInAHundredIsCaught) {
  RandomBits bits = RandomBits::system();
  const DiscreteLaplace noise(Exponent::parse("0.252"));
  const auto counts = counts_of(6'000'000, 20, [&] { return noise(bits); });
  EXPECT_LT(chi_square_p(counts, law_of(Exponent::parse("0.25"), 20)), 1e-9);
}

/// Half of the magnitudes are above ln(2)/rate, and every magnitude above 2^62 is clamped to 2^62.
TEST(DiscreteLaplaceNoise, IsClampedBeyondMachineWordsAndOnlyThere) {
  RandomBits bits = RandomBits::system();
  for (const char* text : {"1e-12", "1e-18", "1e-300"}) {
    const Exponent rate = Exponent::parse(text);
    const double half = std::log(2) / rate.to_double();
    const double limit = 0x1p62;
    const DiscreteLaplace noise(rate);
    std::vector<std::uint64_t> counts(3);
    for (std::uint64_t i = 0; i < effort(4'000); ++i) {
      const std::int64_t draw = noise(bits);
      ASSERT_LE(std::abs(draw), DiscreteLaplace::limit);
      const auto magnitude = static_cast<double>(std::abs(draw));
      ++counts[magnitude >= limit ? 2U : magnitude < half ? 0U : 1U];
    }
    const double beyond = std::exp(-rate.to_double() * limit);
    const double below = std::min(0.5, 1 - beyond);
    EXPECT_GT(chi_square_p(counts, {below, 1 - below - beyond, beyond}), 1e-9) << text;
  }
  EXPECT_EQ(DiscreteLaplace(Exponent::parse("1e300"))(bits), 0);
  EXPECT_THROW(DiscreteLaplace{Exponent()}, Error);
}

}  // namespace
}  // namespace fractile
