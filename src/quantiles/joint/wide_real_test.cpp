#include "quantiles/joint/wide_real.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "exact/enclosure.hpp"

namespace fractile {
namespace {

/// leading * 2^exponent, exactly.
Rational exactly(const WideReal& x) {
  return Rational::dyadic(static_cast<std::int64_t>(std::ldexp(x.leading(), 53)), x.exponent() - 53);
}

WideReal drawn(const std::vector<std::int64_t>& exponents) {
  const auto leading =
      static_cast<double>(*rc::gen::inRange<std::int64_t>(std::int64_t{1} << 52, std::int64_t{1} << 53));
  return {leading, *rc::gen::elementOf(exponents) + *rc::gen::inRange<std::int64_t>(-2, 3)};
}

const std::vector<std::int64_t>& near_and_far() {
  static const std::vector<std::int64_t> exponents{-3000, -1024, -768, -512, -309, -256, 0, 203, 256, 459, 512, 3000};
  return exponents;
}

/// |got / meant - 1| <= 2^-51.
void expect_near(const Rational& got, const Rational& meant) {
  const Rational off = got < meant ? meant - got : got - meant;
  RC_ASSERT(off <= meant * Rational::dyadic(1, -51));
}

TEST(WideReal, OperationsAreRoundedOnce) {
  EXPECT_TRUE(rc::check([] {
    const WideReal a = drawn(near_and_far());
    const WideReal b = drawn(near_and_far());
    expect_near(exactly(a * b), exactly(a) * exactly(b));
    expect_near(exactly(a / b), exactly(a) / exactly(b));
    expect_near(exactly(a + b), exactly(a) + exactly(b));
    RC_ASSERT((a < b) == (exactly(a) < exactly(b)));
    RC_ASSERT((a == b) == (exactly(a) == exactly(b)));
  }));
}

// Two numbers of which one is twice the other, around a block's border.
TEST(WideReal, SumsOfTwoBlocksHoldBoth) {
  for (const std::int64_t border : {-767, -257, 255, 767}) {
    for (std::int64_t past = -3; past <= 3; ++past) {
      const std::int64_t exponent = border + past;
      EXPECT_EQ(WideReal(1, exponent) + WideReal(1, exponent - 1), WideReal(1.5, exponent)) << exponent;
      EXPECT_EQ(WideReal(1, exponent - 1) + WideReal(1, exponent), WideReal(1.5, exponent)) << exponent;
    }
  }
}

TEST(WideReal, HoldsWhatDoublesDoNot) {
  const WideReal tiny(0.75, -5'000'000);
  EXPECT_EQ(tiny.leading(), 0.75);
  EXPECT_EQ(tiny.exponent(), -5'000'000);
  EXPECT_EQ((tiny * tiny).exponent(), -10'000'000);  // 9/16
  EXPECT_EQ(static_cast<double>(tiny), 0);
  EXPECT_EQ(static_cast<double>(WideReal(1) / tiny), HUGE_VAL);
  EXPECT_EQ(static_cast<double>(tiny / WideReal(0.75, -5'000'003)), 8);
  EXPECT_DOUBLE_EQ(log(tiny), std::log(0.75) - 5e6 * std::log(2.0));
}

TEST(WideReal, ZeroIsZero) {
  const WideReal zero;
  const WideReal one(1);
  EXPECT_TRUE(zero.is_zero());
  EXPECT_EQ(zero, WideReal(0));
  EXPECT_EQ(zero * one, zero);
  EXPECT_EQ(zero / one, zero);
  EXPECT_EQ(zero + one, one);
  EXPECT_EQ(one + zero, one);
  EXPECT_EQ(zero + zero, zero);
  EXPECT_LT(zero, WideReal(1, -10'000'000));
  EXPECT_EQ(static_cast<double>(zero), 0);
}

}  // namespace
}  // namespace fractile
