#include "quantiles/joint/joint_tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "exact/enclosure.hpp"
#include "support/profiles.hpp"

namespace fractile {
namespace {

using testing::profile_of;

struct Listed {
  std::int64_t rank;  // the middle of its unit
  Split start;
  Split end;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// The runs, found split by split.
std::vector<Listed> runs_one_by_one(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                                    std::int64_t unit) {
  std::vector<Listed> runs;
  for (Split split = span.lowest; split <= span.highest; ++split) {
    const auto below = static_cast<std::int64_t>(records_below(profile, subcells, split) - span.first_rank);
    const std::int64_t rank = below / unit * unit + unit / 2;
    if (runs.empty() || runs.back().rank != rank) runs.push_back({rank, split, split});
    runs.back().end = split + 1;
  }
  return runs;
}

std::vector<Listed> listed_in(const JointRuns& runs, const RankWindow& window) {
  std::vector<Listed> result;
  for (std::size_t i = runs.first_of(window); i < runs.end_of(window); ++i) {
    result.push_back({runs.rank(i), runs.start(i), runs.end(i)});
  }
  return result;
}

RankProfile any_profile(std::uint64_t candidates) {
  std::map<Position, std::uint64_t> records;
  for (int k = *rc::gen::inRange(0, 6); k > 0; --k) {
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += *rc::gen::inRange<std::uint64_t>(1, 40);
  }
  return profile_of(candidates, records);
}

RankSpan any_span(const RankProfile& profile, std::uint64_t subcells) {
  if (*rc::gen::inRange(0, 3) == 0) return whole_span(profile, subcells);
  const Split splits = profile.candidates() * subcells;
  const Split lowest = *rc::gen::inRange<Split>(0, splits);
  const Split highest = *rc::gen::inRange<Split>(lowest, splits);
  return {records_below(profile, subcells, lowest), records_below(profile, subcells, highest), lowest, highest};
}

RankWindow any_window(const JointRuns& runs) {
  const auto records = static_cast<std::int64_t>(runs.records());
  const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, records + 1);
  return runs.whole_units({first, *rc::gen::inRange<std::int64_t>(first, records + 1)});
}

/// Exponents of one to four digits in base 4096.
TEST(JointPowers, AreRightToTheirRoundingForAllNumbersOfRecords) {
  const double floor = RealRange<double>::floor();
  EXPECT_TRUE(rc::check([floor] {
    const int bits = *rc::gen::inRange(1, 49);
    const std::uint64_t largest =
        *rc::gen::inRange<std::uint64_t>(std::uint64_t{1} << (bits - 1), std::uint64_t{1} << bits);
    // Powers of the largest exponent from e^-1000, below the floor, to almost 1.
    const double nats = *rc::gen::element(1000.0, 300.0, 20.0, 1.0) / static_cast<double>(largest);
    const double step = std::max(0.25, 1 - std::min(nats, 0.75));
    const JointPowers<double> powers(step, largest);
    const Enclosure log_step = Enclosure::of(Rational::from_double(step)).log();
    for (const std::uint64_t k : {largest, *rc::gen::inRange<std::uint64_t>(0, largest + 1), std::uint64_t{0}}) {
      const Enclosure exact = (Enclosure::of_whole(k) * log_step).exp();
      const double rounding = std::expm1((static_cast<double>(k) + 4) * 0x1p-52);
      const double power = powers(static_cast<std::int64_t>(k));
      RC_ASSERT(power >= floor);
      RC_ASSERT(power * (1 + rounding) >= exact.lower_double());
      RC_ASSERT(power <= std::max(floor, exact.upper_double() * (1 + rounding)));
    }
  }));
}

// In a thread that has kept no memory before.
TEST(TableRoom, IsUsedAgainWhereItIsLargeEnough) {
  std::thread([] {
    const auto place_of = [](std::size_t entries) { return TableRoom<double>().of(entries); };  // given back at once
    const double* const first = place_of(1'000);
    EXPECT_EQ(place_of(1'000), first);
    EXPECT_EQ(place_of(10), first);
    TableRoom<double> held;
    double* const at = held.of(500);
    EXPECT_EQ(at, first);
    const double* const other = place_of(500);
    EXPECT_NE(other, at);             // which is held
    EXPECT_NE(place_of(600), other);  // which is too small
    at[499] = 3;
    TableRoom<double> moved = std::move(held);
    EXPECT_EQ(moved.of(500), at);
    EXPECT_EQ(moved.of(1'000), at);  // which it has
    EXPECT_EQ(at[499], 3);
    moved.of(2'000);
    EXPECT_EQ(place_of(1'000), first);  // given back as it grew
  }).join();
}

TEST(JointPowers, ThatAreKeptAreThoseThatWereAskedFor) {
  for (int round = 0; round < 2; ++round) {
    for (const double step : {0.5, 0.9, 0.999, 0.99999, 1 - 0x1p-30, 1.0}) {
      for (const std::uint64_t largest : {1U, 100U, 90U, 5'000U, 4'000U, 20'000'000U, 120U}) {
        const JointPowers<double> powers(step, largest);
        const auto kept = JointPowers<double>::of(step, largest);
        EXPECT_EQ(kept->reach_floor(largest), powers.reach_floor(largest));
        for (std::uint64_t k = 0; k <= largest; k += 1 + k / 3) {
          EXPECT_EQ((*kept)(static_cast<std::int64_t>(k)), powers(static_cast<std::int64_t>(k))) << step << " " << k;
        }
      }
    }
  }
}

// Runs that follow one another, with gaps and from the beginning again.
TEST(RunWeights, AreThoseOfEachRun) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t subcells = std::uint64_t{1} << *rc::gen::inRange(0, 4);
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 3'000);
    RoundNumbers numbers;
    if (*rc::gen::arbitrary<bool>()) numbers.grid = RoundGrid{*rc::gen::inRange<std::uint64_t>(0, 10), 10};
    if (*rc::gen::arbitrary<bool>()) numbers.heaps = RoundGrid{*rc::gen::inRange<std::uint64_t>(0, 50), 50};
    std::optional<Edge> edge;
    std::optional<Origin> origin;
    if (*rc::gen::arbitrary<bool>()) edge = Edge{*rc::gen::arbitrary<bool>(), *rc::gen::inRange<std::uint64_t>(1, 90)};
    if (*rc::gen::arbitrary<bool>()) origin = Origin{*rc::gen::inRange<std::int64_t>(-50, 3'000), 3'000};
    const Split splits = candidates * subcells;
    const Split lowest = *rc::gen::inRange<Split>(0, splits);
    const BaseMeasure measure(lowest, splits - 1, subcells, edge, numbers, origin);
    RunWeights<uint128> weights(measure);
    RunWeights<std::uint64_t> of_units(measure);
    Split at = lowest;
    for (int i = 0; i < 40; ++i) {
      if (at == splits || *rc::gen::inRange(0, 5) == 0) at = *rc::gen::inRange<Split>(lowest, splits);
      const fractile::Run run{at, *rc::gen::inRange<std::uint64_t>(1, splits - at + 1), static_cast<std::uint64_t>(i)};
      const fractile::Run weighed = weights.weighed(run);
      const fractile::Run wanted = measure.weighed(run);
      RC_ASSERT(weighed.start == wanted.start);
      RC_ASSERT(weighed.length == wanted.length);
      RC_ASSERT(weighed.score == wanted.score);
      const fractile::Run units = of_units.weighed(run);
      RC_ASSERT(units.start == wanted.start);
      RC_ASSERT(units.length == wanted.length);
      RC_ASSERT(measure.holder(measure.mass(lowest, run.start)) == run.start);
      RC_ASSERT(measure.holder(measure.mass(lowest, run.start + run.length) - 1) == run.start + run.length - 1);
      at += run.length;
    }
  }));
}

// All splits lie at like distances from the origin, so each of them weighs the same, but not 1.
TEST(RunWeights, OfSplitsThatAllWeighMoreThanOneUnit) {
  const BaseMeasure measure(0, 3, 1, {}, {}, Origin{-50, 3'000});
  const auto each = static_cast<std::uint64_t>(measure.mass(0, 1));
  ASSERT_GT(each, 1U);
  EXPECT_FALSE(measure.is_uniform());
  EXPECT_EQ(measure.weighed({1, 2, 7}).start, each);
  EXPECT_EQ(measure.weighed({1, 2, 7}).length, 2 * each);
  for (std::uint64_t unit = 0; unit < 4 * each; ++unit) EXPECT_EQ(measure.holder(unit), unit / each);
}

TEST(JointRuns, OfAWindowAreThoseOfAllSplits) {
  EXPECT_TRUE(rc::check("one by one", [] {
    const std::uint64_t subcells = std::uint64_t{1} << *rc::gen::inRange(0, 6);
    const RankProfile profile = any_profile(5);
    const RankSpan span = any_span(profile, subcells);
    const std::int64_t unit = *rc::gen::element(1, 3, 5, 13, 21, 1001);
    const std::vector<Listed> all = runs_one_by_one(profile, span, subcells, unit);
    JointRuns runs(profile, span, subcells, unit);
    std::vector<RankWindow> windows;
    for (int step = *rc::gen::inRange(1, 4); step > 0; --step) {  // what was listed stays listed
      windows.push_back(any_window(runs));
      runs.cover(windows);
      for (const RankWindow& window : windows) {
        std::vector<Listed> wanted;
        for (const Listed& run : all) {
          if (window.contains(static_cast<std::uint64_t>(run.rank))) wanted.push_back(run);
        }
        RC_ASSERT(listed_in(runs, window) == wanted);
      }
      RC_ASSERT(!runs.cover({windows.back()}));
    }
    runs.cover_all();
    RC_ASSERT(listed_in(runs, runs.whole_units({0, static_cast<std::int64_t>(runs.records())})) == all);
  }));
}

TEST(JointRuns, OutsideOfWindowsCostNothing) {
  const RankProfile profile = profile_of(3, {{1, 1'000'000'000}, {3, 2'000'000'000}, {5, 1'000'000'000}});
  const std::uint64_t subcells = subcells_for(3);
  JointRuns runs(profile, whole_span(profile, subcells), subcells);
  const std::vector<RankWindow> windows{{999'999'990, 1'000'000'010}, {1'999'999'900, 2'000'000'100}};
  EXPECT_TRUE(runs.cover(windows));
  EXPECT_LE(runs.size(), 3U * (21 + 201));
  for (const RankWindow& window : windows) {
    EXPECT_EQ(listed_in(runs, window).size(), static_cast<std::size_t>(window.last - window.first + 1));
  }
}

/// The exact value of a sum over all selections: exp(-rate * cost) of runs at their middles, times their masses.
class AllSelections {
 public:
  AllSelections(const JointProblem& problem, const JointRuns& runs, double rate, const TotalRange& totals,
                std::vector<RankWindow> windows)
      : problem_(problem), runs_(runs), rate_(rate), anchor_(totals.anchor), windows_(std::move(windows)) {}

  double mass() const { return from(0, 0, 0, 0); }

 private:
  double kernel(std::size_t j, std::int64_t records) const {
    const double wanted = static_cast<double>(problem_.target.weights[j]) * static_cast<double>(anchor_) /
                          static_cast<double>(problem_.target.denominator);
    return std::exp(-rate_ * std::abs(static_cast<double>(records) - wanted));
  }
  double share(std::size_t run) const {
    return static_cast<double>(problem_.base.mass(runs_.start(run), runs_.end(run))) /
           static_cast<double>(problem_.base.total());
  }
  /// The weight of quantiles j and above, when the one before was put into run `before` as the `sharing`-th there.
  double from(std::size_t j, std::size_t before, std::int64_t rank, std::size_t sharing) const {
    if (j == windows_.size()) return kernel(j, static_cast<std::int64_t>(runs_.records()) - rank);
    double sum = 0;
    for (std::size_t run = before; run < runs_.end_of(windows_[j]); ++run) {
      const bool shares = sharing > 0 && run == before;
      if (run < runs_.first_of(windows_[j])) continue;
      const std::size_t together = shares ? sharing + 1 : 1;
      const double factor = share(run) / static_cast<double>(together);
      sum += kernel(j, runs_.rank(run) - rank) * factor * from(j + 1, run, runs_.rank(run), together);
    }
    return sum;
  }

  const JointProblem& problem_;
  const JointRuns& runs_;
  double rate_;
  std::uint64_t anchor_;
  std::vector<RankWindow> windows_;
};

JointTarget any_target(std::size_t cells) {
  JointTarget target{{}, 0};
  for (std::size_t j = 0; j < cells; ++j) {
    target.weights.push_back(*rc::gen::inRange<std::uint64_t>(1, 5));
    target.denominator += target.weights.back();
  }
  return target;
}

TotalRange any_totals(std::uint64_t records) {
  const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, 2 * records + 2);
  const std::uint64_t last = first + *rc::gen::inRange<std::uint64_t>(0, 9);
  return {first, last, *rc::gen::inRange<std::uint64_t>(first, last + 1)};
}

/// A factor for ranks that are not at their unit's middle: for each quantile, e^(2 rate) for each record of half a unit.
double slack_of(const JointRuns& runs, double rate, std::size_t quantiles) {
  return std::exp(2 * rate * static_cast<double>(runs.unit() / 2) * static_cast<double>(quantiles));
}

// Rows may be entered by runs, by units, or shifted (as if cells could have a negative number of records): all give upper bounds.
template <class Real>
void expect_upper_bounds() {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t subcells = std::uint64_t{1} << *rc::gen::inRange(0, 5);
    const RankProfile profile = any_profile(5);
    const RankSpan span = any_span(profile, subcells);
    const Rational rate = *rc::gen::element(Rational(1, 50), Rational(1, 6), Rational(1, 2), Rational(3));
    const JointProblem problem{profile,
                               span,
                               subcells,
                               BaseMeasure(span.lowest, span.highest, subcells),
                               any_target(*rc::gen::inRange<std::size_t>(2, 5)),
                               rate,
                               TotalGrid{1}};
    JointRuns runs(profile, span, subcells, *rc::gen::element(1, 1, 3, 9));
    JointForward<Real> forward(problem, runs, Enclosure::of(rate));
    JointTable<Real> table;
    for (int i = 0; i < 3; ++i) {  // one after the other in the same memory
      const TotalRange totals = any_totals(runs.records());
      const std::uint64_t half_width = *rc::gen::inRange<std::uint64_t>(0, 30);
      forward.fill(totals, half_width, table);
      std::vector<RankWindow> windows;
      for (std::size_t j = 0; j < problem.target.quantiles(); ++j) {
        windows.push_back(forward.window(j, totals, half_width));
      }
      const double exact = AllSelections(problem, runs, rate.to_double(), totals, windows).mass() *
                           slack_of(runs, rate.to_double(), windows.size());
      const auto mass =
          static_cast<double>(std::ldexp(table.mass, -forward.scale() * static_cast<int>(problem.target.quantiles())));
      RC_ASSERT(mass >= exact * (1 + 0x1p-36));
      const double widest = static_cast<double>(*std::ranges::max_element(problem.target.weights)) *
                            static_cast<double>(totals.anchor) / static_cast<double>(problem.target.denominator);
      const bool shifts = rate.to_double() * widest > std::log(4.0 * static_cast<double>(windows.size()));
      if (!shifts) RC_ASSERT(mass <= exact * (1 + 1e-6) + 1e-200);
    }
  }));
}

TEST(JointForward, BoundsAllSelectionsFromAboveAndClosely) {
  expect_upper_bounds<double>();
  expect_upper_bounds<long double>();
}

/// Few records that are far apart: windows do not overlap, so that only the intended entries are made.
TEST(JointForward, IsExactToItsInflationWhereRowsLieApart) {
  std::map<Position, std::uint64_t> records;
  for (Position i = 0; i < 60; ++i) records[2 * i + 1] = 1 + i % 2;
  const RankProfile profile = profile_of(60, records);
  const std::uint64_t subcells = 2;
  const RankSpan span = whole_span(profile, subcells);
  const JointProblem problem{
      profile,           span,           subcells,    BaseMeasure(span.lowest, span.highest, subcells),
      {{1, 1, 1, 1}, 4}, Rational(1, 4), TotalGrid{1}};
  for (const std::int64_t unit : {1, 3}) {
    JointRuns runs(profile, span, subcells, unit);
    JointForward<double> forward(problem, runs, Enclosure::of(Rational(1, 4)));
    JointTable<double> table;
    for (const std::uint64_t total : {84U, 90U, 97U}) {
      const TotalRange totals{total, total + 2, total + 1};
      forward.fill(totals, 3, table);
      std::vector<RankWindow> windows;
      for (std::size_t j = 0; j < 3; ++j) windows.push_back(forward.window(j, totals, 3));
      const double exact = AllSelections(problem, runs, 0.25, totals, windows).mass() * slack_of(runs, 0.25, 3);
      EXPECT_NEAR(std::ldexp(table.mass, -3 * forward.scale()) / exact, 1 + 0x1p-34, 1e-8);
    }
  }
}

// docs/proofs/joint_total.md, "What is left out".
TEST(JointForward, WhatIsOutsideOfAWindowIsDear) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(1, 60);
    const RankProfile profile = profile_of(3, {{3, n}});
    const RankSpan span = whole_span(profile, 64);
    const JointProblem problem{profile,
                               span,
                               64,
                               BaseMeasure(span.lowest, span.highest, 64),
                               any_target(*rc::gen::inRange<std::size_t>(2, 5)),
                               Rational(1, 2),
                               TotalGrid{1}};
    JointRuns runs(profile, span, 64, *rc::gen::element(1, 3));
    const JointForward<double> forward(problem, runs, Enclosure::of(problem.rate));
    const TotalRange totals = any_totals(n);
    const std::uint64_t half_width = *rc::gen::inRange<std::uint64_t>(0, 20);
    std::vector<std::uint64_t> below;
    for (std::size_t j = 0; j < problem.target.quantiles(); ++j) {
      below.push_back(*rc::gen::inRange<std::uint64_t>(j == 0 ? 0 : below.back(), n + 1));
    }
    bool is_outside = false;
    for (std::size_t j = 0; j < below.size(); ++j) {
      is_outside = is_outside || !forward.window(j, totals, half_width).contains(below[j]);
    }
    if (!is_outside) return;
    for (std::uint64_t total = totals.first; total <= totals.last; ++total) {
      const std::uint64_t off = total > n ? total - n : n - total;
      RC_ASSERT(problem.scaled_cost(total, below) >= (off + 2 * half_width) * uint128{problem.target.denominator});
    }
  }));
}

}  // namespace
}  // namespace fractile
