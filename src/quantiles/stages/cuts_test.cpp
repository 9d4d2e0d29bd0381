#include "quantiles/stages/cuts.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/profiles.hpp"

namespace fractile {
namespace {

using testing::up_to;

Brackets brackets_at(const std::vector<std::pair<Rational, IntervalEnd>>& cuts) {
  Brackets brackets{{}, {Rational(1, 4), Rational(1, 2), Rational(3, 4)}, {}, {}};
  for (const auto& [quantile, end] : cuts) brackets.cuts.push_back({quantile, end, 0});
  return brackets;
}

std::vector<Position> positions_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets,
                                   const Lattice& lattice) {
  return cuts_of(selected, brackets, lattice).positions;
}

TEST(Cuts, LieBeforeALowerEndAndAfterAnUpperOne) {
  const Brackets ties = brackets_at({{{1, 4}, IntervalEnd::lower},
                                     {{3, 8}, IntervalEnd::upper},
                                     {{1, 2}, IntervalEnd::lower},
                                     {{3, 4}, IntervalEnd::upper}});
  const std::vector<Position> cuts = positions_of({3, 3, 5}, ties, up_to(7));
  EXPECT_EQ(cuts, (std::vector<Position>{7, 7, 8, 12}));
  EXPECT_EQ(cuts_of({3, 3, 5}, ties, up_to(7)).targets, (std::vector<std::size_t>{0, 2, 1, 3}))
      << "a lower cut moves before an upper one at its candidate";
  const std::vector<std::uint64_t> counts{1, 2, 4, 8, 16, 32};
  const RankProfile profile(Lattice::numbers(8), {5, 6, 7, 8, 11, 13}, counts);
  EXPECT_EQ(cell_counts(profile, cuts), (std::vector<std::int64_t>{3, 0, 4, 24, 32}));
}

/// Every cell adds noise, and intervals of the table may leave out the cells that are empty whatever the records are.
TEST(Cuts, AreLeftOutWhereTheyDivideNothingMore) {
  const auto expect = [](const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice,
                         const std::vector<Position>& positions, const std::vector<std::size_t>& targets,
                         const std::vector<std::size_t>& cells_below) {
    const PlacedCuts placed = cuts_of(selected, brackets, lattice);
    EXPECT_EQ(placed.positions, positions);
    EXPECT_EQ(placed.targets, targets);
    EXPECT_EQ(placed.cells_below, cells_below);
  };
  Brackets brackets = brackets_at({{{1, 4}, IntervalEnd::lower},
                                   {{3, 8}, IntervalEnd::upper},
                                   {{1, 2}, IntervalEnd::lower},
                                   {{3, 4}, IntervalEnd::upper}});
  expect({3, 3, 5}, brackets, up_to(7), {7, 7, 8, 12}, {0, 2, 1, 3}, {1, 2, 3, 4});
  brackets.leaves_out_cuts = true;
  expect({3, 3, 5}, brackets, up_to(7), {7, 8, 12}, {0, 1, 3}, {1, 1, 2, 3});  // in the order of their cuts

  brackets = brackets_at({{{1, 4}, IntervalEnd::upper}, {{3, 4}, IntervalEnd::lower}});
  brackets.leaves_out_cuts = true;
  expect({3, 3, 4}, brackets, up_to(7), {8}, {0}, {1, 1});
  expect({3, 3, 4}, brackets, Lattice::explicit_points({0, 1, 2, 3, 5, 6}), {8, 9}, {0, 1}, {1, 2});  // 4 is between

  brackets = brackets_at({{{1, 4}, IntervalEnd::lower}, {{1, 2}, IntervalEnd::lower}, {{3, 4}, IntervalEnd::upper}});
  brackets.leaves_out_cuts = true;
  expect({0, 2, 7}, brackets, up_to(7), {5}, {1}, {1, 1, 1});  // nothing is before 0 or after 7
  expect({0, 2, 6}, brackets, up_to(7), {5, 14}, {1, 2}, {1, 1, 2});
  expect({0, 0, 7}, brackets, up_to(7), {}, {}, {1, 1, 1});
}

/// Few records lie between two values that are both selected more than once.
TEST(Cuts, BetweenTwoTiesAreOne) {
  Brackets brackets =
      brackets_at({{{3, 8}, IntervalEnd::upper}, {{1, 2}, IntervalEnd::upper}, {{5, 8}, IntervalEnd::lower}});
  brackets.selected = {{1, 8}, {1, 4}, {3, 4}, {7, 8}};
  brackets.leaves_out_cuts = true;
  EXPECT_EQ(positions_of({10, 10, 50, 50}, brackets, up_to(99)), (std::vector<Position>{62}));
  EXPECT_EQ(cuts_of({10, 10, 50, 50}, brackets, up_to(99)).cells_below, (std::vector<std::size_t>{1, 1, 1}));
  for (const std::vector<std::uint64_t>& selected : {std::vector<std::uint64_t>{10, 10, 50, 51}, {9, 10, 50, 50}})
    EXPECT_EQ(positions_of(selected, brackets, up_to(99)), (std::vector<Position>{42, 62, 81}));
  brackets.leaves_out_cuts = false;
  EXPECT_EQ(positions_of({10, 10, 50, 50}, brackets, up_to(99)), (std::vector<Position>{42, 62, 81}));
}

TEST(Cuts, LieWhereTheSelectedOnesLeadTo) {
  const Brackets brackets = brackets_at({{{1, 100}, IntervalEnd::lower},
                                         {{3, 8}, IntervalEnd::lower},
                                         {{5, 8}, IntervalEnd::upper},
                                         {{7, 8}, IntervalEnd::upper},
                                         {{99, 100}, IntervalEnd::upper}});
  // 10 .. 20 .. 40: linear between and beyond, rounded down, and never outside.
  EXPECT_EQ(positions_of({10, 20, 40}, brackets, up_to(55)), (std::vector<Position>{1, 31, 62, 102, 112}));
}

TEST(Cuts, LieInwardsToRoundNumbersWhenMostOfTheSelectedOnesAreRound) {
  Brackets brackets = brackets_at({{{1, 8}, IntervalEnd::lower},
                                   {{1, 2}, IntervalEnd::lower},
                                   {{5, 8}, IntervalEnd::upper},
                                   {{13, 16}, IntervalEnd::upper}});
  brackets.selected = {{1, 8}, {1, 4}, {3, 8}, {5, 8}, {7, 8}};
  // 45 becomes 50, 75 becomes 70, and what is selected stays where it is.
  EXPECT_EQ(positions_of({10, 20, 31, 60, 80}, brackets, up_to(999)), (std::vector<Position>{21, 101, 122, 142}));
  EXPECT_EQ(positions_of({10, 20, 30, 36, 80}, brackets, up_to(999)), (std::vector<Position>{21, 67, 74, 122}))
      << "33 and 36 stay: 40 and 30 are past 36";
  EXPECT_EQ(positions_of({10, 20, 31, 62, 80}, brackets, up_to(999)), (std::vector<Position>{21, 93, 126, 152}))
      << "three are too few";
  EXPECT_EQ(positions_of({0, 0, 10, 50, 80}, brackets, up_to(999)), (std::vector<Position>{1, 61, 102, 146}))
      << "and zero tells nothing";
  EXPECT_EQ(positions_of({10, 10, 12, 15, 20}, brackets, up_to(999)), (std::vector<Position>{21, 27, 32, 38}));
  EXPECT_EQ(positions_of({10, 10, 20, 20, 21}, brackets, up_to(999)), (std::vector<Position>{21, 41, 42, 42}));
  EXPECT_EQ(positions_of({100, 200, 400, 500, 900}, brackets, up_to(9999)),
            (std::vector<Position>{201, 1001, 1002, 1602}))
      << "the coarsest grid";
  const Lattice to_hundred = Lattice::regular(3, 103, 1);  // 13, 23, 34, 63 and 83: none of them round
  EXPECT_EQ(positions_of({10, 20, 31, 60, 80}, brackets, to_hundred), (std::vector<Position>{21, 91, 122, 152}));
}

TEST(Cuts, LieFarOutNearlyAtTheEndAndAsFarAsWhatWasSelectedIsApartOrHalfWay) {
  Brackets brackets = brackets_at({{Rational(0), IntervalEnd::lower},
                                   {Rational(0), IntervalEnd::lower},
                                   {Rational(1), IntervalEnd::upper},
                                   {Rational(1), IntervalEnd::upper}});
  brackets.wanted = brackets.selected;
  for (CutTarget& cut : brackets.cuts) cut.owner = 9;  // of none of them, so that none moves to a tie
  EXPECT_EQ(positions_of({30, 31, 40}, brackets, up_to(999)), (std::vector<Position>{3, 41, 102, 1882}));
  EXPECT_EQ(positions_of({3, 4, 40}, brackets, up_to(999)), (std::vector<Position>{1, 3, 156, 1882}));
  EXPECT_EQ(positions_of({950, 970, 990}, brackets, up_to(999)), (std::vector<Position>{119, 1821, 1992, 2000}));
  EXPECT_EQ(positions_of({7, 7, 7}, brackets, up_to(999)), (std::vector<Position>{1, 7, 1008, 1876}));
  EXPECT_EQ(positions_of({0, 0, 0}, brackets, up_to(999)), (std::vector<Position>{1, 1, 1002, 1876}));
  Brackets alone = brackets;  // where nothing else tells of scale
  alone.wanted = alone.selected = {{1, 2}};
  EXPECT_EQ(positions_of({160}, alone, up_to(999)), (std::vector<Position>{3, 161, 1162, 1988}));
}

// With few records, points and brackets are drawn to the ends of the range, where a cut decides nothing.
TEST(Cuts, FarthestOutKeepAwayFromEndsWhereverTheOutermostIsDrawn) {
  Brackets brackets = brackets_at({{Rational(0), IntervalEnd::lower},
                                   {Rational(0), IntervalEnd::lower},
                                   {{1, 8}, IntervalEnd::lower},
                                   {{7, 8}, IntervalEnd::upper},
                                   {Rational(1), IntervalEnd::upper},
                                   {Rational(1), IntervalEnd::upper}});
  for (CutTarget& cut : brackets.cuts) cut.owner = 9;
  brackets.selected = {{1, 8}, {1, 4}, {1, 2}, {3, 4}, {7, 8}};
  brackets.wanted = {{1, 4}, {1, 2}, {3, 4}};
  EXPECT_EQ(positions_of({0, 320, 500, 679, 999}, brackets, up_to(999)),
            (std::vector<Position>{1, 1, 41, 1960, 2000, 2000}))
      << "brackets are no points";
  EXPECT_EQ(positions_of({0, 2, 640, 999, 999}, brackets, up_to(999)),
            (std::vector<Position>{1, 1, 21, 1990, 2000, 2000}))
      << "a fourth of 1/16 of the next point's distance";
  EXPECT_EQ(positions_of({0, 0, 0, 512, 600}, brackets, up_to(999)), (std::vector<Position>{1, 1, 5, 1202, 1602, 1940}))
      << "a sixteenth of it, of the one after";
  // A single point may lie in a gap, with records far from it on either side.
  brackets = brackets_at({{Rational(0), IntervalEnd::lower}, {Rational(1), IntervalEnd::upper}});
  brackets.wanted = {{1, 2}};
  EXPECT_EQ(positions_of({0, 12'800, 99'999}, brackets, up_to(99'999)),
            (std::vector<Position>{201, 2 * 99'999 + 2 - 2 * (87'199 / 128)}));
  // Where they would take the place of a cut of the other kind, there is a tie.
  brackets =
      brackets_at({{Rational(0), IntervalEnd::lower}, {{1, 4}, IntervalEnd::upper}, {Rational(1), IntervalEnd::upper}});
  brackets.wanted = brackets.selected;
  for (CutTarget& cut : brackets.cuts) cut.owner = 9;
  const PlacedCuts placed = cuts_of({0, 0, 640}, brackets, up_to(999));
  EXPECT_EQ(placed.positions, (std::vector<Position>{1, 2, 1956}));
  EXPECT_EQ(placed.targets, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(positions_of({32, 32, 64'000}, brackets, up_to(99'999)), (std::vector<Position>{5, 66, 195'502}))
      << "a sixteenth of the outermost point's distance";
  brackets.cuts[1] = {{3, 4}, IntervalEnd::lower, 9};
  EXPECT_EQ(positions_of({35'999, 99'967, 99'967}, brackets, up_to(99'999)),
            (std::vector<Position>{4499, 199'935, 199'996}));
}

TEST(Cuts, LieAtTheTieOfAPointInnermost) {
  Brackets brackets = brackets_at({{{1, 3}, IntervalEnd::lower},
                                   {{2, 5}, IntervalEnd::lower},
                                   {{3, 5}, IntervalEnd::upper},
                                   {{2, 3}, IntervalEnd::upper}});
  brackets.wanted = {{1, 2}};
  EXPECT_EQ(positions_of({10, 20, 50}, brackets, up_to(99)), (std::vector<Position>{27, 33, 66, 82}));
  EXPECT_EQ(positions_of({20, 20, 50}, brackets, up_to(99)), (std::vector<Position>{41, 41, 42, 82}))
      << "a tie from below may reach up";
  EXPECT_EQ(positions_of({10, 50, 50}, brackets, up_to(99)), (std::vector<Position>{47, 101, 102, 102}))
      << "and one from above down";
  brackets.selected = {{1, 4}, {3, 8}, {3, 4}};  // 1/2 is interpolated
  EXPECT_EQ(positions_of({10, 20, 20}, brackets, up_to(99)), (std::vector<Position>{33, 41, 42, 42}))
      << "a point between two tied ones is in their tie";
  EXPECT_EQ(positions_of({10, 20, 50}, brackets, up_to(99)), (std::vector<Position>{33, 45, 78, 88}));
}

TEST(Cuts, PointsAreSelectedOrBetweenSelectedOnes) {
  Brackets brackets = brackets_at({});
  brackets.wanted = {{1, 4}, {3, 8}, {1, 2}, {7, 8}};
  EXPECT_EQ(points_among({10, 20, 50}, brackets, up_to(99)), (std::vector<std::uint64_t>{10, 15, 20, 65}));
  EXPECT_EQ(points_among({10, 20, 50}, brackets, up_to(59)), (std::vector<std::uint64_t>{10, 15, 20, 59}));
  brackets.selected = brackets.wanted = {{1, 2}};
  EXPECT_EQ(points_among({7}, brackets, up_to(99)), (std::vector<std::uint64_t>{7}));
}

}  // namespace
}  // namespace fractile
