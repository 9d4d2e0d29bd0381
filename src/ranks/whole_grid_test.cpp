#include "ranks/whole_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <string>

#include "ranks/lattice_test_support.hpp"

namespace fractile {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string text_of(int128 number) {
  if (number < 0) return "-" + text_of(-number);
  const std::string last(1, static_cast<char>('0' + static_cast<int>(number % 10)));
  return number < 10 ? last : text_of(number / 10) + last;
}

std::string defined_index(const Rational& lower, const Rational& step, const Rational& value) {
  return ((value - lower) / step + Rational(1, 2)).floor().to_string();
}

TEST(WholeGrid, IndicesAreExact) {
  std::mt19937_64 random(1);
  int grids = 0;
  for (const Lattice& lattice : ranks_test::telling_regular_lattices()) {
    const auto grid = WholeGrid::of(lattice.lower(), lattice.step());
    if (!grid) continue;
    ++grids;
    for (const double value : ranks_test::telling_doubles(lattice, random, 200)) {
      const auto index = grid->nearest_index(value);
      ASSERT_EQ(index.has_value(), std::abs(value) < 0x1p63);
      if (!index) continue;
      EXPECT_EQ(text_of(*index), defined_index(lattice.lower(), lattice.step(), Rational::from_double(value))) << value;
    }
    for (const std::int64_t value : {least, least + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, most}) {
      EXPECT_EQ(text_of(grid->nearest_index(value)), defined_index(lattice.lower(), lattice.step(), value));
    }
  }
  EXPECT_GE(grids, 8);
}

TEST(WholeGrid, NothingOverflowsAtTheLargestScale) {
  const std::int64_t scale = std::int64_t{1} << 62;
  EXPECT_TRUE(rc::check("as defined", [=] {
    const Rational lower = Rational(*rc::gen::arbitrary<std::int64_t>(), 1) / Rational(scale);
    const Rational step = Rational(*rc::gen::inRange<std::int64_t>(1, most)) / Rational(scale);
    const auto grid = WholeGrid::of(lower, step);
    if (!grid) return;
    for (const std::int64_t whole : {least, most, *rc::gen::arbitrary<std::int64_t>()}) {
      RC_ASSERT(text_of(grid->nearest_index(whole)) == defined_index(lower, step, whole));
      const auto count = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 9), rc::gen::nonZero<std::uint64_t>());
      const Rational mean = Rational(whole) / Rational(count);
      RC_ASSERT(text_of(grid->nearest_index_of_mean(whole, count)) == defined_index(lower, step, mean));
    }
    for (const double real : {-0x1.fffffffffffffp62, 0x1.fffffffffffffp62, *rc::gen::arbitrary<double>()}) {
      const auto index = grid->nearest_index(real);
      if (index) RC_ASSERT(text_of(*index) == defined_index(lower, step, Rational::from_double(real)));
    }
  }));
}

TEST(WholeGrid, ThereIsNoneWhereTheNumbersDoNotFit) {
  EXPECT_FALSE(WholeGrid::of(0, Rational::parse("1e-19")));
  EXPECT_FALSE(WholeGrid::of(Rational::parse("1e300"), 1));
  EXPECT_FALSE(WholeGrid::of(Rational::parse("1e15"), Rational::parse("0.00001")));
}

}  // namespace
}  // namespace fractile
