#include "exact/enclosure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

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
    const auto n = *rc::gen::inRange<std::uint64_t>(1, 9);
    RC_ASSERT((x * n / std::uint64_t{7}).contains(a * Rational(n) / Rational(7)));
    RC_ASSERT((-x).contains(-a));
    RC_ASSERT(scaled(x, -3).contains(a / Rational(8)));
    RC_ASSERT(x.pow(n).contains(a.pow(static_cast<std::int64_t>(n))));
    RC_ASSERT((x * x).sqrt().contains(std::max(a, -a)));
    RC_ASSERT(Enclosure::sum(x, y, 30).contains(a + b) && Enclosure::difference(x, y, 30).contains(a - b));
    RC_ASSERT(Enclosure::product(x, y, 30).contains(a * b) && Enclosure::larger(x, y, 30).contains(std::max(a, b)));
    if (b.sign() != 0) RC_ASSERT(Enclosure::quotient(x, y, 30).contains(a / b));
    RC_ASSERT(Enclosure::root(Enclosure::power(x, 3, 300), 3, 30).contains(a) || a.sign() < 0);
    Enclosure most = x;
    most.raise_to(y);
    Enclosure least = x;
    least.lower_to(y);
    RC_ASSERT(most.contains(std::max(a, b)) && least.contains(std::min(a, b)));
    RC_ASSERT(hull(x, y).contains((a + b) / Rational(2)));
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
