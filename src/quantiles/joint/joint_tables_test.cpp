#include "quantiles/joint/joint_tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exact/enclosure.hpp"
#include "support/profiles.hpp"

namespace fractile {
namespace {

using testing::profile_of;

struct Listed {
  std::int64_t rank;
  Split start;
  Split end;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// Split by split.
std::vector<Listed> runs_one_by_one(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells) {
  std::vector<Listed> runs;
  for (Split split = span.lowest; split <= span.highest; ++split) {
    const auto rank = static_cast<std::int64_t>(records_below(profile, subcells, split) - span.first_rank);
    if (runs.empty() || runs.back().rank != rank) runs.push_back({rank, split, split});
    runs.back().end = split + 1;
  }
  return runs;
}

std::vector<Listed> listed_in(const JointRuns& runs, const RankWindow& window) {
  std::vector<Listed> result;
  for (std::size_t i = runs.first_from(window.first); i < runs.first_from(window.last + 1); ++i) {
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
  return {first, *rc::gen::inRange<std::int64_t>(first, records + 1)};
}

/// With exponents that have one to four digits in base 4096, each of them the highest in turn.
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

TEST(JointRuns, OfAWindowAreThoseOfAllSplits) {
  EXPECT_TRUE(rc::check("one by one", [] {
    const std::uint64_t subcells = std::uint64_t{1} << *rc::gen::inRange(0, 6);
    const RankProfile profile = any_profile(5);
    const RankSpan span = any_span(profile, subcells);
    const std::vector<Listed> all = runs_one_by_one(profile, span, subcells);
    JointRuns runs(profile, span, subcells);
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
    RC_ASSERT(listed_in(runs, {0, static_cast<std::int64_t>(runs.records())}) == all);
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

}  // namespace
}  // namespace fractile
