// Real numbers between two rationals: how they are written, and exp(epsilon).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "support/errors.hpp"

namespace fractile::flow {
namespace {

std::string decimal(const char* lower, const char* upper, int digits) {
  return RealBounds{Rational::parse(lower), Rational::parse(upper)}.to_decimal(digits);
}

TEST(RealBounds, HaveTheDigitsThatBothEndsAgreeOn) {
  EXPECT_EQ(decimal("1/3", "1/3", 4), "0.3333");
  EXPECT_EQ(decimal("0.3331", "0.3334", 6), "0.333");
  EXPECT_EQ(decimal("-0.3334", "-0.3331", 6), "-0.333");
  EXPECT_EQ(decimal("-1e-60", "1e-60", 30), "0");
  EXPECT_EQ(decimal("41.9", "42.1", 3), "42");
}

// The first digits only, where the last ones before the point are not certain.
TEST(RealBounds, HaveAPowerOfTenInPlaceOfUncertainDigits) {
  EXPECT_EQ(decimal("1234567.2", "1234999", 3), "1235e3");
  EXPECT_EQ(decimal("-1234999", "-1234567.2", 0), "-1235e3");
  EXPECT_EQ(decimal("99", "101", 2), "10e1");
  EXPECT_EQ(odds_bounds(Rational(1000)).to_decimal(3).substr(0, 20), "19700711140170469938");
  EXPECT_EQ(Rational::parse("1235e3"), Rational(1'235'000));
}

TEST(RealBounds, AreBothWrittenWhereNoDigitIsCertain) {
  EXPECT_EQ(decimal("0", "100", 3), "0..100");
  EXPECT_EQ(decimal("-9/10", "9/10", 3), "-0.9..0.9");
  EXPECT_EQ(decimal("-1/3", "2/3", 2), "-0.34..0.67");
  EXPECT_EQ(decimal("0.4", "0.6", 0), "0..1");
}

/// The number that is written, and how far it may be away.
struct Written {
  Rational number;
  Rational unit;
};
Written written(const std::string& text) {
  const std::size_t exponent = text.find('e');
  const std::size_t point = text.find('.');
  if (exponent != std::string::npos) return {Rational::parse(text), Rational::parse("1" + text.substr(exponent))};
  const std::size_t places = point == std::string::npos ? 0 : text.size() - point - 1;
  return {Rational::parse(text), Rational(1, 10).pow(static_cast<std::int64_t>(places))};
}

TEST(RealBounds, AreNearWhatIsWritten) {
  EXPECT_TRUE(rc::check([] {
    const Rational lower(*rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000), 1000);
    const Rational width(*rc::gen::inRange<std::int64_t>(0, 100'000), *rc::gen::inRange<std::int64_t>(1, 1000));
    const RealBounds bounds{lower, lower + width};
    const std::string text = bounds.to_decimal(*rc::gen::inRange(0, 5));
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos) {
      RC_ASSERT(Rational::parse(text.substr(0, dots)) <= bounds.lower);
      RC_ASSERT(Rational::parse(text.substr(dots + 2)) >= bounds.upper);
      return;
    }
    const auto [number, unit] = written(text);
    for (const Rational& end : {bounds.lower, bounds.upper}) {
      RC_ASSERT(end - number <= unit);
      RC_ASSERT(number - end <= unit);
    }
  }));
}

TEST(OddsBounds, RefuseEpsilonsThatAreTooLarge) {
  EXPECT_GT(odds_bounds(Rational(10'000)).lower, Rational(10).pow(4342));
  EXPECT_EQ(odds_bounds(Exponent::log(3, 9000)).lower, Rational(3).pow(9000));
  for (const char* const large :
       {"10001", "1e9", "1e19", "1e300", "10000 ln 3", "1e19 ln 2", "1e300 ln 3", "1e19 ln 3/2", "20001/2 ln 3"}) {
    const Error error = testing::error_of([&] { odds_bounds(Exponent::parse(large)); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << large;
    EXPECT_EQ(error.field(), "epsilon") << large;
  }
  // Near 1, but with very many digits.
  const Exponent long_one = Exponent::log(Rational(1) + Rational(1, 10).pow(300), Rational(10).pow(300));
  EXPECT_EQ(odds_bounds(long_one).to_decimal(30), odds_bounds(Rational(1)).to_decimal(30));
  EXPECT_THROW(odds_bounds(Exponent::log(long_one.argument(), 1'000'000)), Error);
  const RealBounds near_e = odds_bounds(long_one * Rational(3, 7));
  EXPECT_EQ(near_e.to_decimal(30), odds_bounds(Rational(3, 7)).to_decimal(30));
}

}  // namespace
}  // namespace fractile::flow
