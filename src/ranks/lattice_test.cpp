#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "ranks/lattice_test_support.hpp"

namespace fractile {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using ranks_test::defined_position;
using ranks_test::nearest;
using ranks_test::regular;

TEST(Lattice, RegularOnesCountTheirPointsExactly) {
  EXPECT_EQ(regular("0", "125", "1").size(), 126U);
  EXPECT_EQ(regular("-0.3", "0.3", "0.1").size(), 7U);
  EXPECT_EQ(regular("-0.3", "0.3", "0.1").at(4).to_decimal(), "0.1");
  EXPECT_EQ(regular("5", "5", "2").size(), 1U);
  EXPECT_EQ(regular("0", "4611686018427387903", "1").size(), Lattice::max_size);
  EXPECT_THROW(regular("0", "4611686018427387904", "1"), Error);
  EXPECT_THROW(regular("0", "1", "0.3"), Error);
  EXPECT_THROW(regular("0", "1", "0"), Error);
  EXPECT_THROW(regular("0", "1", "-1"), Error);
  EXPECT_THROW(regular("1", "0", "1"), Error);
  EXPECT_THROW(regular("0", "1", "1/3"), Error);
}

TEST(Lattice, IsEqualToOneThatPlacesAndCallsAlike) {
  const Lattice ages = regular("0", "125", "1");
  EXPECT_EQ(ages, Lattice::numbers(126));
  EXPECT_EQ(ages, Lattice(ages));
  std::vector<Rational> points;
  for (std::int64_t i = 0; i <= 125; ++i) points.emplace_back(i);
  const Lattice listed = Lattice::explicit_points(points);
  EXPECT_EQ(listed, Lattice::explicit_points(points));
  points[7] = Rational(15, 2);
  for (const Lattice& other : {regular("0", "124", "1"), regular("1", "126", "1"), regular("0", "250", "2"), listed,
                               Lattice::regular(0, 125, 1, ValueKind::date)}) {
    EXPECT_FALSE(ages == other);
    EXPECT_FALSE(other == ages);
  }
  EXPECT_FALSE(listed == Lattice::explicit_points(points));
  EXPECT_FALSE(Lattice::regular(0, 125, 1, ValueKind::timestamp) == Lattice::regular(0, 125, 1, ValueKind::instant));
}

TEST(Lattice, MovesLeaveNoneEmpty) {
  Lattice from = Lattice::regular(0, 10, 1);
  const Lattice to = std::move(from);
  EXPECT_EQ(from, to);  // NOLINT(bugprone-use-after-move): it has no move
}

TEST(Lattice, HasPartsAndNumbers) {
  EXPECT_EQ(Lattice::numbers(1), regular("0", "0", "1"));
  EXPECT_EQ(Lattice::numbers(Lattice::max_size).size(), Lattice::max_size);
  EXPECT_THROW(Lattice::numbers(0), Error);
  EXPECT_THROW(Lattice::numbers(Lattice::max_size + 1), Error);
  const Lattice fine = regular("-1", "1", "0.01");
  EXPECT_EQ(fine.between(0, 200), fine);
  EXPECT_EQ(fine.between(50, 150), regular("-0.5", "0.5", "0.01"));
  EXPECT_EQ(fine.between(7, 7), regular("-0.93", "-0.93", "0.01"));
  EXPECT_EQ(Lattice::explicit_points({1, 2, 5, 9}).between(1, 2), Lattice::explicit_points({2, 5}));
  EXPECT_EQ(Lattice::regular(0, 9, 1, ValueKind::date).between(2, 3), Lattice::regular(2, 3, 1, ValueKind::date));
  EXPECT_THROW(fine.between(3, 2), Error);
  EXPECT_THROW(fine.between(0, 201), Error);
}

TEST(Lattice, HalvesGoUpAndBoundsClamp) {
  const Lattice ages = regular("0", "125", "1");
  EXPECT_EQ(ages.position_of(2.5), 2 * 3 + 1U);
  EXPECT_EQ(ages.position_of(std::nextafter(2.5, 0)), 2 * 2 + 1U);
  EXPECT_EQ(ages.position_of(0.49999999999999994), 1U);  // x + 0.5 rounds to 1 in double arithmetic
  EXPECT_EQ(ages.position_of(-0.0), 1U);
  EXPECT_EQ(ages.position_of(5e-324), 1U);
  EXPECT_EQ(ages.position_of(-infinity), 1U);
  EXPECT_EQ(ages.position_of(infinity), 2 * 125 + 1U);
  EXPECT_EQ(ages.position_of(1e300), 2 * 125 + 1U);
  EXPECT_EQ(ages.position_of(std::int64_t{-7}), 1U);
  EXPECT_EQ(ages.position_of(std::numeric_limits<std::int64_t>::max()), 2 * 125 + 1U);
  EXPECT_THROW(ages.position_of(std::nan("")), Error);
}

TEST(Lattice, NearestPointIsExactForDoublesAndIntegers) {
  const std::vector<Lattice> lattices = ranks_test::telling_regular_lattices();
  EXPECT_TRUE(rc::check("as defined", [&] {
    const Lattice& lattice = lattices[*rc::gen::inRange<std::size_t>(0, lattices.size())];
    const auto index = *rc::gen::inRange<std::uint64_t>(0, lattice.size());
    const Rational point = lattice.at(index) + lattice.step() * Rational(*rc::gen::inRange(-3, 4), 2);
    double x = point.to_double();
    for (int steps = *rc::gen::inRange(0, 3); steps > 0; --steps) x = std::nextafter(x, infinity);
    RC_ASSERT(lattice.position_of(x) == 2 * nearest(lattice, Rational::from_double(x)) + 1);
    if (point.floor().fits_int64()) {
      const std::int64_t whole = point.floor().to_int64();
      RC_ASSERT(lattice.position_of(whole) == 2 * nearest(lattice, Rational(whole)) + 1);
    }
    const auto any = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    if (std::isfinite(any)) RC_ASSERT(lattice.position_of(any) == 2 * nearest(lattice, Rational::from_double(any)) + 1);
    const auto integer = *rc::gen::arbitrary<std::int64_t>();
    RC_ASSERT(lattice.position_of(integer) == 2 * nearest(lattice, Rational(integer)) + 1);
  }));
}

std::vector<Lattice> telling_lattices() {
  std::vector<Lattice> lattices = ranks_test::telling_regular_lattices();
  for (Lattice& list : ranks_test::telling_lists()) lattices.push_back(std::move(list));
  return lattices;
}

TEST(Lattice, ManyDoublesAtOnceLieWhereTheyAreDefinedTo) {
  std::mt19937_64 random(1);
  for (const Lattice& lattice : telling_lattices()) {
    SCOPED_TRACE(lattice.lower().to_string() + " " + lattice.upper().to_string());
    const std::vector<double> values = ranks_test::telling_doubles(lattice, random, 150);
    std::vector<Position> positions(values.size());
    lattice.positions_of(values, positions);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(positions[i], defined_position(lattice, values[i])) << values[i];
      EXPECT_EQ(lattice.position_of(values[i]), positions[i]) << values[i];
    }
  }
}

TEST(Lattice, ManyWholeNumbersAtOnceLieWhereTheyAreDefinedTo) {
  std::mt19937_64 random(2);
  for (const Lattice& lattice : telling_lattices()) {
    SCOPED_TRACE(lattice.lower().to_string() + " " + lattice.upper().to_string());
    std::vector<std::int64_t> values;
    for (int k = 0; k < 70; ++k) {
      values.push_back(static_cast<std::int64_t>(random()) >> (k % 64));
      const std::int64_t power = std::int64_t{1} << (k % 63);
      for (const std::int64_t near : {-2, -1, 0, 1, 2}) {
        values.push_back(power + near);
        values.push_back(near - power);
      }
    }
    values.push_back(std::numeric_limits<std::int64_t>::min());
    values.push_back(std::numeric_limits<std::int64_t>::max());
    std::vector<Position> positions(values.size());
    lattice.positions_of(values, positions);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(positions[i], defined_position(lattice, Rational(values[i]))) << values[i];
      EXPECT_EQ(lattice.position_of(values[i]), positions[i]) << values[i];
    }
  }
}

TEST(Lattice, FractionsLieWhereTheyAreDefinedTo) {
  const std::vector<Lattice> lattices{
      ranks_test::regular("-5", "5", "1"), ranks_test::regular("0.1", "0.9", "0.2"),
      Lattice::explicit_points({Rational(-4), Rational(1, 2), Rational(2), Rational::parse("2.5")})};
  for (const Lattice& lattice : lattices) {
    for (std::int64_t sum = -30; sum <= 30; ++sum) {
      for (const std::uint64_t count : {1U, 2U, 3U, 4U, 10U}) {
        const Rational mean = Rational(sum) / Rational(count);
        EXPECT_EQ(lattice.position_of(mean), ranks_test::defined_position(lattice, mean)) << mean.to_string();
        EXPECT_EQ(lattice.position_of_mean(sum, count), lattice.position_of(mean)) << mean.to_string();
      }
    }
  }
  const Lattice days = Lattice::regular(0, 10, 2, ValueKind::date);
  EXPECT_EQ(days.position_of(Rational(7, 2)), days.position_of(std::int64_t{3}));
  EXPECT_EQ(days.position_of_mean(7, 2), days.position_of(std::int64_t{3}));
  EXPECT_THROW(days.position_of_mean(7, 0), Error);
}

TEST(Lattice, NanHasNoPositionAmongOthers) {
  const std::vector<double> values{1, 2, std::nan(""), 3};
  std::vector<Position> positions(values.size());
  EXPECT_THROW(regular("0", "10", "1").positions_of(values, positions), Error);
  EXPECT_THROW(Lattice::explicit_points({1, 2}).positions_of(values, positions), Error);
  EXPECT_THROW(regular("0", "10", "1").positions_of(std::vector<double>(3), positions), Error);
}

TEST(Lattice, ThresholdsAreTheFirstDoublesOfTheirPosition) {
  const std::vector<Lattice> lattices{regular("0", "125", "1"), regular("-0.3", "0.3", "0.1"),
                                      regular("0", "1e-310", "1e-311"),
                                      Lattice::explicit_points({Rational(-1), Rational::parse("0.1"), Rational(3)})};
  for (const Lattice& lattice : lattices) {
    for (Position p = 1; p <= 2 * lattice.size(); ++p) {
      const double threshold = ranks_test::double_threshold(lattice, p);
      if (std::isinf(threshold)) {
        if (threshold > 0) {
          EXPECT_LT(lattice.position_of(std::numeric_limits<double>::max()), p);
        }
        continue;
      }
      EXPECT_GE(lattice.position_of(threshold), p);
      EXPECT_LT(lattice.position_of(std::nextafter(threshold, -infinity)), p);
    }
  }
}

TEST(Lattice, ExplicitCandidatesKeepWhatLiesBetween) {
  const Lattice c = Lattice::explicit_points({Rational(1), Rational::parse("2.5"), Rational(4)});
  EXPECT_EQ(c.position_of(0.0), 0U);
  EXPECT_EQ(c.position_of(1.0), 1U);
  EXPECT_EQ(c.position_of(2.0), 2U);
  EXPECT_EQ(c.position_of(2.5), 3U);
  EXPECT_EQ(c.position_of(std::int64_t{3}), 4U);
  EXPECT_EQ(c.position_of(std::int64_t{4}), 5U);
  EXPECT_EQ(c.position_of(infinity), 6U);
  EXPECT_EQ(c.position_of(-infinity), 0U);
  const Lattice tenth = Lattice::explicit_points({Rational::parse("0.1"), Rational(1)});
  EXPECT_EQ(tenth.position_of(0.1), 1U);  // the double nearest to the candidate is the candidate
}

TEST(Lattice, ExplicitCandidatesMustIncrease) {
  EXPECT_THROW(Lattice::explicit_points({}), Error);
  EXPECT_THROW(Lattice::explicit_points({Rational(1), Rational(1)}), Error);
  EXPECT_THROW(Lattice::explicit_points({Rational(2), Rational(1)}), Error);
  EXPECT_THROW(Lattice::explicit_points({Rational(1, 3)}), Error);
  EXPECT_THROW(Lattice::explicit_points({Rational(0), Rational::parse("1e-400")}), Error);
}

}  // namespace
}  // namespace fractile
