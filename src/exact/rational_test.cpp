#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {
namespace {

// --- What does not compile ------------------------------------------------------------------------------------------

static_assert(!std::is_constructible_v<Rational, double> && !std::is_constructible_v<Rational, float>);
static_assert(!std::is_convertible_v<double, Rational> && !std::is_constructible_v<Rational, double, int>);
static_assert(!std::is_constructible_v<Rational, int, double> && !std::is_assignable_v<Rational&, double>);
static_assert(!std::is_constructible_v<Exponent, double> && !std::is_convertible_v<double, Exponent>);
static_assert(!std::is_constructible_v<Rational, bool> && !std::is_constructible_v<Rational, char>);

template <class Number>
concept IsAddedToRationals = requires(Rational rational, Number number) {
  rational + number;
};
static_assert(IsAddedToRationals<std::size_t> && !IsAddedToRationals<double>);

// --------------------------------------------------------------------------------------------------------------------

TEST(Rational, IsMadeOfWholeNumbersOfEveryKind) {
  EXPECT_EQ(Rational(std::numeric_limits<std::uint64_t>::max()).to_string(), "18446744073709551615");
  EXPECT_EQ(Rational(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Rational(-3, std::uint64_t{1} << 63).to_string(), "-3/9223372036854775808");
  EXPECT_EQ(Rational(std::uint8_t{200}) - Rational(std::int16_t{-1}), 201U);
}

// A word holds numbers below 2^62 itself, and the place of larger ones in memory.
TEST(Rational, NumbersInMemoryAreLikeThoseInWords) {
  std::vector<Rational> numbers{0, 1, -1, Rational(1, 3), Rational(-7, 5)};
  for (const int power : {61, 62, 63, 64, 200}) {
    const Rational border = Rational(2).pow(power);
    for (const Rational& number : {border, border - 1, border + 1}) {
      for (const Rational& one : {number, -number, Rational(1) / number, number / Rational(15)}) numbers.push_back(one);
    }
  }
  for (const Rational& a : numbers) {
    EXPECT_EQ(Rational::parse(a.to_string()), a);
    EXPECT_EQ(a.sign(), a.to_string() == "0" ? 0 : a.to_string().front() == '-' ? -1 : 1);
    EXPECT_EQ(a.is_integer(), a.to_string().find('/') == std::string::npos);
    EXPECT_EQ(a.numerator() / a.denominator(), a);
    EXPECT_TRUE(a.denominator().is_integer());
    EXPECT_EQ(a.fits_uint64(), a.is_integer() && a.sign() >= 0 && a < Rational(2).pow(64)) << a.to_string();
    if (a.fits_uint64()) {
      EXPECT_EQ(Rational(a.to_uint64()), a);
    }
    for (const Rational& b : numbers) {
      EXPECT_EQ(a == b, a.to_string() == b.to_string());
      EXPECT_EQ(a <=> b, (a - b).sign() <=> 0) << a.to_string() << " and " << b.to_string();
      Rational copy = a;
      copy = b;
      EXPECT_EQ(copy, b);
      copy += 1;  // not of b
      EXPECT_EQ(copy - b, 1);
      Rational moved = a;
      moved = std::move(copy);
      EXPECT_EQ(moved, b + 1);
    }
  }
  EXPECT_EQ(Rational((std::int64_t{1} << 62) - 1) + 1, Rational(std::uint64_t{1} << 62));
}

TEST(Rational, ReadsDecimalsFractionsAndExponents) {
  EXPECT_EQ(Rational::parse("0.25"), Rational(1, 4));
  EXPECT_EQ(Rational::parse("1/3"), Rational(1, 3));
  EXPECT_EQ(Rational::parse("1e-3"), Rational(1, 1000));
  EXPECT_EQ(Rational::parse("-2.50E2"), Rational(-250));
  EXPECT_EQ(Rational::parse("+.5"), Rational(1, 2));
  EXPECT_EQ(Rational::parse("7."), Rational(7));
  EXPECT_EQ(Rational::parse("6/4").to_string(), "3/2");
  EXPECT_EQ(Rational::parse("1e300") * Rational::parse("1e-300"), Rational(1));
}

TEST(Rational, RefusesWhatIsNotANumber) {
  for (const char* text : {"", "-", ".", "1/", "/3", "1/0", "nan", "inf", "1e", "1 2", "0x10", "1e99999", "1,5",
                           "1.5/2", "--1", "1/2/3"}) {
    EXPECT_THROW(Rational::parse(text), Error) << text;
  }
  EXPECT_THROW(Rational::parse(std::string(10'001, '1')), Error);
}

TEST(Rational, NeverPassesThroughADouble) {
  EXPECT_NE(Rational::parse("0.1"), Rational::from_double(0.1));
  EXPECT_EQ(Rational::parse("0.1") * Rational(3), Rational::parse("0.3"));
}

TEST(Rational, DecimalsAreExact) {
  EXPECT_EQ(Rational::parse("-0.050").to_decimal(), "-0.05");
  EXPECT_EQ(Rational(125).to_decimal(), "125");
  EXPECT_EQ(Rational(1, 1024).to_decimal(), "0.0009765625");
  EXPECT_TRUE(Rational(7, 40).is_decimal());
  EXPECT_FALSE(Rational(1, 3).is_decimal());
  EXPECT_THROW(Rational(1, 3).to_decimal(), Error);
  EXPECT_TRUE(rc::check("decimals read back", [](std::int64_t digits) {
    const int places = *rc::gen::inRange(0, 30);
    const Rational value = Rational(digits) * Rational(10).pow(-places);
    RC_ASSERT(Rational::parse(value.to_decimal()) == value);
  }));
}

TEST(Rational, FloorAndCeilRoundTowardsTheirEnds) {
  EXPECT_EQ(Rational(-7, 2).floor(), Rational(-4));
  EXPECT_EQ(Rational(-7, 2).ceil(), Rational(-3));
  EXPECT_EQ(Rational(7, 2).floor(), Rational(3));
  EXPECT_EQ(Rational(4).ceil(), Rational(4));
}

TEST(Rational, IsAField) {
  EXPECT_TRUE(rc::check("a field", [](std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto nonzero = [](std::int64_t v) { return v == 0 ? std::int64_t{1} : v; };
    const Rational x(a, nonzero(b));
    const Rational y(b, nonzero(c));
    RC_ASSERT((x + y) - y == x);
    RC_ASSERT(x * y == y * x);
    if (y.sign() != 0) RC_ASSERT(x / y * y == x);
    RC_ASSERT((x < y) == ((y - x).sign() > 0));
    RC_ASSERT(Rational::parse(x.to_string()) == x);
  }));
}

TEST(Rational, DoublesRoundToNearestEven) {
  EXPECT_TRUE(rc::check("doubles and the halves between them", [](std::uint64_t bits) {
    const double d = std::abs(std::bit_cast<double>(bits));
    const double next = std::nextafter(d, std::numeric_limits<double>::infinity());
    if (!std::isfinite(d) || !std::isfinite(next)) return;
    const Rational exact = Rational::from_double(d);
    RC_ASSERT(exact.to_double() == d);
    const Rational half = (exact + Rational::from_double(next)) / 2;
    RC_ASSERT(half.to_double() == ((bits & 1) == 0 ? d : next));
    const Rational sliver = half * Rational::dyadic(1, -200);
    RC_ASSERT((half - sliver).to_double() == d);
    RC_ASSERT((half + sliver).to_double() == next);
  }));
  EXPECT_EQ(Rational::dyadic(1, -1074).to_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(Rational::dyadic(3, -1076).to_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(Rational::dyadic(1, -1076).to_double(), 0.0);
  EXPECT_TRUE(std::isinf(Rational::parse("1e400").to_double()));
  EXPECT_THROW(Rational::from_double(std::nan("")), Error);
}

TEST(Rational, SquareRootsRoundDown) {
  EXPECT_EQ(sqrt_down(Rational(4)), Rational(2));
  EXPECT_EQ(sqrt_down(Rational(9, 25)), Rational(3, 5));
  EXPECT_EQ(sqrt_down(Rational(0)), Rational(0));
  EXPECT_THROW(sqrt_down(Rational(-1)), Error);
  EXPECT_TRUE(rc::check("from below, closely", [](std::uint32_t a, std::uint32_t b) {
    const Rational value(std::int64_t{a} + 1, std::int64_t{b} + 1);
    const Rational root = sqrt_down(value);
    RC_ASSERT(root * root <= value);
    const Rational above = root * (Rational(1) + Rational::dyadic(1, -40));
    RC_ASSERT(above * above > value);
  }));
  for (const char* extreme : {"1e-300", "1e300", "3e-4000"}) {
    const Rational value = Rational::parse(extreme);
    const Rational root = sqrt_down(value);
    EXPECT_LE(root * root, value);
    EXPECT_GT(root * root * Rational(1001, 1000), value);
  }
}

TEST(Exponent, ReadsAndPrintsLogarithms) {
  EXPECT_EQ(Exponent::parse("ln 3"), Exponent::log(3));
  EXPECT_EQ(Exponent::parse("ln(3.5)"), Exponent::log(Rational(7, 2)));
  EXPECT_EQ(Exponent::parse(" 2 ln 3 "), Exponent::log(3, 2));
  EXPECT_EQ(Exponent::parse("2/3*ln 7/2").to_string(), "2/3 ln 7/2");
  EXPECT_EQ(Exponent::parse("0.5"), Exponent(Rational(1, 2)));
  EXPECT_TRUE(Exponent::parse("ln 1").is_zero());
  for (const char* text : {"ln", "ln 0.5", "ln -3", "-1", "ln ln 3", "x ln 3", "-2 ln 3", "ln (3", "ln 3)"}) {
    EXPECT_THROW(Exponent::parse(text), Error) << text;
  }
  for (const char* text : {"0", "1/3", "ln 2", "5/7 ln 11/10"}) EXPECT_EQ(Exponent::parse(text).to_string(), text);
}

TEST(Exponent, ExponentialsOfWholeLogarithmsAreRational) {
  EXPECT_EQ(Exponent::parse("ln 3.5").exponential(), Rational(7, 2));
  EXPECT_EQ((Exponent::parse("ln 3") * Rational(4)).exponential(), Rational(81));
  EXPECT_EQ(Exponent().exponential(), Rational(1));
  EXPECT_FALSE((Exponent::log(3) / Rational(2)).has_rational_exponential());
  EXPECT_THROW(Exponent(Rational(1)).exponential(), Error);
  EXPECT_NEAR(Exponent::parse("1/2 ln 3").to_double(), 0.5493061443340548, 1e-15);
}

TEST(Rational, PowersThatNoMemoryHoldsAreRefused) {
  constexpr std::int64_t trillion = 1'000'000'000'000;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t exponent : {trillion, -trillion, least, most, std::int64_t{1} << 62}) {
    EXPECT_THROW(Rational(2).pow(exponent), Error);
    EXPECT_THROW(Rational(-1, 3).pow(exponent), Error);
    EXPECT_THROW(Rational::dyadic(1, exponent), Error);
    EXPECT_THROW(Rational::dyadic(least, exponent), Error);
    EXPECT_EQ(Rational::dyadic(0, exponent), Rational(0));
    EXPECT_EQ(Rational(1).pow(exponent), Rational(1));
    EXPECT_EQ(Rational(-1).pow(exponent), Rational(exponent % 2 == 0 ? 1 : -1));
  }
  EXPECT_EQ(Rational(0).pow(most), Rational(0));
  EXPECT_THROW(Rational(0).pow(least), Error);
  EXPECT_THROW(Exponent::log(3, trillion).exponential(), Error);
  EXPECT_EQ(Rational(2).pow(1000) * Rational(2).pow(-1000), Rational(1));
  EXPECT_EQ(Rational::dyadic(3, 1 << 20) * Rational::dyadic(1, -(1 << 20)), Rational(3));
}

TEST(Rational, ValuesMovedFromCanBeUsed) {
  Rational from = Rational::parse("123456789012345678901234567890/7");
  const Rational to = std::move(from);
  EXPECT_EQ(from * to + from, from + to * from);  // NOLINT(bugprone-use-after-move): whatever it is now, it is a number
  from = 5;
  EXPECT_EQ(from, Rational(5));
}

TEST(Exponent, ValuesMovedFromCanBeUsed) {
  Exponent from = Exponent::log(3, 2);
  const Exponent to = std::move(from);
  EXPECT_EQ(to, Exponent::log(9));
  EXPECT_EQ(Exponent::parse(from.to_string()),
            from);  // NOLINT(bugprone-use-after-move): whatever it is now, it is a number
  EXPECT_EQ(from.exponential(), Rational(1));
  from = Exponent::log(3);
  Exponent third = Rational(1);
  third = std::move(from);
  EXPECT_EQ(third, Exponent::log(3));
  EXPECT_EQ(Exponent::parse(from.to_string()), from);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace fractile
