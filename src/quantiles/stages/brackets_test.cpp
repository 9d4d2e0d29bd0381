#include "quantiles/stages/brackets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile {
namespace {

const Lattice to_a_thousand = Lattice::regular(0, 1000, Rational(1, 10));

QuantileQuery of_table(std::int64_t quantiles, const Rational& epsilon) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(epsilon)};
  query.quantiles.clear();
  for (std::int64_t i = 1; i <= quantiles; ++i) query.quantiles.emplace_back(i, quantiles + 1);
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  return query;
}

/// The records between a quantile and an end, times epsilon: the median of all ends, and their ninth decile.
struct HalfWidths {
  double middle;
  double nine_in_ten;
};

HalfWidths half_widths(const RankProfile& table, const QuantileQuery& query, int releases) {
  const CountedColumn counted(table, 1);
  const auto n = static_cast<double>(table.records());
  std::vector<double> all;
  RandomBits bits = RandomBits::unsafe_seeded(17);
  for (int run = 0; run < releases; ++run) {
    const Release one = release(counted, query, bits);
    for (std::size_t i = 0; i < query.quantiles.size(); ++i) {
      const Interval& interval = one.only().intervals[i];
      const double rank = query.quantiles[i].to_double() * n;
      all.push_back(
          std::max(0.0, rank - static_cast<double>(table.below(interval.lower) + table.equal(interval.lower))));
      all.push_back(std::max(0.0, static_cast<double>(table.below(interval.upper)) - rank));
    }
  }
  std::ranges::sort(all);
  const double epsilon = query.budget.epsilon().to_double();
  return {all[all.size() / 2] * epsilon, all[all.size() * 9 / 10] * epsilon};
}

// In accuracy.md: half of all ends are at most about 20 / epsilon records away, and nine in ten at most about 35.
TEST(Brackets, MakeNarrowIntervalsOfSmoothTables) {
  const auto of_smooth = [](std::int64_t quantiles, std::uint64_t rows, int releases = 100) {
    return half_widths(reference_table(to_a_thousand, Shape::log_normal, rows), of_table(quantiles, 1), releases);
  };
  const HalfWidths one = of_smooth(1, 200, 500);  // a bracket that is far off would lead to the range's end
  EXPECT_LT(one.middle, 23);
  EXPECT_LT(one.nine_in_ten, 42);
  const HalfWidths three = of_smooth(3, 1000);
  EXPECT_LT(three.middle, 23);
  EXPECT_LT(three.nine_in_ten, 40);
  const HalfWidths nine = of_smooth(9, 1000);
  EXPECT_LT(nine.middle, 30);
  EXPECT_LT(nine.nine_in_ten, 45);
}

// The first bracket of a single quantile is drawn into the gap, where no cut decides more than the next one; a second bracket is
// beyond the gap.
TEST(Brackets, OfOneQuantileReachAcrossAGap) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (Position candidate = 1000; candidate < 1500; ++candidate) positions.push_back(2 * candidate + 1);
  for (Position candidate = 8000; candidate < 8500; ++candidate) positions.push_back(2 * candidate + 1);
  counts.assign(positions.size(), 4);
  const HalfWidths far = half_widths(RankProfile(to_a_thousand, positions, counts), of_table(1, 1), 60);
  EXPECT_LT(far.nine_in_ten, 200) << "of 2,000 records on either side";
}

// One of ten million values holds all records. The brackets miss it, and the cuts between them would: an end beside the tie is 100 records
// away.
TEST(Brackets, OfOneQuantileEndAtItsTie) {
  const Lattice fine = Lattice::regular(0, 1000, Rational(1, 10'000));
  const std::vector<std::uint64_t> counts{200};
  const HalfWidths widths = half_widths(RankProfile(fine, {10'000'001}, counts), of_table(1, 1), 100);
  EXPECT_EQ(widths.middle, 0);
  EXPECT_EQ(widths.nine_in_ten, 0);
}

// Each cut adds noise to every statistic, so there are fewer where it would leave ends unsettled.
TEST(Brackets, OfOneQuantileHaveFewerCutsAmongFewRecords) {
  const auto cuts = [](std::uint64_t rows) { return with_brackets(of_table(1, 1), rows).cuts.size(); };
  EXPECT_EQ(cuts(40), 6) << "on either side: far out, beyond the bracket, and near";
  EXPECT_EQ(cuts(200), 12) << "two far out, at the bracket, two near, and at the point";
  EXPECT_EQ(cuts(2000), 12) << "one far out, at both brackets, two near, and at the point";
}

TEST(Brackets, DivideTheBudgetOfATableByWhatNarrowsItsIntervals) {
  const IntervalShares three = with_brackets(of_table(3, 1), 1000).shares;
  EXPECT_EQ(three.rows, Rational(1, 20));
  EXPECT_EQ(three.points, Rational(19, 20) * Rational(42, 100));
  EXPECT_EQ(three.brackets, Rational(19, 20) * Rational(7, 100));
  const IntervalShares one = with_brackets(of_table(1, 1), 1000).shares;
  EXPECT_EQ(one.points, Rational(19, 20) * Rational(38, 100));
  EXPECT_EQ(one.brackets, Rational(19, 20) * Rational(22, 100));
  const IntervalShares few = with_brackets(of_table(1, 1), 40).shares;
  EXPECT_EQ(few.points, three.points) << "where no bracket fits";
  EXPECT_EQ(few.brackets, three.brackets) << "where no bracket fits";
  EXPECT_EQ(one.rows + one.points + one.brackets + one.cells, Rational(1));
}

/// For a quantile's lower targets, the nearest first: by how many deviations of what is uncertain, the counts' noise in the statistic and
/// how far off the points are, each is beyond the critical value.
std::vector<double> deviations_of_cuts(const QuantileQuery& query, std::size_t owner, std::uint64_t rows) {
  const Brackets brackets = with_brackets(query, rows);
  const double epsilon = query.budget.epsilon().to_double();
  const auto deviation = [&](const Rational& share) { return std::sqrt(2.0) / (epsilon * share.to_double()); };
  const double q = query.quantiles[owner].to_double();
  const double noise =
      deviation(brackets.shares.cells) * std::sqrt(static_cast<double>(brackets.cuts.size() + 1) * q * (1 - q));
  const double of_points =
      1.06 * std::pow(static_cast<double>(query.quantiles.size()), 0.44) * deviation(brackets.shares.points);
  std::vector<double> deviations;
  for (const CutTarget& cut : brackets.cuts) {
    if (cut.owner != owner || cut.end != IntervalEnd::lower || cut.quantile == Rational(0)) continue;
    if (cut.quantile == query.quantiles[owner]) continue;  // at the point
    const double distance = (query.quantiles[owner] - cut.quantile).to_double() * static_cast<double>(rows);
    deviations.insert(deviations.begin(), (distance - 1.96 * noise) / std::hypot(noise, of_points));
  }
  return deviations;
}

// There are cuts for lucky draws, cuts that nearly always decide, and cuts far out at the brackets, of which a single quantile has
// two.
TEST(Brackets, HaveCutsAsFarOutAsNoiseAsks) {
  const auto expect_near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.15 + expected[i] / 20);
  };
  expect_near(deviations_of_cuts(of_table(1, Rational(1, 10)), 0, 20'000), {0.4, 2, 3, 20});
  expect_near(deviations_of_cuts(of_table(3, Rational(1, 10)), 1, 20'000), {0.4, 2, 6});
  expect_near(deviations_of_cuts(of_table(9, Rational(1, 10)), 4, 5'000), {0.4});
}

QuantileQuery of_population(std::int64_t quantiles) {
  QuantileQuery query = of_table(quantiles, 1);
  query.intervals->subject = IntervalSubject::population;
  return query;
}

// In fortieths of what the count leaves. Among few records it follows from the errors of selections alone, then from their part in the
// whole error of a point, and among many it is the least share: of which there are two, for small errors and for very small ones.
TEST(Brackets, DivideTheBudgetOfAPopulation) {
  struct Expected {
    std::int64_t quantiles;
    std::uint64_t rows;
    std::int64_t points;
  };
  for (const auto& [quantiles, rows, points] : {Expected{1, 60, 33},
                                                {1, 80, 28},
                                                {1, 120, 19},
                                                {3, 300, 17},
                                                {3, 500, 14},
                                                {3, 1000, 10},
                                                {3, 2000, 8},
                                                {3, 3000, 14},
                                                {9, 500, 23}}) {
    const IntervalShares shares = with_brackets(of_population(quantiles), rows).shares;
    const Rational left = Rational(39, 40);
    EXPECT_EQ(shares.rows, Rational(1) - left);
    EXPECT_EQ(shares.points, left * Rational(points, 40)) << quantiles << ' ' << rows;
    EXPECT_EQ(shares.brackets, left * Rational(40 - points, 40) * Rational(1, 4)) << quantiles << ' ' << rows;
    EXPECT_EQ(shares.cells, shares.brackets * Rational(3));
  }
}

// Each lies at a multiple of the critical value, plus some deviations of the noise, plus one record.
TEST(Brackets, OfAPopulationAndCutsLieAsFarOutAsSampleAndNoiseAsk) {
  struct Distance {
    double critical;
    double deviations;
  };
  constexpr std::uint64_t rows = 20'000;
  const QuantileQuery query = of_population(3);
  const Brackets brackets = with_brackets(query, rows);
  const double epsilon = brackets.shares.cells.to_double();
  const double of_count = std::sqrt(2 * std::exp(-epsilon)) / (1 - std::exp(-epsilon));
  const auto records_to = [&](double q, const Distance& distance) {
    const double noise = of_count * std::sqrt(static_cast<double>(brackets.cuts.size() + 1) * q * (1 - q));
    const double critical = 1.9808 * std::hypot(noise, std::sqrt(rows * q * (1 - q)));  // the deviate of .05 * .95 / 2
    return distance.critical * critical + distance.deviations * noise + 1;
  };
  const auto expect_at = [&](const Rational& q, const Rational& there, const Distance& distance) {
    const double expected = records_to(q.to_double(), distance);
    EXPECT_NEAR((q - there).to_double() * rows, expected, 0.001 * expected + 0.01) << distance.critical;
  };
  const std::vector<Distance> cuts{{1.6, 5}, {1.3, 2.7}, {1.15, 1.7}, {1.06, 1}, {1, 0.5}, {0.95, 0.1}, {0.9, -0.3}};
  for (std::size_t owner = 0; owner < 3; ++owner) {
    std::vector<Rational> lower;
    for (const CutTarget& cut : brackets.cuts) {
      const bool is_near = (query.quantiles[owner] - cut.quantile).to_double() * rows < 300;
      if (cut.owner == owner && cut.end == IntervalEnd::lower && is_near) lower.push_back(cut.quantile);
    }
    if (lower.size() == cuts.size() + 1) lower.erase(lower.begin());  // at the next bracket
    ASSERT_EQ(lower.size(), cuts.size());
    for (std::size_t k = 0; k < cuts.size(); ++k) expect_at(query.quantiles[owner], lower[k], cuts[k]);
  }
  const std::vector<Rational>& selected = brackets.selected;
  ASSERT_EQ(selected.size(), 11U);
  expect_at(query.quantiles[0], selected[0], {1.6, 4});
  expect_at(query.quantiles[0], selected[1], {1.05, 0.7});
  expect_at(query.quantiles[1], selected[4], {1.05, 0.7});
}

}  // namespace
}  // namespace fractile
