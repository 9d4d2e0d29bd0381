#include "exact/exp_bounds.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>

#include "exact/enclosure.hpp"

namespace fractile {
namespace {

TEST(ExpBounds, LieAboveTheExponentialAndCloseInEveryRoundingMode) {
  std::mt19937_64 random(1);
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (int i = 0; i < 2000; ++i) {
      const double y =
          i == 0 ? 0.0 : std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 62) - 105);
      std::fesetround(mode);
      const double bound = exp_minus_upper(y);
      std::fesetround(FE_TONEAREST);
      const Enclosure exact = exp_of_minus(Rational::from_double(y));
      const Enclosure upper = Enclosure::of(Rational::from_double(bound));
      EXPECT_TRUE(certainly_at_most(exact, upper)) << y;
      if (y < 690) {
        EXPECT_TRUE(certainly_at_most(upper, exact * Enclosure::of(Rational(1) + Rational::dyadic(1, -40)))) << y;
      }
    }
  }
  EXPECT_EQ(exp_minus_upper(HUGE_VAL), 0x1p-995);
}

}  // namespace
}  // namespace fractile
