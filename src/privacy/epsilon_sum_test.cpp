#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {
namespace {

EpsilonSum sum_of(std::initializer_list<const char*> texts) {
  EpsilonSum sum;
  for (const char* text : texts) sum += Exponent::parse(text);
  return sum;
}

Exponent any_epsilon() {
  const Rational c(*rc::gen::inRange(0, 200), *rc::gen::inRange(1, 50));
  if (*rc::gen::arbitrary<bool>()) return c;
  const int below = *rc::gen::inRange(1, 40);
  return Exponent::log(Rational(below + *rc::gen::inRange(0, 100), below), c);
}

TEST(EpsilonSum, AddsRationalsExactly) {
  const EpsilonSum sum = sum_of({"1/3", "1/6", "0.5"});
  EXPECT_TRUE(sum.is_rational());
  EXPECT_EQ(sum.upper(), Rational(1));
  EXPECT_EQ(sum.lower(), Rational(1));
  EXPECT_EQ(sum.to_string(), "1");
}

TEST(EpsilonSum, EqualsByTheRulesOfLogarithms) {
  EXPECT_EQ(sum_of({"ln 2", "ln 3"}), sum_of({"ln 6"}));
  EXPECT_EQ(sum_of({"1/2 ln 4", "1/3 ln 27"}), sum_of({"ln 6"}));
  EXPECT_EQ(sum_of({"ln 3/2", "ln 4/3"}), sum_of({"1/5 ln 32"}));
  EXPECT_EQ(sum_of({"1000000 ln 12"}), sum_of({"2000000 ln 2", "1000000 ln 3"}));  // no power is written out
  EXPECT_EQ(sum_of({"ln 2", "1"}), sum_of({"1", "1/2 ln 2", "1/4 ln 4"}));
  EXPECT_LT(sum_of({"ln 2"}), sum_of({"0.6931471805599453094172321214581766"}));
  EXPECT_GT(sum_of({"ln 2"}), sum_of({"0.6931471805599453094172321214581765"}));
}

TEST(EpsilonSum, DecidesWhatNoDoubleCan) {
  // 2^1000 and 2^1000 + 1: equal to 300 digits.
  const Rational big = Rational(2).pow(1000);
  EXPECT_LT(EpsilonSum(Exponent::log(big)), EpsilonSum(Exponent::log(big + Rational(1))));
  EXPECT_EQ(EpsilonSum(Exponent::log(big)), EpsilonSum(Exponent::log(2, 1000)));
}

TEST(EpsilonSum, AddsItselfAndCollectsEqualLogarithms) {
  EpsilonSum sum = sum_of({"1/2", "ln 3"});
  sum += sum;
  EXPECT_EQ(sum.to_string(), "1 + 2 ln 3");
  EXPECT_NEAR(sum.to_double(), 1 + 2 * std::log(3.0), 1e-14);
  EXPECT_EQ(sum_of({}).to_string(), "0");
}

TEST(EpsilonSum, LeftIsExactForRationalsAndSafeOtherwise) {
  EXPECT_EQ(sum_of({"1/4"}).left_of(sum_of({"1"})), Rational(3, 4));
  EXPECT_EQ(sum_of({"2"}).left_of(sum_of({"1"})), Rational(0));
  EXPECT_EQ(sum_of({"ln 2", "ln 3"}).left_of(sum_of({"ln 6"})), Rational(0));
  const Rational left = sum_of({"ln 2"}).left_of(sum_of({"1"}));
  EXPECT_LT(sum_of({"ln 2"}) + Exponent(left), sum_of({"1"}));
  EXPECT_GT(sum_of({"ln 2"}) + Exponent(left * (Rational(1) + Rational::dyadic(1, -40))), sum_of({"1"}));
}

TEST(EpsilonSum, IsAnOrderedSum) {
  EXPECT_TRUE(rc::check("bounds, order and commutativity", [] {
    const Exponent a = any_epsilon();
    const Exponent b = any_epsilon();
    const EpsilonSum sum = EpsilonSum(a) + b;
    RC_ASSERT(sum == EpsilonSum(b) + a);
    RC_ASSERT(sum >= EpsilonSum(a));
    RC_ASSERT((sum > EpsilonSum(a)) == !b.is_zero());
    RC_ASSERT((EpsilonSum(a) <=> EpsilonSum(b)) == (EpsilonSum(a) + a <=> EpsilonSum(b) + b));
    const Enclosure truth = Enclosure::of(a, 512) + Enclosure::of(b, 512);
    RC_ASSERT(!certainly_less(Enclosure::of(sum.upper(), 512), truth));
    RC_ASSERT(!certainly_less(truth, Enclosure::of(sum.lower(), 512)));
    RC_ASSERT(sum.upper() - sum.lower() <= sum.upper() * Rational::dyadic(1, -40));
  }));
}

}  // namespace
}  // namespace fractile
