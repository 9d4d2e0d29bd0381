#include "quantiles/joint/rate_powers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "exact/enclosure.hpp"

namespace fractile {
namespace {

/// Whether bound / exp(exponent) is in [1, 1 + room].
bool bounds_well(const WideReal& bound, const Enclosure& exponent, const Rational& room) {
  Enclosure ratio =
      Enclosure::of(Rational::dyadic(static_cast<std::int64_t>(std::ldexp(bound.leading(), 53)), -53), 256);
  arb_mul_2exp_si(ratio.arb(), ratio.arb(), bound.exponent());
  ratio /= exponent.exp();
  return certainly_at_most(Enclosure::of(Rational(1), 256), ratio) &&
         certainly_at_most(ratio, Enclosure::of(Rational(1) + room, 256));
}

TEST(RatePowers, BoundExponentialsOfEitherSignClosely) {
  EXPECT_TRUE(rc::check([] {
    const Exponent rate =
        Exponent::parse(*rc::gen::elementOf(std::vector<std::string>{"64", "1/1000000", "ln 3", "1/3", "41/2"}));
    const RatePowers powers(rate);
    const auto bits = *rc::gen::inRange(0, 41);
    const auto whole = *rc::gen::inRange<std::uint64_t>(0, (std::uint64_t{1} << bits) + 1);
    const auto parts = *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
    const auto rest = *rc::gen::inRange<std::uint64_t>(0, parts);
    const Rational x = Rational(whole) + Rational(rest, parts);
    const Enclosure exponent = Enclosure::of(rate, 256) * Enclosure::of(x, 256);
    const Enclosure negative = Enclosure::of(Rational(0), 256) - exponent;
    RC_ASSERT(bounds_well(powers.down(whole, rest, parts), negative, Rational::dyadic(1, -20)));
    RC_ASSERT(bounds_well(powers.up(whole, rest, parts), exponent, Rational::dyadic(1, -20)));
  }));
}

}  // namespace
}  // namespace fractile
