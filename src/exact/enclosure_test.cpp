#include "exact/enclosure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fractile/error.hpp"

namespace fractile {
namespace {

Rational any_rational() {
  const auto top = *rc::gen::arbitrary<std::int64_t>();
  const auto bottom = *rc::gen::arbitrary<std::int64_t>();
  return {top, bottom == 0 ? 1 : bottom};
}

TEST(Enclosure, ContainsTheExactResult) {
  EXPECT_TRUE(rc::check("field operations", [] {
    const std::int64_t precision = *rc::gen::inRange(10, 200);
    const Rational a = any_rational();
    const Rational b = any_rational();
    const Enclosure x = Enclosure::of(a, precision);
    const Enclosure y = Enclosure::of(b, precision);
    RC_ASSERT((x + y).contains(a + b));
    RC_ASSERT((x - y).contains(a - b));
    RC_ASSERT((x * y).contains(a * b));
    if (b.sign() != 0) RC_ASSERT((x / y).contains(a / b));
    if (certainly_less(x, y)) RC_ASSERT(a < b);
    if (certainly_at_most(x, y)) RC_ASSERT(a <= b);
    RC_ASSERT(a.sign() == 0 || Rational::from_double(x.lower_double()) <= a);
    RC_ASSERT(a.sign() == 0 || Rational::from_double(x.upper_double()) >= a);
  }));
}

TEST(Enclosure, ExponentialOfALogarithmIsThatNumber) {
  EXPECT_TRUE(rc::check("exp(c ln r) = r^c", [] {
    const Rational r(*rc::gen::inRange(1, 1000) + 1000, *rc::gen::inRange(1, 1000));
    const int c = *rc::gen::inRange(0, 20);
    RC_ASSERT(Enclosure::of(Exponent::log(r, c)).exp().contains(r.pow(c)));
  }));
}

}  // namespace
}  // namespace fractile
