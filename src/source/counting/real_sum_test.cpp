#include "source/counting/real_sum.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::source_detail {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double inf = std::numeric_limits<double>::infinity();

double mean_of(const std::vector<double>& values, std::uint64_t count) {
  RealSum sum;
  for (const double value : values) sum.add(value);
  return sum.mean(count);
}
double sum_of(const std::vector<double>& values) { return mean_of(values, 1); }

/// The double nearest to the quotient, by fractions; ties to even.
double defined(const std::vector<double>& values, std::uint64_t count) {
  Rational sum;
  for (const double value : values) sum += Rational::from_double(value);
  return (sum / Rational(count)).to_double();
}

/// Finite doubles of all sizes, many of which cancel.
std::vector<double> nasty_values() {
  const std::vector<double> known{0.0,   -0.0,    1.0,      0.1,      1e16,      1.0,
                                  -1e16, largest, -largest, smallest, 0x1p-1022, 0x1p53};
  std::vector<double> values;
  const int size = *rc::gen::inRange(1, 12);
  for (int i = 0; i < size; ++i) {
    const auto bits = *rc::gen::arbitrary<std::uint64_t>();
    const double any = std::bit_cast<double>(bits);
    const bool is_known = *rc::gen::arbitrary<bool>() || !std::isfinite(any);
    values.push_back(is_known ? *rc::gen::elementOf(known) : any);
    if (*rc::gen::arbitrary<bool>()) values.push_back(-*rc::gen::elementOf(values));
  }
  return values;
}

TEST(RealSum, IsTheNearestDoubleOfTheExactSum) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({0.1, 0.2}), 0.1 + 0.2);
  EXPECT_EQ(sum_of({1e16, 1, -1e16}), 1);
  EXPECT_EQ(sum_of({1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(sum_of({0x1p53, 1}), 0x1p53);                // a tie, to even
  EXPECT_EQ(sum_of({0x1p53, 1, smallest}), 0x1p53 + 2);  // and a little more
  EXPECT_EQ(sum_of({smallest, smallest}), 2 * smallest);
  EXPECT_EQ(sum_of({largest, largest}), inf);
  EXPECT_EQ(sum_of({-largest, -largest}), -inf);
  EXPECT_EQ(sum_of(std::vector<double>(10, 0.1)), 1);  // which no order of additions gives
}

TEST(RealSum, MeansAreNearest) {
  EXPECT_EQ(mean_of({largest, largest}, 2), largest);
  EXPECT_EQ(mean_of({smallest}, 2), 0);                 // a tie, to even
  EXPECT_EQ(mean_of({3 * smallest}, 2), 2 * smallest);  // the same
  EXPECT_EQ(mean_of({1, 1, 1}, 3), 1);
  EXPECT_EQ(mean_of({-1}, 3), -1.0 / 3);
}

TEST(RealSum, Infinities) {
  EXPECT_EQ(sum_of({1, inf}), inf);
  EXPECT_EQ(mean_of({-inf, -largest}, 2), -inf);
  EXPECT_TRUE(std::isnan(sum_of({inf, 1, -inf})));
}

TEST(RealSum, IsThatOfFractions) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> values = nasty_values();
    const std::uint64_t count = *rc::gen::oneOf(rc::gen::just(std::uint64_t{1}), rc::gen::inRange<std::uint64_t>(1, 9),
                                                rc::gen::nonZero<std::uint64_t>());
    Rational exact;
    for (const double value : values) exact += Rational::from_double(value);
    const bool is_beyond = Rational::from_double(largest) < (exact.sign() < 0 ? -exact : exact) / Rational(count);
    const double found = mean_of(values, count);
    if (is_beyond) RC_ASSERT(std::abs(found) >= largest);
    if (!is_beyond) RC_ASSERT(found == defined(values, count));
  }));
}

TEST(RealSum, NoOrderAndNoRoundingModeDecides) {
  EXPECT_TRUE(rc::check([] {
    std::vector<double> values = nasty_values();
    const double sum = sum_of(values);
    std::ranges::reverse(values);
    RC_ASSERT(sum_of(values) == sum);
    std::ranges::sort(values);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const double other = sum_of(values);
      std::fesetround(FE_TONEAREST);
      RC_ASSERT(other == sum);
    }
  }));
}

}  // namespace
}  // namespace fractile::source_detail
