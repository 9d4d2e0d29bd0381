#include "ranks/affine_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>

#include "ranks/lattice_test_support.hpp"
#include "support/instruction_sets.hpp"

namespace fractile {
namespace {

using ranks_test::defined_position;
using ranks_test::telling_doubles;

AffineFilter filter_of(const Lattice& lattice) {
  return {lattice.lower(), lattice.upper(), lattice.step(), lattice.size()};
}

TEST(AffineFilter, WhatItIsCertainOfIsRightInEveryRoundingMode) {
  std::mt19937_64 random(1);
  for (const Lattice& lattice : ranks_test::telling_regular_lattices()) {
    const AffineFilter filter = filter_of(lattice);
    const std::vector<double> values = telling_doubles(lattice, random, 200);
    std::vector<Position> expected;
    for (const double value : values) expected.push_back(defined_position(lattice, value));
    std::vector<Position> positions(values.size());
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const bool any_uncertain = filter(values, positions.data());
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(any_uncertain, std::ranges::count(positions, AffineFilter::uncertain) > 0);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (positions[i] != AffineFilter::uncertain) {
          EXPECT_EQ(positions[i], expected[i]) << values[i];
        }
      }
    }
  }
}

TEST(AffineFilter, OneAndManyAreTheSameInEveryInstructionSetAndRoundingMode) {
  testing::on_every_instruction_set([] {
    std::mt19937_64 random(2);
    for (const Lattice& lattice : ranks_test::telling_regular_lattices()) {
      const AffineFilter filter = filter_of(lattice);
      std::vector<double> values = telling_doubles(lattice, random, 100);
      values.push_back(std::nan(""));
      for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        std::vector<Position> expected;
        for (const double value : values) expected.push_back(filter(value));
        std::vector<Position> positions(values.size() + 1, 77);
        EXPECT_TRUE(filter(values, positions.data()));
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(expected.back(), AffineFilter::uncertain);
        expected.push_back(77);  // and nothing behind them
        EXPECT_EQ(positions, expected);
      }
    }
  });
}

TEST(AffineFilter, HalfWayIsCertainWhereNothingIsRounded) {
  for (const char* step : {"0.25", "0.5", "1", "64"}) {
    const Lattice lattice = ranks_test::regular("0", "6400", step);
    const double width = lattice.step().to_double();
    std::vector<double> halves;
    for (int k = 0; k < 90; ++k) halves.push_back((k + 0.5) * width);
    std::vector<Position> positions(halves.size());
    EXPECT_FALSE(filter_of(lattice)(halves, positions.data()));
    for (std::size_t k = 0; k < halves.size(); ++k) EXPECT_EQ(positions[k], 2 * (k + 1) + 1) << step;
  }
}

TEST(AffineFilter, IsSeldomUncertain) {
  const Lattice cents = ranks_test::regular("0", "1048576", "0.01");
  const AffineFilter filter = filter_of(cents);
  std::mt19937_64 random(3);
  int uncertain = 0;
  for (int k = 0; k < 100000; ++k) {
    const double value = static_cast<double>(random() >> 11) * 0x1p-53 * 1.1e6;
    uncertain += filter(value) == AffineFilter::uncertain ? 1 : 0;
  }
  EXPECT_LT(uncertain, 100);
}

}  // namespace
}  // namespace fractile
