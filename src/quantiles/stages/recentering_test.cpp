#include "quantiles/stages/recentering.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "fractile/release.hpp"
#include "quantiles/stages/intervals.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::up_to;

using Points = std::vector<std::uint64_t>;

/// Two quartiles among the candidates 0 to 1000, selected at 250 and 750. Cuts are at a distance of 1/10 of the records to both
/// sides of each quartile, so that 1,000 records lie in cells of 150, 200, 300, 200 and 150.
class CountedQuartiles {
 public:
  explicit CountedQuartiles(Lattice lattice = up_to(1000)) : lattice_(std::move(lattice)) {
    const auto cut = [&](std::int64_t hundredths, IntervalEnd end, std::size_t owner) {
      brackets_.cuts.push_back({Rational(hundredths, 100), end, owner});
      cuts_.targets.push_back(cuts_.targets.size());
      const auto candidate = static_cast<Position>(10 * hundredths);
      cuts_.positions.push_back(2 * candidate + (end == IntervalEnd::lower ? 1 : 2));
    };
    cut(15, IntervalEnd::lower, 0);
    cut(35, IntervalEnd::upper, 0);
    cut(65, IntervalEnd::lower, 1);
    cut(85, IntervalEnd::upper, 1);
  }

  Points moved(const Points& points, const std::vector<std::int64_t>& counts) const {
    std::vector<int128> below{0};
    for (const std::int64_t count : counts) below.push_back(below.back() + count);
    return recentered(points, query_, lattice_, brackets_, cuts_, below);
  }
  Points moved(const std::vector<std::int64_t>& counts) const { return moved({250, 750}, counts); }
  /// Selects with this share of the budget, and counts with the rest.
  CountedQuartiles& with_points(const Rational& share) {
    brackets_.shares = {0, share, 0, Rational(1) - share};
    return *this;
  }
  PlacedCuts& cuts() { return cuts_; }

 private:
  Lattice lattice_;
  QuantileQuery query_{{Rational(1, 4), Rational(3, 4)}, Budget::pure(Rational(1))};
  Brackets brackets_{{}, {}, {}, {0, Rational(1, 2), 0, Rational(1, 2)}};
  PlacedCuts cuts_;
};

TEST(Recentering, MovesPointsTowardsWhereTheCountsPlaceTheirQuantiles) {
  const CountedQuartiles quartiles;
  EXPECT_EQ(quartiles.moved({150, 200, 300, 200, 150}), (Points{250, 750}));
  // Six records moved up from below: the quartile lies 6 candidates higher.
  const Points low = quartiles.moved({144, 200, 300, 200, 156});
  EXPECT_GT(low[0], 250U);
  EXPECT_LE(low[0], 256U);
  EXPECT_GT(low[1], 750U);
  EXPECT_LE(low[1], 756U);
  const Points high = quartiles.moved({156, 200, 300, 200, 144});
  EXPECT_EQ(high, (Points{500 - low[0], 1500 - low[1]}));
}

TEST(Recentering, MovesThemTheLessTheBetterTheyWereSelected) {
  const std::vector<std::int64_t> counts{144, 200, 300, 200, 156};
  std::uint64_t last = 260;
  for (const std::int64_t tenths : {1, 5, 9}) {
    const std::uint64_t there = CountedQuartiles().with_points(Rational(tenths, 10)).moved(counts)[0];
    EXPECT_LE(there, last) << tenths;
    last = there;
  }
  EXPECT_EQ(CountedQuartiles().with_points(Rational(99, 100)).moved(counts)[0], 250U);
  EXPECT_EQ(CountedQuartiles().with_points(Rational(1, 10)).moved(counts)[0], 256U);
}

TEST(Recentering, LeavesThemWhereCellsHoldATieOrAGap) {
  const CountedQuartiles quartiles;
  EXPECT_EQ(quartiles.moved({40, 410, 204, 200, 146})[0], 250U);  // more than twice as many
  EXPECT_NE(quartiles.moved({50, 390, 214, 200, 146})[0], 250U);  // not quite
  EXPECT_EQ(quartiles.moved({199, 90, 361, 200, 150})[0], 250U);  // fewer than half
  EXPECT_NE(quartiles.moved({189, 110, 351, 200, 150})[0], 250U);
  EXPECT_EQ(quartiles.moved({249, -10, 411, 200, 150})[0], 250U);
  EXPECT_EQ(quartiles.moved({144, 200, 70, 430, 156})[0], 250U);  // the next cell has fewer than a fourth
  EXPECT_NE(quartiles.moved({144, 200, 80, 420, 156})[0], 250U);
  EXPECT_EQ(quartiles.moved({-6, 500, 106, 200, 200})[0], 250U);  // and the one before none
}

TEST(Recentering, LeavesThemWhereSelectionAndCountsContradictEachOther) {
  const CountedQuartiles quartiles;
  EXPECT_NE(quartiles.moved({135, 200, 300, 200, 165})[0], 250U);
  EXPECT_EQ(quartiles.moved({80, 200, 300, 200, 220})[0], 250U);
  // Selection and counts together have a deviation of 4.75 records here.
  EXPECT_NE(quartiles.moved({132, 200, 300, 200, 168})[0], 250U);
  EXPECT_EQ(quartiles.moved({126, 200, 300, 200, 174})[0], 250U);
}

TEST(Recentering, LeavesOneQuantileAndListedCandidates) {
  std::vector<Rational> listed;
  for (int i = 0; i <= 1000; ++i) listed.emplace_back(i);
  const std::vector<std::int64_t> counts{144, 200, 300, 200, 156};
  EXPECT_EQ(CountedQuartiles(Lattice::explicit_points(listed)).moved(counts), (Points{250, 750}));
  EXPECT_EQ(CountedQuartiles().moved({250}, counts), Points{250});
}

TEST(Recentering, StaysOnRoundNumbersWhereThePointsAre) {
  CountedQuartiles quartiles;
  quartiles.cuts().grid = RoundGrid{0, 50};
  EXPECT_EQ(quartiles.moved({144, 200, 300, 200, 156}), (Points{250, 750}));
  quartiles.cuts().grid = RoundGrid{0, 2};
  EXPECT_EQ(quartiles.moved({144, 200, 300, 200, 156})[0] % 2, 0U);
}

TEST(Recentering, NeverLetsPointsFallOrLeaveTheRange) {
  EXPECT_TRUE(rc::check([] {
    const auto count = [] { return *rc::gen::inRange<std::int64_t>(-50, 500); };
    const std::vector<std::int64_t> counts{count(), count(), count(), count(), count()};
    Points points{*rc::gen::inRange<std::uint64_t>(0, 1001), *rc::gen::inRange<std::uint64_t>(0, 1001)};
    std::ranges::sort(points);
    const Points moved = CountedQuartiles().moved(points, counts);
    RC_ASSERT(std::ranges::is_sorted(moved));
    RC_ASSERT(moved.back() <= 1000U);
  }));
}

/// The position of its last cut is 2^63, which UndefinedBehaviorSanitizer sees where it is taken for a signed number.
TEST(Recentering, ReachesTheEndsOfTheLargestLattice) {
  const Lattice largest = Lattice::regular(0, Rational(Lattice::max_size) - Rational(1), 1);
  const QuantileQuery query{{Rational(1, 4), Rational(3, 4)}, Budget::pure(Rational(1))};
  Brackets brackets{{}, {}, {}, {0, Rational(1, 2), 0, Rational(1, 2)}};
  brackets.cuts = {{Rational(1, 100), IntervalEnd::lower, 0}, {Rational(99, 100), IntervalEnd::upper, 1}};
  const PlacedCuts cuts{{1, 2 * largest.size()}, {0, 1}, {1, 2}};
  const Points points{largest.size() / 4, largest.size() / 4 * 3};
  const Points moved = recentered(points, query, largest, brackets, cuts, {0, 10, 990, 1000});
  EXPECT_LT(moved[0], points[0]);  // 255 records lie below it, and 745 below the other one
  EXPECT_GT(moved[1], points[1]);
}

TEST(Recentering, KeepsPointsInTheIntervalsThatTheyComeWith) {
  QuantileQuery query{{Rational(1, 4), Rational(3, 4)}, Budget::pure(Rational(1))};
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  Brackets brackets{query.quantiles, query.quantiles, {}, {0, Rational(1, 2), 0, Rational(1, 2)}};
  brackets.cuts = {{Rational(15, 100), IntervalEnd::lower, 0}, {Rational(85, 100), IntervalEnd::upper, 1}};
  CriticalValues critical = critical_values(query, brackets);
  const std::vector<std::uint64_t> selected{250, 750};
  const std::vector<std::int64_t> counts{150, 700, 150};
  const Lattice lattice = up_to(1000);
  const CountedCells cells(query, lattice, brackets, selected, counts, critical);
  EXPECT_EQ(cells.points({{200, 300}, {700, 800}}), (Points{250, 750}));
  EXPECT_EQ(cells.points({{260, 300}, {600, 700}}), (Points{260, 700}));
}

/// A release's points are nearer to the quantiles than its selected candidates, and are in their intervals.
TEST(Recentering, BringsPointsOfAReleaseNearerAndIntoTheirIntervals) {
  constexpr std::uint64_t rows = 2000;
  const Lattice lattice = up_to(9999);
  std::vector<Position> positions;
  for (std::uint64_t i = 0; i < rows; ++i) positions.push_back(2 * (5 * i + 2) + 1);
  const RankProfile table(lattice, positions, std::vector<std::uint64_t>(rows, 1));
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(1))};
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  RandomBits bits = RandomBits::unsafe_seeded(11);
  double selected = 0;
  double published = 0;
  const std::uint64_t releases = effort(200, 60);
  for (std::uint64_t i = 0; i < releases; ++i) {
    const Release::Group group = release(table, {query}, bits).groups.front();
    const Brackets& brackets = *group.course->plan->brackets;
    const Points points = points_among(group.course->selected, brackets, lattice);
    for (std::size_t j = 0; j < 3; ++j) {
      const double quantile = 2500.0 * static_cast<double>(j + 1);
      selected += std::abs(static_cast<double>(points[j]) - quantile);
      published += std::abs(static_cast<double>(group.indices[j]) - quantile);
      EXPECT_GE(group.indices[j], group.intervals[j].lower);
      EXPECT_LE(group.indices[j], group.intervals[j].upper);
    }
  }
  EXPECT_LT(published, 0.9 * selected);  // about .73
}

}  // namespace
}  // namespace fractile
