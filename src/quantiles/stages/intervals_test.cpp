#include "quantiles/stages/intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::up_to;

const Lattice whole = Lattice::regular(0, 1000, 1);

QuantileQuery quartiles(std::uint64_t rows, IntervalSubject of = IntervalSubject::population,
                        Budget budget = Budget::pure(Rational(1))) {
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, std::move(budget)};
  query.expected_rows = rows;
  query.intervals = IntervalRequest{Rational(19, 20), of, false};
  return query;
}

std::string refusal_of(const QuantileQuery& query) {
  try {
    query.validate(whole);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return {};
}

TEST(Intervals, AreRefusedWhereTheyAreNotCovered) {
  EXPECT_EQ(refusal_of(quartiles(1000)), "");
  QuantileQuery query = quartiles(1000);
  query.records_per_person = 2;
  EXPECT_NE(refusal_of(query).find("several records of a person are not a simple random sample"), std::string::npos);
  query.intervals->subject = IntervalSubject::table;
  EXPECT_EQ(refusal_of(query), "");
  query = quartiles(1000);
  query.expected_rows.reset();
  EXPECT_EQ(refusal_of(query), "");
  query = quartiles(1000);
  query.quantiles = {0, Rational(1, 2)};
  EXPECT_NE(refusal_of(query), "");
  query = quartiles(1000);
  query.intervals->level = 1;
  EXPECT_NE(refusal_of(query), "");
  query = quartiles(1000);
  query.intervals->level = Rational(999'999, 1'000'000);
  EXPECT_EQ(refusal_of(query), "");
  query.intervals->level = Rational(9'999'991, 10'000'000);
  EXPECT_NE(refusal_of(query).find("levels up to 0.999999"), std::string::npos);
  query = quartiles(1000);
  query.mechanism = Mechanism::exponential;
  query.quantiles = {Rational(1, 2)};
  EXPECT_NE(refusal_of(query), "");
  query = quartiles(1000, IntervalSubject::table, Budget::approximate(Rational(1), Rational(1, 1000000)));
  query.mechanism = Mechanism::independent;
  EXPECT_NE(refusal_of(query), "");
}

TEST(Intervals, OfGroupsUnderChangeOneAskForOneRecordAPersonAsTyped) {
  QuantileQuery query = quartiles(500);
  query.neighbors = Neighbors::change_one;
  const RankProfile empty(whole, {}, {});
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const Release groups = release({"a", "b"}, {empty, empty}, query, bits);
  EXPECT_EQ(groups.groups[1].intervals.size(), 3U);
  query.records_per_person = 2;
  EXPECT_THROW(release({"a", "b"}, {empty, empty}, query, bits), Error);
}

TEST(Intervals, CountRowsFirstAndHaveTheirCellsAsTheLastStageAndPointsFirst) {
  const QuantilePlan plan = plan_of(quartiles(1000), whole);
  const std::vector<Stage> first = plan.stages();
  ASSERT_EQ(first.size(), 1U);
  const auto* counts = stage_in<CountRows>(first);
  ASSERT_NE(counts, nullptr);
  ASSERT_EQ(counts->borders.size() + 1, plan.counted.size());
  for (const std::size_t rows : {std::size_t{0}, plan.counted.size() / 2, plan.counted.size() - 1}) {
    const std::vector<Stage> stages = plan.stages({{}, rows});
    EXPECT_TRUE(std::holds_alternative<CountRows>(stages.front()));
    EXPECT_TRUE(std::holds_alternative<CountCells>(stages.back()));
    const auto* selection = stage_in<SelectQuantiles>(stages);
    ASSERT_NE(selection, nullptr);
    ASSERT_EQ(selection->shape.first.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(selection->released[selection->shape.first[i]], Rational(static_cast<std::int64_t>(i) + 1, 4));
    }
    EXPECT_EQ(stage_in<CountCells>(stages)->brackets.cuts,
              with_brackets(quartiles(1000), plan.counted[rows].rows).cuts);
  }
  EXPECT_EQ(stage_in<CountCells>(plan_of(QuantileQuery{{Rational(1, 2)}, Budget::pure(Rational(1))}, whole).stages()),
            nullptr);
}

/// 19 points of 1,000 equal records: all of them at once would lie anywhere, fewer are in the tie.
TEST(Intervals, SelectAsManyPointsAsFindATie) {
  const Lattice lattice = up_to(100'000);
  QuantileQuery query{{}, Budget::pure(Rational(1))};
  for (std::int64_t i = 1; i < 20; ++i) query.quantiles.emplace_back(i, 20);
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  const auto points = [&](std::uint64_t rows) {
    const QuantilePlan plan = plan_of(query, lattice);
    const auto next = std::ranges::lower_bound(plan.counted, rows, {}, &CountedRows::rows);
    const std::vector<Stage> stages = plan.stages({{}, static_cast<std::size_t>(next - plan.counted.begin())});
    EXPECT_EQ(stage_in<CountCells>(stages)->brackets.wanted, query.quantiles);
    return stage_in<SelectQuantiles>(stages)->shape.first.size();
  };
  EXPECT_EQ(points(100'000), 19U);
  EXPECT_GT(points(1000), 9U);
  EXPECT_LT(points(1000), 16U);
  const RankProfile table(lattice, std::vector<Position>{2 * 37'000 + 1}, std::vector<std::uint64_t>{1000});
  RandomBits bits = RandomBits::unsafe_seeded(12);
  for (int run = 0; run < 10; ++run) {
    const Release release = fractile::release(table, query, bits);
    EXPECT_LT(release.only().used.selected, 19U);
    for (std::size_t i = 5; i < 14; ++i) EXPECT_EQ(release.only().indices[i], 37'000U);
  }
  query.interpolate = false;
  EXPECT_EQ(points(1000), 19U);
  query.interpolate = true;
  query.mechanism = Mechanism::joint_tree;
  EXPECT_EQ(points(1000), 19U);
}

/// Noise of which more is missing than an end may fail has no threshold, and ends would be open without a word.
TEST(Intervals, HaveThresholdsAtTheHighestLevelHoweverManyThereAre) {
  constexpr std::int64_t rows = 100'000;
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    for (std::int64_t many = 1; many <= 20; ++many) {
      const Budget budget = many % 2 == 0 ? Budget::pure(Rational(1)) : Budget::zcdp(Rational(20));  // sums of draws
      QuantileQuery query{{}, budget};
      for (std::int64_t i = 1; i <= many; ++i) query.quantiles.emplace_back(i, many + 1);
      query.intervals = IntervalRequest{Rational(999'999, 1'000'000), of, true};
      IntervalRequest in_pairs = *query.intervals;
      in_pairs.level = level_in_pairs(in_pairs);
      const IntervalFailures failures(in_pairs, query.quantiles.size());
      const Brackets brackets = with_brackets(query, rows);
      CriticalValues critical = critical_values(query, brackets);
      const QuantileFraction q = QuantileFraction::of(query.quantiles.front());
      const CriticalValues::Threshold threshold =
          of == IntervalSubject::table
              ? critical.of_table(q, IntervalEnd::lower, 3, failures.of_end)
              : critical.of_population(q, IntervalEnd::lower, 3, failures.of_end, rows, failures.of_n);
      EXPECT_NE(threshold.value, CriticalValues::Threshold::none) << many << ' ' << to_string(of);
    }
  }
}

QuantileQuery twentieths(IntervalSubject of) {
  QuantileQuery query{{}, Budget::pure(Rational(1))};
  for (std::int64_t i = 1; i < 20; ++i) query.quantiles.emplace_back(i, 20);
  query.intervals = IntervalRequest{Rational(19, 20), of, false};
  return query;
}

/// Thresholds follow from the order of the targets, and bounds that are found from the sample. With 450 records, 26 of 29 targets
/// were at or below 3/20 on a lattice of 2^6 candidates, and 29 on one of 2^20. So the sample had a say in its thresholds.
TEST(Intervals, OfAPopulationHaveTheSameTargetsWhateverBoundsAreFound) {
  const auto plan_on = [](int log2_size, IntervalSubject of, BoundsOrigin bounds) {
    return plan_of(twentieths(of), Lattice::numbers(std::uint64_t{1} << log2_size), AutoPolicy::standard(), bounds);
  };
  const QuantilePlan typical = plan_on(20, IntervalSubject::population, BoundsOrigin::found);
  int would_differ = 0;
  for (std::size_t rows = 0; rows < typical.counted.size() && typical.counted[rows].rows < 20'000; rows += 4) {
    const Brackets expected = typical.with_rows(rows).brackets.value();
    for (const int log2_size : {0, 1, 6, 45, 61}) {
      const Brackets found =
          plan_on(log2_size, IntervalSubject::population, BoundsOrigin::found).with_rows(rows).brackets.value();
      EXPECT_EQ(found.cuts, expected.cuts) << log2_size << ' ' << typical.counted[rows].rows;
      EXPECT_EQ(found.shares.cells, expected.shares.cells);
      would_differ +=
          plan_on(log2_size, IntervalSubject::population, BoundsOrigin::declared).with_rows(rows).brackets->cuts ==
                  expected.cuts
              ? 0
              : 1;
    }
  }
  EXPECT_GT(would_differ, 5);
}

TEST(Intervals, KnowWhetherTheirBoundsWereFound) {
  const BoundsSearch search{1, 10};
  const Lattice widest = search.lattice();
  const std::uint64_t records = 450;
  const RankProfile table(widest, {widest.size()}, std::span(&records, 1));
  const QuantileQuery query = quartiles(records);
  const ReleaseOptions to_find{query, BoundsToFind{search, Rational(1, 10)}};
  const auto origin = [](const Release& release) { return release.groups.back().course->plan->bounds; };
  RandomBits bits = RandomBits::unsafe_seeded(5);
  const Release found = release(table, to_find, bits);
  EXPECT_LT(found.lattice.size(), widest.size());
  EXPECT_EQ(origin(found), BoundsOrigin::found);
  EXPECT_EQ(origin(release({"a", "b"}, {table, table}, to_find, bits)), BoundsOrigin::found);
  EXPECT_EQ(origin(release(table, query, bits)), BoundsOrigin::declared);
  EXPECT_EQ(origin(release({"a", "b"}, {table, table}, query, bits)), BoundsOrigin::declared);
}

/// The listed numbers of rows are so many that one is always near the count, for tables of any size.
TEST(Intervals, CountRowsByStepsOfAFifth) {
  for (const Budget& budget : {Budget::pure(Rational(1, 6)), Budget::zcdp(Rational(1, 50))}) {
    const std::vector<CountedRows> counted = plan_of(quartiles(1000, IntervalSubject::table, budget), whole).counted;
    EXPECT_LE(counted.front().rows, 200U);
    EXPECT_GE(counted.back().rows, std::uint64_t{1} << 49);
    for (std::size_t i = 1; i < counted.size(); ++i) {
      EXPECT_LE(static_cast<double>(counted[i].rows), 1.2 * static_cast<double>(counted[i - 1].rows) + 1);
      EXPECT_GE(counted[i].from, static_cast<std::int64_t>(counted[i - 1].rows));
      EXPECT_LE(counted[i].from, static_cast<std::int64_t>(counted[i].rows));
    }
  }
}

/// Hints are for releases without intervals.
TEST(Intervals, AreTheSameWhateverWasTold) {
  std::vector<Position> positions;
  for (Position p = 0; p < 500; ++p) positions.push_back(4 * p + 1);
  const RankProfile table(whole, positions, std::vector<std::uint64_t>(500, 10));
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    std::vector<Release> releases;
    for (const std::uint64_t told : {std::uint64_t{1}, std::uint64_t{5000}, std::uint64_t{1'000'000'000'000}}) {
      RandomBits bits = RandomBits::unsafe_seeded(5);
      releases.push_back(fractile::release(table, quartiles(told, of), bits));
    }
    const Release::Group& first = releases.front().only();
    for (const Release& release : releases) {
      EXPECT_EQ(release.only().intervals, first.intervals);
      EXPECT_EQ(release.only().indices, first.indices);
      EXPECT_EQ(release.only().used.rows, first.used.rows);
    }
    EXPECT_GT(first.used.rows, 3500U);
    EXPECT_LT(first.used.rows, 7000U);
  }
}

TEST(Intervals, SpendTheirBudgetAndNoMore) {
  for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 2))}) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
      for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
        QuantileQuery query = quartiles(5000, of, budget);
        query.neighbors = neighbors;
        RandomBits bits = RandomBits::unsafe_seeded(2);
        const Release release = fractile::release(RankProfile(whole, {}, {}), query, bits);
        ASSERT_FALSE(release.only().spent.empty());
        EXPECT_EQ(release.only().spent.back().part, "cells");
        double all = 0;
        for (const PartCost& part : release.only().spent) all += part.amount.to_double();
        const double whole_budget = budget.measure() == Measure::pure ? 1 : 0.5;
        EXPECT_LE(all, whole_budget * (1 + 1e-9));
        const IntervalShares& shares = release.only().course->plan->brackets->shares;
        EXPECT_EQ(shares.rows + shares.points + shares.brackets + shares.cells, Rational(1));
        EXPECT_NEAR(release.only().spent.back().amount.to_double(), shares.cells.to_double() * whole_budget, 1e-9);
        EXPECT_EQ(release.only().spent.front().part, "rows");
        const double most = shares.rows.to_double() * whole_budget;
        EXPECT_LE(release.only().spent.front().amount.to_double(), most * (1 + 1e-9));
        EXPECT_EQ(release.query.budget.measure(), budget.measure());
      }
    }
  }
}

/// Two quartiles, each with a cut on either side, and the noise of five cells.
struct TwoQuartiles {
  QuantileQuery query{{Rational(1, 4), Rational(3, 4)}, Budget::pure(Rational(1))};
  Brackets brackets{query.quantiles, query.quantiles, {}, {0, Rational(1, 4), Rational(1, 4), Rational(1, 2)}};

  explicit TwoQuartiles(IntervalSubject of) {
    query.intervals = IntervalRequest{Rational(1, 2), of, false};
    brackets.cuts = {{Rational(1, 8), IntervalEnd::lower, 0},
                     {Rational(3, 8), IntervalEnd::upper, 0},
                     {Rational(5, 8), IntervalEnd::lower, 1},
                     {Rational(7, 8), IntervalEnd::upper, 1}};
  }

  std::vector<Interval> intervals(const std::vector<std::uint64_t>& selected,
                                  const std::vector<std::int64_t>& counts) const {
    CriticalValues critical = critical_values(query, brackets);
    return CountedCells(query, up_to(9), brackets, selected, counts, critical).intervals(query.intervals->level);
  }
};

/// A second computation of the ends: the cuts of each, the statistic from which each cut is rejected, and the counts in it.
class EndsAnew {
 public:
  EndsAnew(const TwoQuartiles& two, const std::vector<std::int64_t>& counts)
      : two_(two), counts_(counts), critical_(critical_of(two)) {}

  /// Whether the cut with this many cells below it is rejected for the lower end of this quantile.
  bool is_rejected_below(const Rational& quantile, std::size_t cells_below) {
    const QuantileFraction q = QuantileFraction::of(quantile);
    const std::size_t innermost = quantile == Rational(1, 4) ? 1 : 3;
    const std::int64_t margin = critical_.margin(q, IntervalEnd::lower, innermost, cells_below, margins());
    return threshold(q, IntervalEnd::lower, innermost).exceeds(statistic(q, cells_below) + margin);
  }
  bool is_rejected_above(const Rational& quantile, std::size_t cells_below) {
    const QuantileFraction q = QuantileFraction::of(quantile);
    const std::size_t innermost = quantile == Rational(1, 4) ? 2 : 4;
    const std::int64_t margin = critical_.margin(q, IntervalEnd::upper, innermost, cells_below, margins());
    return threshold(q, IntervalEnd::upper, innermost).exceeds(margin - statistic(q, cells_below));
  }

 private:
  static CriticalValues critical_of(const TwoQuartiles& two) {
    QuantileQuery of_cells = two.query;
    of_cells.budget = two.query.budget.scaled(two.brackets.shares.cells);
    const CountTreeNoise noise(of_cells, 1);
    return {noise.measure(), noise.price(), 5};
  }
  CutMargins margins() const {
    return two_.query.intervals->subject == IntervalSubject::table ? CutMargins::of_table(0.25)
                                                                   : CutMargins::of_population();
  }
  std::int64_t records() const { return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}); }
  std::int64_t statistic(const QuantileFraction& q, std::size_t cells_below) const {
    std::int64_t below = 0;
    for (std::size_t i = 0; i < cells_below; ++i) below += counts_[i];
    return static_cast<std::int64_t>(q.denominator) * below - static_cast<std::int64_t>(q.numerator) * records();
  }
  CriticalValues::Threshold threshold(const QuantileFraction& q, IntervalEnd side, std::size_t innermost) {
    if (two_.query.intervals->subject == IntervalSubject::table) return critical_.of_table(q, side, innermost, 0.25);
    return critical_.of_population(q, side, innermost, (0.5 - 0.025) / 2, records(), 0.025);
  }

  const TwoQuartiles& two_;
  const std::vector<std::int64_t>& counts_;
  CriticalValues critical_;
};

/// Equal cuts, of which one decides for each quartile, and the ends that they set.
struct EqualCuts {
  std::size_t decides_for_low;  // cells below
  std::size_t decides_for_high;
  std::uint64_t lower;
  std::uint64_t upper;
};

/// The lower ends of both quartiles, and then the upper ones.
std::vector<std::uint64_t> ends_anew(EndsAnew& anew, const std::vector<EqualCuts>& cuts) {
  const Rational low(1, 4);
  const Rational high(3, 4);
  std::size_t up_to_low = 0;
  while (up_to_low < cuts.size() && anew.is_rejected_below(low, cuts[up_to_low].decides_for_low)) ++up_to_low;
  std::size_t up_to_high = 0;
  while (up_to_high < cuts.size() && anew.is_rejected_below(high, cuts[up_to_high].decides_for_high)) ++up_to_high;
  up_to_low = std::min(up_to_low, up_to_high);
  std::size_t from_low = cuts.size();
  while (from_low > 0 && anew.is_rejected_above(low, cuts[from_low - 1].decides_for_low)) --from_low;
  std::size_t from_high = cuts.size();
  while (from_high > 0 && anew.is_rejected_above(high, cuts[from_high - 1].decides_for_high)) --from_high;
  from_high = std::max(from_low, from_high);
  const auto lower = [&](std::size_t k) { return k > 0 ? cuts[k - 1].lower : 0; };
  const auto upper = [&](std::size_t k) { return k < cuts.size() ? cuts[k].upper : 9; };
  return {lower(up_to_low), lower(up_to_high), upper(from_low), upper(from_high)};
}

/// Counts in which every cut is sometimes rejected and sometimes not.
std::vector<std::int64_t> counts_about_two_quartiles(std::mt19937_64& generator) {
  std::vector<std::int64_t> counts;
  for (int cell = 0; cell < 5; ++cell) counts.push_back(static_cast<std::int64_t>(generator() % 60) - 15);
  return counts;
}

void expect_ends(const std::vector<Interval>& intervals, const std::vector<std::uint64_t>& ends) {
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::min(ends[i], ends[i + 2]), intervals[i].lower);
    EXPECT_EQ(std::max(ends[i], ends[i + 2]), intervals[i].upper);
  }
  EXPECT_LE(intervals[0].lower, intervals[1].lower);
  EXPECT_LE(intervals[0].upper, intervals[1].upper);
}

TEST(Intervals, EndAtTheLastCutUpToWhichAllAreRejectedForTheirQuantileAndAllBeyondIt) {
  std::mt19937_64 generator(8);
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    const TwoQuartiles two(of);
    std::set<std::vector<std::uint64_t>> seen;
    int held_back = 0;
    int beyond_their_own = 0;
    for (int run = 0; run < (of == IntervalSubject::table ? 3000 : 300); ++run) {
      const std::vector<std::int64_t> counts = counts_about_two_quartiles(generator);
      EndsAnew anew(two, counts);
      const std::vector<std::uint64_t> ends = ends_anew(anew, {{1, 1, 1, 0}, {2, 2, 4, 3}, {3, 3, 5, 4}, {4, 4, 8, 7}});
      expect_ends(two.intervals({2, 6}, counts), ends);
      held_back += anew.is_rejected_below(Rational(1, 4), 1) && !anew.is_rejected_below(Rational(3, 4), 1) ? 1 : 0;
      beyond_their_own += ends[0] > 1 || ends[3] < 7 ? 1 : 0;
      seen.insert(ends);
    }
    EXPECT_GT(seen.size(), 8U);
    EXPECT_GT(held_back, 0) << "ends would fall";
    EXPECT_GT(beyond_their_own, 0);
  }
}

/// One of equal cuts decides, the one with the least noise, whatever the others say. Both quartiles lie on candidate 5: two cuts before it,
/// which are the first and the second place, and two after it.
TEST(Intervals, OneOfEqualCutsDecides) {
  std::mt19937_64 generator(9);
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    const TwoQuartiles two(of);
    std::set<std::vector<std::uint64_t>> seen;
    int others_keep = 0;
    int others_reject = 0;
    for (int run = 0; run < (of == IntervalSubject::table ? 3000 : 300); ++run) {
      const std::vector<std::int64_t> counts = counts_about_two_quartiles(generator);
      EndsAnew anew(two, counts);
      const std::vector<std::uint64_t> ends = ends_anew(anew, {{1, 2, 5, 4}, {3, 4, 6, 5}});
      expect_ends(two.intervals({5, 5}, counts), ends);
      others_keep += ends[1] > 0 && !anew.is_rejected_below(Rational(3, 4), 1) ? 1 : 0;
      others_reject += ends[2] == 9 && anew.is_rejected_above(Rational(1, 4), 4) ? 1 : 0;
      seen.insert(ends);
    }
    EXPECT_GT(seen.size(), 6U);
    EXPECT_GT(others_keep, 0);
    EXPECT_GT(others_reject, 0);
  }
}

/// On the tie 3/4's cut lies before that of 1/4's upper end, and is one of its places all the same.
TEST(Intervals, OfQuantilesOnOneTieKeepTheirCuts) {
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    const TwoQuartiles two(of);
    const std::vector<std::int64_t> counts{0, 100, 4000, 100, 0};
    EXPECT_EQ(two.intervals({5, 5}, counts)[1].lower, 5U);
    EXPECT_EQ(two.intervals({5, 5}, counts)[0].upper, 5U);
  }
}

/// Each end errs with its share of the failure probability: half of 1 - level, divided among all intervals that hold together.
TEST(Intervals, DivideTheFailureProbabilityAmongTheirEnds) {
  IntervalRequest request{Rational(4, 5), IntervalSubject::table, false};
  EXPECT_NEAR(IntervalFailures(request, 3).of_end, 0.1, 1e-12);
  request.is_simultaneous = true;
  EXPECT_NEAR(IntervalFailures(request, 3).of_end, 0.1 / 3, 1e-12);
  request.subject = IntervalSubject::population;
  EXPECT_NEAR(IntervalFailures(request, 3).of_n, 0.01, 1e-12);
  EXPECT_NEAR(IntervalFailures(request, 3).of_end, 0.19 / 6, 1e-12);
  request.is_simultaneous = false;
  EXPECT_NEAR(IntervalFailures(request, 3).of_end, 0.095, 1e-12);
}

/// Each of two intervals that hold together has half of the failure probability.
TEST(Intervals, TogetherAreThoseOfTheLevelThatMissesAsManyTimesLess) {
  TwoQuartiles together(IntervalSubject::table);
  together.query.intervals->is_simultaneous = true;
  TwoQuartiles apart(IntervalSubject::table);
  apart.query.intervals->level = Rational(3, 4);
  TwoQuartiles half(IntervalSubject::table);
  for (TwoQuartiles* each : {&together, &apart, &half}) each->query.budget = Budget::pure(Rational(1, 10));
  int wider = 0;
  for (std::int64_t short_of = 0; short_of < 60; ++short_of) {
    const std::vector<std::int64_t> counts{1000 - short_of, short_of, 1000 + short_of, 1000 - short_of, 1000};
    const std::vector<std::uint64_t> selected{2, 6};
    EXPECT_EQ(together.intervals(selected, counts), apart.intervals(selected, counts)) << short_of;
    wider += together.intervals(selected, counts) == half.intervals(selected, counts) ? 0 : 1;
  }
  EXPECT_GT(wider, 5);
}

/// A cut that is left out changes no end, and neither does the place of those that were made for an end among all cuts.
TEST(Intervals, OfATableAreThoseWithoutTheCutsThatWereLeftOut) {
  TwoQuartiles twice(IntervalSubject::table);
  const CutTarget first = twice.brackets.cuts.front();
  twice.brackets.cuts.insert(twice.brackets.cuts.begin(), 3, first);
  twice.brackets.leaves_out_cuts = true;
  const TwoQuartiles once(IntervalSubject::table);
  CriticalValues of_five = critical_values(once.query, once.brackets);
  std::mt19937_64 generator(17);
  std::set<std::uint64_t> ends;
  for (int run = 0; run < 300; ++run) {
    std::vector<std::int64_t> counts;
    for (int i = 0; i < 5; ++i) counts.push_back(static_cast<std::int64_t>(generator() % 9) - 1);
    const std::vector<std::uint64_t> selected{3, 7};
    const std::vector<Interval> expected = once.intervals(selected, counts);
    EXPECT_EQ(CountedCells(twice.query, up_to(9), twice.brackets, selected, counts, of_five)
                  .intervals(twice.query.intervals->level),
              expected);
    for (const Interval& each : expected) ends.insert({each.lower, each.upper});
  }
  EXPECT_GT(ends.size(), 4U);
}

/// One quantile with two cuts on either side of it, at 0, 3, 5 and 8 or so; noise of five cells.
TEST(Intervals, EndAtTheFirstCutThatIsKept) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(4))};
  query.intervals = IntervalRequest{Rational(1, 2), IntervalSubject::table, false};
  Brackets brackets{query.quantiles,
                    {Rational(1, 8), Rational(1, 2), Rational(7, 8)},
                    {},
                    {0, Rational(1, 4), Rational(1, 4), Rational(1, 2)}};
  brackets.cuts = {{Rational(1, 8), IntervalEnd::lower, 0},
                   {Rational(1, 4), IntervalEnd::lower, 0},
                   {Rational(3, 4), IntervalEnd::upper, 0},
                   {Rational(7, 8), IntervalEnd::upper, 0}};
  CriticalValues critical = critical_values(query, brackets);
  const auto interval = [&](const std::vector<std::int64_t>& counts) {
    return CountedCells(query, up_to(80), brackets, {10, 40, 70}, counts, critical).intervals(Rational(1, 2))[0];
  };
  const Interval inner = interval({500, 500, 2000, 500, 500});  // all four cuts are rejected
  const Interval both_kept = interval({3000, -2000, 2000, -2000, 3000});
  EXPECT_GT(inner.lower, 10U);
  EXPECT_LT(inner.upper, 70U);
  // A cut farther out is kept, by counts that no table has without noise: what lies inside of it is not asked.
  EXPECT_EQ(both_kept, (Interval{0, 80, true, true}));
  const Interval first = interval({500, 2500, 1000, -2000, 2000});  // of each side, the outer cut alone
  EXPECT_EQ(first.lower, 10U);
}

TEST(Intervals, HaveTwoCutsFarOutOnEitherSide) {
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    for (const std::uint64_t rows : {1U, 40U, 1000U, 1'000'000U}) {
      const std::vector<CutTarget> cuts = with_brackets(quartiles(1000, of), rows).cuts;
      ASSERT_GE(cuts.size(), 4U);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(cuts[k].quantile, Rational(0));
        EXPECT_EQ(cuts[k].end, IntervalEnd::lower);
        EXPECT_EQ(cuts[cuts.size() - 1 - k].quantile, Rational(1));
        EXPECT_EQ(cuts[cuts.size() - 1 - k].end, IntervalEnd::upper);
      }
      EXPECT_TRUE(std::ranges::is_sorted(cuts, {}, &CutTarget::quantile));
    }
  }
}

/// The last cut may lie after the last candidate, if it is not left out. If noise rejects all cuts for a lower end, the end is that
/// candidate.
TEST(Intervals, EndWithinTheLattice) {
  const Lattice four = up_to(3);
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  query.intervals = IntervalRequest{Rational(1, 20), IntervalSubject::table, false};
  Brackets brackets = with_brackets(query, 40);
  brackets.leaves_out_cuts = false;
  CriticalValues critical = critical_values(query, brackets);
  const auto interval = [&](std::uint64_t selected, std::size_t cell_of_all) {
    std::vector<std::int64_t> counts(brackets.cuts.size() + 1, 0);
    counts[cell_of_all] = 1000;
    const std::vector<std::uint64_t> points(brackets.selected.size(), selected);
    return CountedCells(query, four, brackets, points, counts, critical).intervals(query.intervals->level)[0];
  };
  EXPECT_EQ(interval(3, brackets.cuts.size()), (Interval{3, 3, false, true}));
  EXPECT_EQ(interval(0, 0), (Interval{0, 0, true, false}));
}

/// In intervals of the table, every further cut widens all of them: cuts that the next quantile's cuts can replace are left out.
TEST(Intervals, OfATableHaveFewerCutsWhereQuantilesAreClose) {
  QuantileQuery deciles = quartiles(1000, IntervalSubject::table);
  deciles.quantiles.clear();
  for (std::int64_t k = 1; k < 10; ++k) deciles.quantiles.emplace_back(k, 10);
  const auto cuts_among = [&](std::uint64_t rows) { return with_brackets(deciles, rows).cuts.size(); };
  EXPECT_LE(cuts_among(250), 2U * 9 + 2 + 4);
  EXPECT_LE(cuts_among(600), 4U * 9 + 4);
  EXPECT_GT(cuts_among(600), cuts_among(250));
  EXPECT_GE(cuts_among(100'000), 5U * 9 + 4);
  const Brackets among_many = with_brackets(deciles, 100'000);
  EXPECT_EQ(among_many.selected.size(), 3U * 9);
  EXPECT_EQ(with_brackets(deciles, 600).selected.size(), 9U + 2) << "a bracket beyond the outermost alone";
}

TEST(Intervals, GiveTheirPointsTheMoreOfTheBudgetTheMoreTheseErrBesideTheSample) {
  const auto points_of = [](std::uint64_t rows, IntervalSubject of) {
    const IntervalShares shares = with_brackets(quartiles(1000, of), rows).shares;
    EXPECT_EQ(shares.rows + shares.points + shares.brackets + shares.cells, Rational(1));
    EXPECT_GT(shares.cells, shares.brackets);
    return shares.points;
  };
  EXPECT_GE(points_of(1000, IntervalSubject::table), Rational(39, 100));
  EXPECT_GT(points_of(30, IntervalSubject::population), points_of(300, IntervalSubject::population));
  EXPECT_GT(points_of(300, IntervalSubject::population), points_of(3000, IntervalSubject::population));
  EXPECT_GE(points_of(1'000'000, IntervalSubject::population), Rational(19, 100));
}

// --- Privacy of both stages together --------------------------------------------------------------------------------

AuditRequest audited(const Budget& budget, Neighbors neighbors) {
  AuditRequest request{"joint-total", 2, 3, budget};
  request.neighbors = neighbors;
  request.quantiles = {Rational(1, 2)};
  request.expected_rows = 33;  // and 16 times as many: between these the count decides, whatever the tables are
  request.intervals = IntervalRequest{Rational(1, 2), IntervalSubject::table, false};
  return request;
}

TEST(IntervalsAudit, BothStagesTogetherKeepTheClaimAndSpendTheCellsShare) {
  for (const Budget& budget : {Budget::pure(Rational(2)), Budget::zcdp(Rational(1, 2))}) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
      const AuditReport report = audit(audited(budget, neighbors));
      EXPECT_TRUE(report.holds) << report.attained << ' ' << report.first << ' ' << report.second;
      QuantileQuery query{{Rational(1, 2)}, budget, neighbors};
      query.intervals = audited(budget, neighbors).intervals;
      const Brackets brackets = with_brackets(query, 33);
      EXPECT_GE(brackets.selected.size(), 2U);
      EXPECT_GE(brackets.cuts.size(), 4U);
      const double share = brackets.shares.cells.to_double();
      EXPECT_GT(std::stod(report.attained), share * std::stod(report.claimed));
      AuditRequest less = audited(budget, neighbors);
      const Rational part = brackets.shares.cells * Rational(99, 100);
      less.claim = budget.scaled(part);  // less than the counts alone
      EXPECT_FALSE(audit(less).holds);
    }
  }
}

/// With many records the counts have more than half of the budget, so that a record in two cells exceeds the budget.
TEST(IntervalsAudit, ARecordIsCountedInOneCell) {
  for (const Budget& budget : {Budget::pure(Rational(2)), Budget::zcdp(Rational(1, 2))}) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
      AuditRequest request = audited(budget, neighbors);
      request.expected_rows = 1'000'000;
      request.intervals->subject = IntervalSubject::population;
      const AuditReport report = audit(request);
      EXPECT_TRUE(report.holds) << report.attained << ' ' << report.first << ' ' << report.second;
      EXPECT_GT(2 * std::stod(report.attained), std::stod(report.claimed));
    }
  }
}

// --- Coverage -------------------------------------------------------------------------------------------------------

/// Draws a table of a law on the lattice by its distribution function: F(k), k a candidate.
class Law {
 public:
  explicit Law(std::vector<double> masses) : masses_(std::move(masses)) {}

  RankProfile table(std::uint64_t n, std::mt19937_64& generator) {
    std::discrete_distribution<std::size_t> law(masses_.begin(), masses_.end());
    std::vector<std::uint64_t> counts(masses_.size());
    for (std::uint64_t i = 0; i < n; ++i) ++counts[law(generator)];
    std::vector<Position> positions;
    std::vector<std::uint64_t> present;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] == 0) continue;
      positions.push_back(2 * k + 1);
      present.push_back(counts[k]);
    }
    return {whole, positions, present};
  }

  /// Whether an interval holds every quantile of the law, which may be several.
  bool covered(const Interval& interval, double q) const {
    double all = 0;
    for (const double mass : masses_) all += mass;
    double before = 0;  // P(X < lower)
    for (std::uint64_t k = 0; k < interval.lower; ++k) before += masses_[k] / all;
    double until = before;
    for (std::uint64_t k = interval.lower; k <= interval.upper; ++k) until += masses_[k] / all;
    return before <= q + 1e-12 && until >= q - 1e-12;
  }

 private:
  std::vector<double> masses_;
};

std::vector<double> on(std::size_t candidates, const std::vector<std::pair<std::size_t, double>>& atoms) {
  std::vector<double> masses(candidates);
  for (const auto& [k, mass] : atoms) masses[k] += mass;
  return masses;
}

std::vector<double> log_normal(double zeros) {
  std::vector<double> masses(1001);
  for (std::size_t k = 1; k <= 1000; ++k) {
    const double z = (std::log(static_cast<double>(k)) - 5) / 0.7;
    masses[k] = std::exp(-z * z / 2) / static_cast<double>(k);
  }
  double all = 0;
  for (const double mass : masses) all += mass;
  for (double& mass : masses) mass *= (1 - zeros) / all;
  masses[0] += zeros;
  return masses;
}

struct Case {
  const char* name;
  std::vector<double> masses;
};

std::vector<Case> laws() {
  std::vector<double> gap(1001);
  for (std::size_t k = 0; k < 50; ++k) gap[100 + k] = gap[800 + k] = 1;
  return {{"log-normal", log_normal(0)},
          {"zeros", log_normal(0.6)},
          {"gap", gap},
          {"counts", on(1001, {{0, .3}, {1, .25}, {2, .2}, {3, .13}, {4, .07}, {5, .05}})},
          {"two points", on(1001, {{10, .5}, {900, .5}})},
          {"two points at a quartile", on(1001, {{0, .25}, {1000, .75}})},
          {"one point", on(1001, {{500, 1}})},
          {"the ends", on(1001, {{0, .4}, {1000, .6}})}};
}

/// The largest number of misses in so many runs with that probability, except for one run of this test in a million.
double allowed_misses(double runs, double failure) {
  return runs * failure + 4.8 * std::sqrt(runs * failure * (1 - failure)) + 1;
}

void expect_coverage(const QuantileQuery& query, std::uint64_t n, int runs) {
  std::mt19937_64 generator(20);
  RandomBits bits = RandomBits::unsafe_seeded(21);
  for (Case& each : laws()) {
    Law law(each.masses);
    std::vector<double> misses(query.quantiles.size());
    double any = 0;
    for (int run = 0; run < runs; ++run) {
      const Release release = fractile::release(law.table(n, generator), query, bits);
      bool all = true;
      for (std::size_t i = 0; i < misses.size(); ++i) {
        const bool holds = law.covered(release.only().intervals[i], query.quantiles[i].to_double());
        misses[i] += holds ? 0 : 1;
        all = all && holds;
      }
      any += all ? 0 : 1;
    }
    const double failure = 1 - query.intervals->level.to_double();
    for (const double missed : misses) EXPECT_LE(missed, allowed_misses(runs, failure)) << each.name << ' ' << n;
    if (query.intervals->is_simultaneous) {
      EXPECT_LE(any, allowed_misses(runs, failure)) << each.name;
    }
  }
}

TEST(Intervals, OfAPopulationCoverAtomsGapsAndEnds) {
  expect_coverage(quartiles(300), 300, static_cast<int>(effort(15)));
  expect_coverage(quartiles(300, IntervalSubject::population, Budget::zcdp(Rational(1, 2))), 300,
                  static_cast<int>(effort(10)));
}

TEST(Intervals, OfAPopulationCoverWhateverWasExpected) {
  QuantileQuery query = quartiles(3000);
  query.intervals->level = Rational(1, 2);
  expect_coverage(query, 200, static_cast<int>(effort(15)));
  query.intervals->is_simultaneous = true;
  expect_coverage(query, 200, static_cast<int>(effort(15)));
}

TEST(Intervals, OfATableHoldItsQuantiles) {
  QuantileQuery query = quartiles(300, IntervalSubject::table);
  query.intervals->level = Rational(4, 5);
  std::mt19937_64 generator(30);
  RandomBits bits = RandomBits::unsafe_seeded(31);
  const int runs = static_cast<int>(effort(15));
  for (Case& each : laws()) {
    Law law(each.masses);
    const RankProfile table = law.table(300, generator);
    std::vector<double> misses(3);
    for (int run = 0; run < runs; ++run) {
      const Release release = fractile::release(table, query, bits);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [lower, upper, or_below, or_above] = release.only().intervals[i];
        const double rank = query.quantiles[i].to_double() * 300;
        const bool holds = static_cast<double>(table.below(lower)) <= rank &&
                           static_cast<double>(table.below(upper) + table.equal(upper)) >= rank;
        misses[i] += holds ? 0 : 1;
      }
    }
    for (const double missed : misses) EXPECT_LE(missed, allowed_misses(runs, 0.2)) << each.name;
  }
}

TEST(Intervals, AreNarrowAmongManyRecords) {
  std::mt19937_64 generator(40);
  RandomBits bits = RandomBits::unsafe_seeded(41);
  std::vector<double> even(1001, 1.0 / 1001);
  Law law(even);
  const RankProfile table = law.table(20'000, generator);
  const Release release = fractile::release(table, quartiles(20'000), bits);
  for (std::size_t i = 0; i < 3; ++i) {
    const double width =
        static_cast<double>(release.only().intervals[i].upper - release.only().intervals[i].lower) / 1001;
    const double q = 0.25 * static_cast<double>(i + 1);
    EXPECT_LT(width, 2 * 2 * 1.96 * std::sqrt(q * (1 - q) / 20'000));  // at most twice the non-private one
    EXPECT_FALSE(release.only().intervals[i].or_below || release.only().intervals[i].or_above);
  }
}

/// Hours of work: nearly half of all work 40. An end of one quartile must not be lost to the cuts of another that lie on the same tie.
TEST(Intervals, EndAtATieThatHoldsSeveralQuantiles) {
  std::mt19937_64 generator(45);
  RandomBits bits = RandomBits::unsafe_seeded(46);
  Law law(on(1001, {{20, .1}, {30, .1}, {40, .47}, {45, .13}, {60, .2}}));
  const RankProfile table = law.table(20'000, generator);
  for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 2))}) {
    QuantileQuery query = quartiles(20'000, IntervalSubject::population, budget);
    for (int run = 0; run < 10; ++run) {
      const Release release = fractile::release(table, query, bits);
      EXPECT_EQ(release.only().intervals[0], (Interval{40, 40, false, false}));
      EXPECT_EQ(release.only().intervals[1], (Interval{40, 40, false, false}));
      EXPECT_EQ(release.only().intervals[2], (Interval{45, 45, false, false}));
    }
  }
}

TEST(Intervals, OfAnEmptyTableAreTheWholeRange) {
  RandomBits bits = RandomBits::unsafe_seeded(50);
  QuantileQuery query = quartiles(1000);
  const Release release = fractile::release(RankProfile(whole, {}, {}), query, bits);
  for (const Interval& interval : release.only().intervals) {
    EXPECT_LE(interval.lower, interval.upper);
    EXPECT_TRUE(interval.or_below || interval.or_above);
  }
}

TEST(Intervals, WithPrivateBoundsAndListedCandidates) {
  RandomBits bits = RandomBits::unsafe_seeded(60);
  const BoundsSearch search{1, 4};
  QuantileQuery query = quartiles(400, IntervalSubject::table);
  const Lattice widest = search.lattice();
  const std::uint64_t records = 400;
  const RankProfile table(widest, {widest.size()}, std::span(&records, 1));
  const Release found = release(table, {query, BoundsToFind{search, Rational(1, 10)}}, bits);
  EXPECT_EQ(found.only().intervals.size(), 3U);
  const Lattice listed = Lattice::explicit_points({0, 1, 10});
  const std::uint64_t between = 1000;
  const RankProfile in_between(listed, {4}, std::span(&between, 1));  // all between 1 and 10
  query.expected_rows = 1000;
  const Release release = fractile::release(in_between, query, bits);
  for (const Interval& interval : release.only().intervals) {
    EXPECT_LE(interval.lower, 1U);
    EXPECT_EQ(interval.upper, 2U);
  }
}

}  // namespace
}  // namespace fractile
