#include "quantiles/stages/stages.hpp"

#include <gtest/gtest.h>

#include <string>

#include "quantiles/stages/plan.hpp"

namespace fractile {
namespace {

QuantileQuery evenly(std::int64_t parts, const Budget& budget, Mechanism mechanism = Mechanism::automatic) {
  QuantileQuery query{{}, budget};
  for (std::int64_t i = 1; i < parts; ++i) query.quantiles.emplace_back(i, parts);
  query.mechanism = mechanism;
  return query;
}

const Budget one = Budget::pure(Rational(1));

/// The names of the stages, in order.
std::string names_of(const std::vector<Stage>& stages) {
  constexpr const char* names[] = {"rows",  "granularity", "heaps", "select", "each",
                                   "count", "interpolate", "round", "cells"};
  std::string text;
  for (const Stage& stage : stages) text += (text.empty() ? "" : " ") + std::string(names[stage.index()]);
  return text;
}

const Lattice ages = Lattice::regular(0, 120, 1);
const Lattice fine = Lattice::regular(0, 120, Rational(1, 1000));
const RoundGrid units{0, 1000};
const RoundGrid fives{0, 5000};

/// A query with so many expected rows that nothing depends on their number.
QuantileQuery of_many(std::int64_t parts, const Budget& budget) {
  QuantileQuery query = evenly(parts, budget);
  query.expected_rows = 1'000'000;
  return query;
}

TEST(Stages, OfAutomaticFollowWhatIsFound) {
  const QuantilePlan few = plan_of(of_many(6, one), fine);
  EXPECT_EQ(names_of(few.stages()), "granularity select");
  EXPECT_EQ(names_of(few.stages({units, {}})), "granularity heaps select");
  EXPECT_EQ(names_of(few.stages({units, fives})), "granularity heaps select");
  const QuantilePlan some = plan_of(of_many(16, one), fine);
  EXPECT_EQ(names_of(some.stages({units, {}})), "granularity heaps select");
  EXPECT_EQ(names_of(some.stages({units, fives})), "granularity heaps count");
  const QuantilePlan many = plan_of(of_many(40, one), fine);
  EXPECT_EQ(names_of(many.stages()), "granularity select");
  EXPECT_EQ(names_of(many.stages({units, {}})), "granularity count");
  EXPECT_EQ(names_of(plan_of(evenly(40, one), ages).stages()), "count");
  EXPECT_EQ(names_of(plan_of(evenly(40, Budget::zcdp(Rational(1))), fine).stages({units, fives})),
            "granularity heaps select");
}

// Without an expected number, the records are counted first; with one, they are if half or twice the number would make a
// difference.
TEST(Stages, CountRecordsWhereItMatters) {
  const QuantilePlan untold = plan_of(evenly(10, one), fine);
  ASSERT_GT(untold.by_rows.size(), 2U);
  EXPECT_EQ(names_of(untold.stages({{}, 0})), "rows select interpolate");
  EXPECT_EQ(names_of(untold.stages({{}, untold.by_rows.size() - 1})), "rows granularity select");
  EXPECT_TRUE(plan_of(evenly(40, one), ages).by_rows.empty());  // counted on a tree anyway
  EXPECT_TRUE(plan_of(evenly(10, Budget::zcdp(Rational(1))), fine).by_rows.empty());
  EXPECT_TRUE(plan_of(evenly(10, one, Mechanism::joint_total), fine).by_rows.empty());
  QuantileQuery told = evenly(10, one);
  const auto rows_told = [&](std::uint64_t rows) {
    told.expected_rows = rows;
    std::vector<std::uint64_t> considered;
    for (const ChoiceByRows& each : plan_of(told, fine).by_rows) considered.push_back(each.rows);
    return considered;
  };
  EXPECT_EQ(rows_told(100), (std::vector<std::uint64_t>{50, 100, 200}));
  EXPECT_TRUE(rows_told(100'000).empty());
}

// The border between two considered numbers of rows is at equal factors from both; at the border the smaller one is used.
TEST(Stages, OfNoisyCountsLieBetweenTheRowsTheyAreTakenFor) {
  const QuantilePlan plan = plan_of(evenly(50, one), fine);
  const std::vector<Stage> stages = plan.stages();
  const auto* counts = stage_in<CountRows>(stages);
  ASSERT_NE(counts, nullptr);
  ASSERT_EQ(counts->borders.size() + 1, plan.by_rows.size());
  for (std::size_t i = 0; i < counts->borders.size(); ++i) {
    EXPECT_LT(static_cast<std::int64_t>(plan.by_rows[i].rows), counts->borders[i]);
    EXPECT_LE(counts->borders[i], static_cast<std::int64_t>(plan.by_rows[i + 1].rows));
  }
}

// The expected number is used unless the noisy count differs from it by more than the count's mean error: 20 records for a
// twentieth of epsilon = 1.
TEST(Stages, ExpectedRowsHoldUnlessANoisyCountContradicts) {
  QuantileQuery query = evenly(50, one);
  query.expected_rows = 150;
  const QuantilePlan plan = plan_of(query, fine);
  ASSERT_EQ(plan.by_rows.size(), 3U);
  EXPECT_EQ(plan.by_rows[1].from, 106 - 20);
  EXPECT_EQ(plan.by_rows[2].from, 212 + 20);
}

// Even where the error of a count is 0 as a double.
TEST(Stages, OfAnyBudgetAreFewChoices) {
  for (const char* amount : {"1e-14", "1000", "1e6", "1e300", "1e400"}) {
    for (const Budget& budget : {Budget::pure(Rational::parse(amount)), Budget::zcdp(Rational::parse(amount))}) {
      QuantileQuery query = evenly(10, budget);
      EXPECT_LE(plan_of(query, ages).by_rows.size(), 70U) << amount;
      query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::population, false};
      EXPECT_LE(plan_of(query, ages).counted.size(), 250U) << amount;
    }
  }
}

TEST(Stages, InterpolateAndRoundWhereFewerAreSelected) {
  QuantileQuery query = evenly(300, Budget::pure(Rational(1, 2)));
  query.expected_rows = 20'000;
  const QuantilePlan plan = plan_of(query, Lattice::regular(0, 10'000, Rational(1, 100)));
  EXPECT_EQ(names_of(plan.stages()), "rows granularity select interpolate");
  const std::vector<Stage> stages = plan.stages({{RoundGrid{0, 100}, {}}, 1});
  EXPECT_EQ(names_of(stages), "rows granularity heaps select interpolate round");
  EXPECT_EQ(stage_in<SelectQuantiles>(stages)->wants, Wanted::splits);
  EXPECT_EQ(stage_in<SelectQuantiles>(stages)->shape.numbers.grid->stride, 100U);
  EXPECT_EQ(stage_in<RoundToGrid>(stages)->grid.stride, 100U);
  query.interpolate = false;
  EXPECT_EQ(names_of(plan_of(query, plan.lattice).stages({RoundGrid{0, 100}, {}})), "granularity heaps select");
}

TEST(Stages, OfNamedMechanismsAreOne) {
  EXPECT_EQ(names_of(plan_of(evenly(6, one, Mechanism::tree), fine).stages()), "count");
  EXPECT_EQ(names_of(plan_of(evenly(6, one, Mechanism::independent), fine).stages()), "each");
  EXPECT_EQ(names_of(plan_of(evenly(6, one, Mechanism::approximate), fine).stages()), "select");
  EXPECT_EQ(names_of(plan_of(evenly(6, one, Mechanism::joint_total), fine).stages()), "granularity select");
}

/// Whether the outcome `later` can still come of a release that has found `so_far` up to its first `ran` stages.
bool agree(const PreliminaryOutcome& so_far, const PreliminaryOutcome& later, int ran) {
  const auto stride = [](const std::optional<RoundGrid>& grid) { return grid ? grid->stride : 0; };
  const bool counted = so_far.rows.has_value();  // first
  if (ran > 0 && so_far.rows != later.rows) return false;
  const int looked = ran - (counted ? 1 : 0);
  return (looked < 1 || stride(so_far.grid) == stride(later.grid)) &&
         (looked < 2 || stride(so_far.heaps) == stride(later.heaps));
}

// A sampler knows only its findings so far: its next stage must be the same in all outcomes that agree with them.
TEST(Stages, DependOnlyOnWhatTheOnesBeforeThemFound) {
  for (const std::int64_t parts : {2, 6, 16, 40}) {
    const QuantilePlan plan = plan_of(evenly(parts, one), fine);
    const std::vector<PreliminaryOutcome> outcomes = plan.outcomes();
    EXPECT_GT(outcomes.size(), 4U);
    for (const PreliminaryOutcome& a : outcomes) {
      const std::vector<Stage> stages = plan.stages(a);
      for (const PreliminaryOutcome& b : outcomes) {
        const std::vector<Stage> others = plan.stages(b);
        for (int ran = 0; ran < std::ranges::count_if(stages, is_preliminary) && agree(a, b, ran); ++ran) {
          const auto at = static_cast<std::size_t>(ran);
          ASSERT_GT(others.size(), at);
          EXPECT_EQ(stages[at].index(), others[at].index());
        }
      }
    }
  }
}

// Preliminary selections come first, one stage decides the quantiles, and the reported mechanism is the one that runs.
TEST(Stages, OfAllOutcomesDecideOnce) {
  for (const std::int64_t parts : {2, 6, 16, 40}) {
    for (const Budget& budget : {one, Budget::zcdp(Rational(1, 2))}) {
      const QuantilePlan plan = plan_of(evenly(parts, budget), fine);
      for (const PreliminaryOutcome& found : plan.outcomes()) {
        const std::vector<Stage> stages = plan.stages(found);
        for (std::size_t i = 0; i < stages.size(); ++i) {
          EXPECT_EQ(is_preliminary(stages[i]),
                    static_cast<std::ptrdiff_t>(i) < std::ranges::count_if(stages, is_preliminary));
        }
        EXPECT_EQ(found.rows.has_value(), stage_in<CountRows>(stages) != nullptr);
        const bool counts = stage_in<CountOnTree>(stages) != nullptr;
        EXPECT_NE(counts, stage_in<SelectQuantiles>(stages) != nullptr);
        EXPECT_EQ(plan.used(found).mechanism == Mechanism::tree, counts);
      }
    }
  }
}

}  // namespace
}  // namespace fractile
