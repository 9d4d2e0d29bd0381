#include "quantiles/release/planned_intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile {
namespace {

const Lattice in_tenths = Lattice::regular(0, 1000, Rational(1, 10));

QuantileQuery evenly(std::int64_t quantiles, const Budget& budget, IntervalSubject of) {
  QuantileQuery query{{Rational(1, 2)}, budget};
  query.quantiles.clear();
  for (std::int64_t i = 1; i <= quantiles; ++i) query.quantiles.emplace_back(i, quantiles + 1);
  query.intervals = IntervalRequest{Rational(19, 20), of, false};
  return query;
}

double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Released {
  std::vector<double> widths;  ///< medians, in records between the ends; one per quantile
  double open = 0;             ///< of the two outermost ends
};

Released released(const QuantileQuery& query, Shape shape, std::uint64_t rows, std::size_t releases) {
  const CountedColumn counted(reference_table(in_tenths, shape, rows), query.records_per_person);
  const RankProfile& table = counted.profiles().front();
  std::vector<std::vector<double>> widths(query.quantiles.size());
  double open = 0;
  RandomBits bits = RandomBits::unsafe_seeded(11);
  for (std::size_t i = 0; i < releases; ++i) {
    const Release one = release(counted, query, bits);
    const std::vector<Interval>& intervals = one.only().intervals;
    for (std::size_t j = 0; j < widths.size(); ++j) {
      const std::uint64_t from = table.below(intervals[j].lower) + table.equal(intervals[j].lower);
      widths[j].push_back(static_cast<double>(std::max(table.below(intervals[j].upper), from) - from));
    }
    open += (intervals.front().or_below ? 0.5 : 0) + (intervals.back().or_above ? 0.5 : 0);
  }
  Released found{{}, open / static_cast<double>(releases)};
  for (std::vector<double>& each : widths) found.widths.push_back(middle_of(each));
  return found;
}

// Tables and bits other than the simulated ones.
TEST(PlannedIntervals, HaveWidthsThatComeTrueWithin15Percent) {
  struct Case {
    std::int64_t quantiles;
    Rational epsilon;
    IntervalSubject of;
    std::uint64_t rows;
    Shape shape;
  };
  for (const auto& [quantiles, epsilon, of, rows, shape] :
       {Case{1, 1, IntervalSubject::table, 2000, Shape::log_normal},
        Case{3, {1, 6}, IntervalSubject::table, 5000, Shape::uniform},
        Case{9, {1, 6}, IntervalSubject::table, 18'000, Shape::log_normal},
        Case{3, 1, IntervalSubject::population, 2000, Shape::log_normal},
        Case{1, {1, 2}, IntervalSubject::population, 5000, Shape::uniform}}) {
    QuantileQuery query = evenly(quantiles, Budget::pure(epsilon), of);
    query.expected_rows = rows;
    const ReleasePlan plan = plan_release(query, in_tenths, {.with_noise = false});
    const Released found = released(query, shape, rows, of == IntervalSubject::table ? 150 : 60);
    double planned = 0;
    double real = 0;
    ASSERT_EQ(plan.intervals->widths.size(), found.widths.size());
    for (std::size_t i = 0; i < found.widths.size(); ++i) {
      planned += plan.intervals->widths[i];
      real += found.widths[i];
      EXPECT_NEAR(found.widths[i] / plan.intervals->widths[i], 1, 0.25) << quantiles << " " << i;
    }
    EXPECT_NEAR(real / planned, 1, 0.15) << quantiles << " " << rows;
  }
}

// The larger the table, the more of the width is due to sampling; no reference table has this many rows.
TEST(PlannedIntervals, OfThePopulationNarrowWithTheSample) {
  QuantileQuery query = evenly(1, Budget::pure(Rational(1)), IntervalSubject::population);
  const auto width = [&](std::uint64_t rows) {
    query.expected_rows = rows;
    const ReleasePlan plan = plan_release(query, in_tenths, {.releases = 40, .with_noise = false});
    EXPECT_EQ(plan.intervals->rows, rows);
    return plan.intervals->widths[0];
  };
  EXPECT_NEAR(width(10'000'000) / width(100'000), 10, 0.7);
  query.intervals->subject = IntervalSubject::table;
  query.expected_rows = 10'000'000;
  EXPECT_EQ(plan_release(query, in_tenths, {.releases = 40, .with_noise = false}).intervals->rows, 100'000U);
}

TEST(UnsettledEnds, AreFewFromTheRecordsOnThatThePlanNames) {
  for (const std::int64_t quantiles : {1, 3, 9}) {
    const QuantileQuery query = evenly(quantiles, Budget::pure(Rational(1)), IntervalSubject::table);
    const std::uint64_t from = records_that_settle(query).value();
    const double outermost = 2 / (2 * static_cast<double>(quantiles));  // of all ends
    EXPECT_LT(released(query, Shape::log_normal, from, 300).open * outermost, 0.012) << quantiles;
    EXPECT_GT(released(query, Shape::log_normal, from * 6 / 10, 100).open * outermost, 0.02) << quantiles;
    EXPECT_FALSE(unsettled_ends(query, from));
    EXPECT_EQ(unsettled_ends(query, from - 1)->settled_from, from);
  }
}

// The number is that of the outermost end with fewer records beyond it, rounded up to two digits.
TEST(UnsettledEnds, AreTheSameInTheMirroredColumn) {
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    for (const std::vector<Rational>& quantiles :
         {std::vector<Rational>{{1, 10}}, {{1, 4}}, {{1, 20}, {1, 2}}, {{1, 10}, {1, 2}, {3, 4}}}) {
      QuantileQuery query = evenly(1, Budget::pure(Rational(1)), of);
      query.quantiles = quantiles;
      const double from = static_cast<double>(records_that_settle(query).value());
      query.quantiles.clear();
      for (const Rational& q : quantiles) query.quantiles.insert(query.quantiles.begin(), Rational(1) - q);
      EXPECT_NEAR(static_cast<double>(records_that_settle(query).value()), from, from / 6) << quantiles.size();
    }
  }
}

TEST(UnsettledEnds, NameTheLeastBudgetThatDoes) {
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    for (const Budget& budget : {Budget::pure(Rational(1, 10)), Budget::zcdp(Rational(1, 1000))}) {
      QuantileQuery query = evenly(3, budget, of);
      const UnsettledEnds ends = unsettled_ends(query, 400).value();
      EXPECT_EQ(ends.rows, 400U);
      query.budget = ends.sufficient_budget.value();
      EXPECT_FALSE(unsettled_ends(query, 400));
      query.budget = query.budget.scaled(Rational(9, 10));
      EXPECT_TRUE(unsettled_ends(query, 400));
    }
  }
  EXPECT_FALSE(records_that_settle(QuantileQuery{{Rational(1, 2)}, Budget::pure(Rational(1))}));
}

// For a release, the warning is about the group with the fewest rows, and only given where an end is the range's.
TEST(UnsettledEnds, OfAReleaseAreThoseOfItsSmallestGroup) {
  const QuantileQuery query = evenly(3, Budget::pure(Rational(1)), IntervalSubject::table);
  const RankProfile few = reference_table(in_tenths, Shape::normal, 30);
  const RankProfile many = reference_table(in_tenths, Shape::normal, 3000);
  RandomBits bits = RandomBits::unsafe_seeded(3);
  EXPECT_FALSE(unsettled_ends(release(CountedColumn(many, 1), query, bits)));
  const Release groups = release(CountedColumn({"a", "b"}, {many, few}, 1), query, bits);
  const UnsettledEnds ends = unsettled_ends(groups).value();
  EXPECT_EQ(ends.rows, groups.groups[1].used.rows);
  EXPECT_EQ(ends.settled_from, records_that_settle(query));
  // Intervals have only the budget that statistics leave.
  ReleaseOptions options{query};
  options.statistics = StatisticsRequest{{}, false, Rational(1, 2)};
  const UnsettledEnds dear = unsettled_ends(release(CountedColumn({"a", "b"}, {many, few}, 1), options, bits)).value();
  EXPECT_GT(dear.settled_from, 3 * ends.settled_from / 2);
}

}  // namespace
}  // namespace fractile
