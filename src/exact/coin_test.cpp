#include "exact/coin.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "exact/majorant.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::placed_bits;

/// Whether U < p, for the uniform U whose bits are these words; decided by 600-bit balls.
bool below(const std::vector<std::uint64_t>& words, const Enclose& p) {
  LazyUniform u(std::uint64_t{0}, 0);
  RandomBits bits = placed_bits(words);
  for (std::size_t i = 0; i < words.size(); ++i) u.extend(bits);
  const Enclosure exact = p(600);
  if (certainly_less(u.cell(), exact)) return true;
  EXPECT_TRUE(certainly_less(exact, u.cell()));
  return false;
}

/// Prefixes around the exact p, and around the ends of the filter: the only places where a filter can err.
std::vector<std::uint64_t> critical_prefixes(Bounds first, double p) {
  std::vector<std::uint64_t> prefixes;
  for (const double edge : {first.lower, p, first.upper}) {
    const double scaled = std::floor(std::ldexp(edge, 64));
    const std::uint64_t centre =
        scaled >= 0x1p64 ? ~std::uint64_t{0} : (scaled <= 0 ? 0 : static_cast<std::uint64_t>(scaled));
    for (std::uint64_t d = 0; d <= 3; ++d) {
      prefixes.push_back(centre + d);
      prefixes.push_back(centre - d);
    }
  }
  return prefixes;
}

TEST(LazyCoin, IsRightWhereTheFilterIsLeastSure) {
  std::mt19937_64 random(1);
  std::uint64_t slow = 0;
  const std::uint64_t rates = effort(2'000);
  for (std::uint64_t i = 0; i < rates; ++i) {
    const Exponent rate(
        Rational::dyadic(static_cast<std::int64_t>(random() >> 34) + 1, static_cast<int>(random() % 40) - 60));
    const std::uint64_t gap = random() >> (random() % 60);
    const std::uint64_t length = (random() >> (1 + random() % 62)) + 1;
    const RateBounds bounds(rate);
    const uint128 majorant = bounds.majorant(gap, length);
    const Enclose exact = [&](std::int64_t precision) {
      return acceptance_enclosure(rate, gap, length, majorant, precision);
    };
    const Bounds first = bounds.acceptance(gap, length, majorant);
    for (const std::uint64_t prefix : critical_prefixes(first, exact(128).to_double())) {
      std::vector<std::uint64_t> words{prefix};
      for (int k = 0; k < 40; ++k) words.push_back(random());
      RandomBits bits = placed_bits(words);
      SelectionCost cost;
      ASSERT_EQ(lazy_coin(bits, first, exact, {}, &cost), below(words, exact))
          << "rate " << rate.to_string() << " gap " << gap << " length " << length << " prefix " << prefix;
      slow += cost.slow_coins;
    }
  }
  EXPECT_GT(slow, rates / 2);  // the exact path did run
}

TEST(LazyCoin, TakesTheSlowPathThroughManyEqualWords) {
  // p = 1/3 = 0.010101..., U agrees with it for 64 * 3 bits.
  const Enclose third = [](std::int64_t precision) { return Enclosure::of(Rational(1, 3), precision); };
  const std::uint64_t same = 0x5555555555555555;
  for (const std::uint64_t last : {same - 1, same + 1}) {
    RandomBits bits = placed_bits({same, same, same, last});
    SelectionCost cost;
    EXPECT_EQ(lazy_coin(bits, {0.333, 0.334}, third, {}, &cost), last < same);
    EXPECT_EQ(cost.slow_coins, 1U);
  }
}

TEST(LazyCoin, CertaintyNeedsNoLuck) {
  const Enclose one = [](std::int64_t precision) { return Enclosure::of(Rational(1), precision); };
  RandomBits all_ones = placed_bits({~std::uint64_t{0}});
  EXPECT_TRUE(lazy_coin(all_ones, {1, 1}, one));
  const Enclose zero = [](std::int64_t precision) { return Enclosure::of(Rational(0), precision); };
  RandomBits all_zeros = placed_bits({0});
  EXPECT_FALSE(lazy_coin(all_zeros, {0, 0}, zero));
}

TEST(BernoulliExp, HasItsProbability) {
  RandomBits bits = RandomBits::system();
  for (const char* x : {"0", "1", "1/1000", "ln 2", "5/2", "1/2 ln 3", "20"}) {
    const Exponent exponent = Exponent::parse(x);
    const double p = std::exp(-exponent.to_double());
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      std::uint64_t heads = 0;
      const std::uint64_t draws = effort(50'000);
      for (std::uint64_t i = 0; i < draws; ++i) heads += bernoulli_exp(bits, exponent, filter) ? 1U : 0U;
      EXPECT_GT(chi_square_p({heads, draws - heads}, {p, 1 - p}), 1e-9) << x;
    }
  }
  EXPECT_FALSE(bernoulli_exp(bits, Exponent::parse("1e300")));
}

TEST(BernoulliExp, IsDecidedInTheTail) {
  // exp(-50) = 1.9e-22 lies in the first 2^-64 cell's neighborhood: 2^64 p is about 3.6e-3.
  const Exponent x = Exponent::parse("50");
  const Enclose p = [&x](std::int64_t precision) {
    return (Enclosure::of(Rational(0), precision) - Enclosure::of(x, precision)).exp();
  };
  for (const std::uint64_t second :
       {std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 56, ~std::uint64_t{0}}) {
    const std::vector<std::uint64_t> words{0, second, 12345};
    RandomBits bits = placed_bits(words);
    EXPECT_EQ(bernoulli_exp(bits, x), below(words, p)) << second;
  }
}

}  // namespace
}  // namespace fractile
