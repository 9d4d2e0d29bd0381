#include "quantiles/joint/joint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "quantiles/joint/joint_boxes.hpp"
#include "quantiles/joint/joint_law.hpp"
#include "quantiles/joint/joint_listed.hpp"
#include "quantiles/joint/joint_test_support.hpp"
#include "support/profiles.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::equal_cells;
using testing::profile_of;

struct Setting {
  const char* name;
  RankProfile profile;
  std::uint64_t subcells;
  JointTarget target;
  const char* rate;
  std::optional<TotalGrid> totals;
  std::optional<Edge> edge;
  RoundNumbers numbers = {};
  bool is_far = false;  ///< no selection is near its targets
  std::optional<Origin> origin = {};
};

std::vector<Setting> settings() {
  const RankProfile spread = profile_of(8, {{1, 1}, {5, 2}, {9, 1}, {11, 3}});
  const RankProfile wide = profile_of(64, {{1, 2}, {5, 1}, {41, 2}, {90, 1}});
  const RankProfile tied = profile_of(4, {{3, 5}, {7, 1}});
  const RankProfile empty = profile_of(4, {});
  const RankProfile many = profile_of(64, {{9, 4}, {21, 5}, {30, 5}, {41, 6}, {55, 5}, {72, 6}, {90, 3}, {101, 2}});
  // So few candidates that every selection misses its targets by much: by thousands of nats at rate 30.
  const RankProfile gaps = profile_of(4, {{2, 60}, {3, 4}, {4, 80}, {5, 3}, {6, 70}});
  return {
      {"joint_total", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}},
      {"many", many, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}},
      {"coarse totals", spread, 2, {{1, 2, 1}, 4}, "1/3", TotalGrid{3}, {}},
      {"weak", spread, 2, {{1, 1, 1, 1}, 4}, "1/100", TotalGrid{7}, {}},
      {"strong", spread, 2, {{1, 1, 1, 1}, 4}, "5", TotalGrid{1}, {}},
      {"uneven", spread, 2, {{1, 8, 1}, 10}, "ln 3", TotalGrid{2}, {}},
      {"end cells of no weight", spread, 2, {{0, 1, 1, 0}, 2}, "1/2", TotalGrid{2}, {}},
      {"JointExp", spread, 2, {{1, 1, 1}, 3}, "1/2", {}, {}},
      {"one quantile", spread, 2, {{1, 2}, 3}, "1/2", {}, {}},
      {"ties", tied, 4, {{1, 1, 1, 1}, 4}, "1/2", TotalGrid{1}, {}},
      {"ties in one part", tied, 1, {{1, 1, 1}, 3}, "1/2", TotalGrid{2}, {}},
      {"no records", empty, 2, {{1, 1, 1, 1}, 4}, "1/2", TotalGrid{2}, {}},
      {"left edge", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, Edge{true, 2}},
      {"right edge", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, Edge{false, 1}},
      {"round candidates", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}, {RoundGrid{1, 3}, {}}},
      {"round candidates at an edge",
       spread,
       2,
       {{1, 1, 1}, 3},
       "1/2",
       TotalGrid{1},
       Edge{true, 3},
       {RoundGrid{2, 4}, {}}},
      {"heaps", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}, {{}, RoundGrid{2, 5}}},
      {"gaps", gaps, 8, {{1, 1, 1}, 3}, "1/5", TotalGrid{1}, {}, {}, true},
      {"gaps beyond any double", gaps, 8, {{1, 1, 1}, 3}, "30", TotalGrid{1}, {}, {}, true},
      {"uneven gaps beyond any double", gaps, 8, {{1, 5, 2}, 8}, "41/2", TotalGrid{3}, {}, {}, true},
      {"gaps at four cells", gaps, 2, {{1, 1, 1, 1}, 4}, "35", TotalGrid{2}, {}, {}, true},
      {"JointExp among gaps", gaps, 8, {{1, 1, 1}, 3}, "60", {}, {}, {}, true},
      {"heaps of round ones at an edge", spread, 2, {{1, 2}, 3}, "1/2", {}, Edge{false, 2}, {{{0, 2}}, {{2, 4}}}},
      {"weights from zero", wide, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}, {}, false, Origin{0, 63}},
      {"round weights from the middle", wide, 2, {{1, 2}, 3}, "1/2", {}, {}, {{{0, 4}}, {}}, false, Origin{20, 2000}},
  };
}

JointProblem problem_of(const Setting& s) {
  const RankSpan span = whole_span(s.profile, s.subcells);
  return {s.profile,  span,
          s.subcells, BaseMeasure(span.lowest, span.highest, s.subcells, s.edge, s.numbers, s.origin),
          s.target,   Exponent::parse(s.rate),
          s.totals};
}

// approximate-quantiles 2021, section 4.1: the sum of |Gap(o_j, o_j-1) - Gap(v_j, v_j-1)|, here times the denominator. With a selected total
// t, the gaps that are wanted are shares of t, and the last gap still ends at the number of records.
TEST(Joint, CostIsTheUtilityOfJointExp) {
  const RankProfile seven = profile_of(8, {{1, 1}, {5, 2}, {9, 1}, {11, 3}});
  const Setting thirds{"JointExp", seven, 2, {{1, 1, 1}, 3}, "1/2", {}, {}};
  const auto cost = [&](std::uint64_t total, const std::vector<std::uint64_t>& below) {
    return static_cast<std::uint64_t>(problem_of(thirds).scaled_cost(total, below));
  };
  EXPECT_EQ(cost(7, {2, 5}), 1U + 2 + 1);   // gaps 2, 3, 2 and 7/3 each
  EXPECT_EQ(cost(7, {0, 7}), 7U + 14 + 7);  // gaps 0, 7, 0
  EXPECT_EQ(cost(7, {7, 7}), 14U + 7 + 7);
  EXPECT_EQ(cost(9, {2, 5}), 3U + 0 + 3);  // 3 each
  const Setting uneven{"JointExp", seven, 2, {{1, 8, 1}, 10}, "1/2", {}, {}};
  EXPECT_EQ(static_cast<std::uint64_t>(problem_of(uneven).scaled_cost(7, {1, 6})), 3U + 6 + 3);  // 7/10, 56/10, 7/10
}

void expect_law(const Setting& s, const std::map<std::vector<std::uint64_t>, std::uint64_t>& counts) {
  SCOPED_TRACE(s.name);
  std::vector<std::uint64_t> observed;
  std::vector<double> expected;
  std::size_t seen = 0;
  for (const JointOutcome& outcome : joint_law(problem_of(s))) {
    const auto found = counts.find(outcome.below);
    observed.push_back(found == counts.end() ? 0 : found->second);
    expected.push_back(outcome.probability.to_double());
    if (found != counts.end()) ++seen;
  }
  EXPECT_EQ(seen, counts.size());
  EXPECT_GT(chi_square_p(observed, expected), 1e-9);
}

TEST(Joint, HasTheLawThatIsAudited) {
  for (const Setting& s : settings()) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const JointProblem problem = problem_of(s);
      RandomBits bits = RandomBits::system();
      JointSelection selection(problem);
      std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
      const std::uint64_t draws = effort(filter.prefix_bits == 64 ? 20'000 : 5'000);
      for (std::uint64_t i = 0; i < draws; ++i) ++counts[selection.draw(bits, filter).below];
      expect_law(s, counts);
      EXPECT_LT(selection.trials(), (s.is_far ? 20 : 12) * draws) << s.name;
    }
  }
}

/// Expects the bounds for the coin's first comparison to hold the probability, and to be close.
template <class Proposer>
void expect_held(const Proposer& proposer, const Proposal& proposal) {
  const Enclosure exact = proposer.acceptance(proposal, 120);
  const Bounds bounds = proposer.acceptance_bounds(proposal);
  EXPECT_LE(bounds.lower, exact.lower_double());
  EXPECT_GE(bounds.upper, exact.upper_double());
  EXPECT_LE(bounds.upper - bounds.lower, std::max(bounds.upper * 0x1p-30, 0x1p-900));
}

/// The number of proposals: `most`, or fewer when this many have been kept.
struct Trials {
  std::uint64_t most;
  std::uint64_t kept;
};

/// Draws by one kind of table, and returns the numbers of proposals made and kept. The coin is tossed with a double's 53 bits,
/// which no test of this size can tell from an exact one.
template <class Proposer>
Trials expect_law_of(Proposer& proposer, const Setting& s, bool verify, const Trials& trials) {
  RandomBits bits = RandomBits::system();
  std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
  Trials done{0, 0};
  while (done.most < trials.most && done.kept < trials.kept) {
    ++done.most;
    const std::optional<Proposal> proposal = proposer.propose(bits, verify);
    if (!proposal) continue;
    const double chance = proposer.acceptance(*proposal, 80).upper_double();
    if (done.most % 16 == 0) expect_held(proposer, *proposal);
    EXPECT_LE(chance, 1) << s.name;
    if (std::ldexp(static_cast<double>(bits.next64() >> 11), -53) >= chance) continue;
    ++counts[proposal->below];
    ++done.kept;
  }
  expect_law(s, counts);
  return done;
}

// Boxes are used only where records lie between candidates: here they draw everywhere.
TEST(JointBoxes, HaveTheLawThatIsAudited) {
  for (const Setting& s : settings()) {
    for (const bool verify : {false, true}) {
      const JointProblem problem = problem_of(s);
      JointBoxes boxes(problem);
      const std::uint64_t trials = effort(verify ? 5'000 : 20'000);
      EXPECT_GT(expect_law_of(boxes, s, verify, {trials, trials}).kept * 100, trials) << s.name;
    }
  }
}

// With narrow windows and few totals, many draws are outside: these come from the wide table, or from anywhere.
TEST(ListedTotals, HaveTheLawWhateverIsLeftToWiderTables) {
  for (const Setting& s : settings()) {
    if (s.is_far) continue;
    for (const TableReach& least : {TableReach{-1, -1}, TableReach{-2, -20}, TableReach{-2, 5}}) {
      for (const std::int64_t unit : {1, 3}) {
        const JointProblem problem = problem_of(s);
        if (unit > 1 && problem.rate.to_double() > 1) continue;  // nothing would be kept
        JointRuns runs(problem.profile, problem.span, problem.subcells, unit);
        ListedTotals<double> listed(problem, runs, least);
        ASSERT_TRUE(listed.fits()) << s.name;
        const Trials trials{effort(200'000), effort(800)};
        EXPECT_EQ(expect_law_of(listed, s, unit == 1, trials).kept, trials.kept) << s.name;
      }
    }
  }
}

// Such a proposal stands for what the wide table leaves out. If it could be what the table has, too, that would be proposed twice as often
// as its weight says.
TEST(ListedTotals, WhatIsDrawnFromAnywhereIsFarFromItsTargets) {
  RandomBits bits = RandomBits::system();
  std::size_t from_anywhere = 0;
  for (const Setting& s : settings()) {
    const JointProblem problem = problem_of(s);
    JointRuns all_runs(problem.profile, problem.span, problem.subcells);
    all_runs.cover_all();
    if (s.is_far || all_runs.size() == 1) continue;  // with one run, each proposal has all of the span
    JointRuns runs(problem.profile, problem.span, problem.subcells);
    ListedTotals<double> listed(problem, runs, TableReach{-2, -20, 0});
    for (std::uint64_t i = 0; i < 4'000; ++i) {
      const std::optional<Proposal> proposal = listed.propose(bits, false);
      const auto is_whole = [&](const SplitPart& part) {
        return part.start == problem.span.lowest && part.end == problem.span.highest + 1;
      };
      if (!proposal || !std::ranges::all_of(proposal->parts, is_whole)) continue;
      ++from_anywhere;
      std::uint64_t weight = 0;
      std::size_t at_target = 0;
      for (std::size_t j = 0; j < proposal->below.size(); ++j) {
        weight += problem.target.weights[j];
        const std::uint64_t wanted = runs.records() * weight / problem.target.denominator;
        at_target += proposal->below[j] == wanted ? 1U : 0U;
      }
      ASSERT_LT(at_target, proposal->below.size()) << s.name;
    }
  }
  EXPECT_GT(from_anywhere, 2'000);
}

// Smaller boxes leave the law unchanged, and more of their proposals are kept.
TEST(JointBoxes, KeepTheLawWhenTheyAreRefined) {
  const std::vector<Setting> all = settings();
  for (const Setting& s : all) {
    const JointProblem problem = problem_of(s);
    RandomBits bits = RandomBits::system();
    JointBoxes boxes(problem);
    std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
    const std::uint64_t trials = effort(20'000);
    for (std::uint64_t i = 0; i < trials; ++i) {
      if (i % (trials / 5) == 0) boxes.refine();
      const std::optional<Proposal> proposal = boxes.propose(bits, false);
      if (!proposal) continue;
      const double chance = boxes.acceptance(*proposal, 80).upper_double();
      ASSERT_LE(chance, 1) << s.name;
      if (std::ldexp(static_cast<double>(bits.next64() >> 11), -53) < chance) ++counts[proposal->below];
    }
    expect_law(s, counts);
  }
}

// Tables of many records, of which windows leave out a large part.
TEST(ListedTotals, NoProposalIsLikelierThanItsBound) {
  std::map<Position, std::uint64_t> records;
  for (Position i = 0; i < 400; ++i) records[2 * i + 1] = 1 + i % 3;
  const Setting s{"many", profile_of(500, records), 2, {{2, 3, 1, 2}, 8}, "1/2", TotalGrid{1}, {}};
  const JointProblem problem = problem_of(s);
  RandomBits bits = RandomBits::system();
  for (const TableReach& least : {TableReach{-2, 5}, TableReach{-2, -4}, TableReach{3, 5}}) {
    JointRuns runs(problem.profile, problem.span, problem.subcells);
    ListedTotals<double> listed(problem, runs, least);
    for (std::uint64_t i = 0; i < effort(40'000); ++i) {
      const std::optional<Proposal> proposal = listed.propose(bits, false);
      if (!proposal) continue;
      ASSERT_LE(listed.acceptance(*proposal, 80).lower_double(), 1);
      if (i % 16 == 0) expect_held(listed, *proposal);
    }
  }
}

/// n records of ages 1 .. 100, most of them near 50, on `candidates` evenly spaced ages: the others lie between.
RankProfile ages(std::uint64_t n, std::uint64_t candidates) {
  std::map<Position, std::uint64_t> records;
  for (std::uint64_t age = 1; age < 100; ++age) {
    const std::uint64_t below =
        (age * (candidates + 1) + 99) / 100 - 1;  // candidates at (i + 1) 100 / (candidates + 1)
    const bool is_candidate = age * (candidates + 1) % 100 == 0;
    records[2 * std::min(below, candidates) + (is_candidate ? 1 : 0)] += n * std::min(age, 100 - age) / 2500;
  }
  return profile_of(candidates, records);
}

void expect_bounded_work(const RankProfile& profile, std::size_t quantiles, const char* rate,
                         std::optional<TotalGrid> totals) {
  const std::uint64_t subcells = std::uint64_t{1} << 32;
  const RankSpan span = whole_span(profile, subcells);
  const JointProblem problem{profile,
                             span,
                             subcells,
                             BaseMeasure(span.lowest, span.highest, subcells),
                             equal_cells(quantiles),
                             Exponent::parse(rate),
                             totals};
  RandomBits bits = RandomBits::system();
  JointSelection selection(problem);
  for (int i = 0; i < 3; ++i) selection.draw(bits);
  SCOPED_TRACE(std::to_string(profile.records()) + " records, " + std::to_string(quantiles) + " quantiles at " + rate);
  EXPECT_LT(selection.work().entries, 60'000'000u);
  EXPECT_LT(selection.trials(), 1'000u);
}

// 48,842 ages among four candidates took minutes: a table for each of thousands of totals of about equal probability, in types in
// which all of them underflowed. Then three quantiles took seconds, and ten were never drawn.
TEST(Joint, WorkIsBoundedWhereverTheRecordsLie) {
  const std::vector<RankProfile> profiles{ages(48'842, 4),
                                          ages(48'842, 40),
                                          profile_of(4, {{5, 20'000}}),
                                          profile_of(4, {{1, 10'000}, {7, 10'000}}),
                                          profile_of(4, {{4, 20'000}}),
                                          profile_of(4, {{2, 7}, {6, 13}})};
  for (const RankProfile& profile : profiles) {
    for (const char* rate : {"1/20", "1/2", "10", "50", "64"}) {
      for (const std::optional<TotalGrid> totals : {std::optional(TotalGrid{2}), std::optional<TotalGrid>()}) {
        expect_bounded_work(profile, 3, rate, totals);
      }
    }
  }
}

TEST(Joint, WorkIsBoundedForTenQuantiles) {
  for (const RankProfile& profile : {ages(1'000, 4), ages(48'842, 4), ages(48'842, 40)}) {
    for (const char* rate : {"1/20", "1/2", "4"}) {
      for (const std::optional<TotalGrid> totals : {std::optional(TotalGrid{7}), std::optional<TotalGrid>()}) {
        expect_bounded_work(profile, 10, rate, totals);
      }
    }
  }
}

/// A median's law depends on the difference of the records on both sides, not on their number.
TEST(Joint, HasTheSameLawAmongMoreRecords) {
  const auto among = [](std::uint64_t more) {
    return profile_of(9, {{1, more}, {5, 1}, {7, 3}, {11, 1}, {13, 1}, {17, more}});
  };
  constexpr std::uint64_t few = 200;
  constexpr std::uint64_t many = 100'000'000'000'000;
  for (const char* rate : {"1/2", "1/20"}) {
    const Setting s{"few", among(few), 2, {{1, 1}, 2}, rate, {}, {}};
    const Setting large{"many", among(many), 2, {{1, 1}, 2}, rate, {}, {}};
    const JointProblem problem = problem_of(large);
    RandomBits bits = RandomBits::system();
    JointSelection selection(problem);
    std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
    const std::uint64_t draws = effort(20'000);
    for (std::uint64_t i = 0; i < draws; ++i) ++counts[{selection.draw(bits).below.front() - many + few}];
    expect_law(s, counts);
    EXPECT_LT(selection.trials(), 10 * draws);
  }
}

// Bounds that grew by a millionth a record's rounding were a thousand times too large after 120 rows of 10^12 records.
TEST(Joint, TrialsDoNotGrowWithRecords) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  const Checkpoints ending([&] {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("it goes on");
  });
  std::map<Position, std::uint64_t> records;
  for (Position i = 0; i < 1000; ++i) records[2 * i + 1] = 7'000'000'000 + i * i;
  const RankProfile profile = profile_of(1000, records);
  const std::uint64_t subcells = subcells_for(1000);
  const RankSpan span = whole_span(profile, subcells);
  for (const std::optional<TotalGrid> totals : {std::optional(TotalGrid{7}), std::optional<TotalGrid>()}) {
    for (const std::size_t quantiles : {3U, 24U, 60U}) {
      const JointProblem problem{profile,
                                 span,
                                 subcells,
                                 BaseMeasure(span.lowest, span.highest, subcells),
                                 equal_cells(quantiles),
                                 Exponent::parse("1/2"),
                                 totals};
      RandomBits bits = RandomBits::system();
      JointSelection selection(problem);
      for (int i = 0; i < 5; ++i) {
        const JointChoice choice = selection.draw(bits);
        if (totals) {
          EXPECT_NEAR(static_cast<double>(choice.total), static_cast<double>(profile.records()), 1000);
        }
      }
      ASSERT_LT(selection.trials(), 60U);
      EXPECT_LT(selection.work().entries, 30'000'000U);
    }
  }
}

}  // namespace
}  // namespace fractile
