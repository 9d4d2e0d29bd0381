#include "quantiles/joint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "quantiles/joint_law.hpp"
#include "support/profiles.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
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
};

std::vector<Setting> settings() {
  const RankProfile spread = profile_of(8, {{1, 1}, {5, 2}, {9, 1}, {11, 3}});
  const RankProfile tied = profile_of(4, {{3, 5}, {7, 1}});
  const RankProfile empty = profile_of(4, {});
  return {
      {"joint_total", spread, 2, {{1, 1, 1}, 3}, "1/2", TotalGrid{1}, {}},
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
      {"heaps of round ones at an edge", spread, 2, {{1, 2}, 3}, "1/2", {}, Edge{false, 2}, {{{0, 2}}, {{2, 4}}}},
  };
}

JointProblem problem_of(const Setting& s) {
  const RankSpan span = whole_span(s.profile, s.subcells);
  return {s.profile,  span,
          s.subcells, BaseMeasure(span.lowest, span.highest, s.subcells, s.edge, s.numbers),
          s.target,   Exponent::parse(s.rate),
          s.totals};
}

TEST(Joint, HasTheLawThatIsAudited) {
  for (const Setting& s : settings()) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const JointProblem problem = problem_of(s);
      RandomBits bits = RandomBits::system();
      JointSelection selection(problem);
      SCOPED_TRACE(s.name);
      std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
      const std::uint64_t draws = effort(filter.prefix_bits == 64 ? 40'000 : 10'000);
      for (std::uint64_t i = 0; i < draws; ++i) ++counts[selection.draw(bits, filter).below];
      std::vector<std::uint64_t> observed;
      std::vector<double> expected;
      for (const JointOutcome& outcome : joint_law(problem)) {
        observed.push_back(counts[outcome.below]);
        expected.push_back(outcome.probability.to_double());
      }
      EXPECT_EQ(counts.size(), observed.size()) << s.name;
      EXPECT_GT(chi_square_p(observed, expected), 1e-9) << s.name;
      EXPECT_LT(selection.trials(), 3 * draws) << s.name;
    }
  }
}

}  // namespace
}  // namespace fractile
