#include "quantiles/audit/enumerated_draws.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "support/draws.hpp"
#include "support/profiles.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::FreeDraws;
using testing::profile_of;

const AutoPolicy two_parts = [] {
  AutoPolicy policy;
  policy.subcells = 2;
  policy.short_grid.value = 0;
  policy.shortest_grid.value = 0;
  return policy;
}();

/// The law of a release's indices, by running it with every draw.
OutputLaw law_by_running(const RankProfile& table, const QuantileQuery& query) {
  OutputLaw law;
  EnumeratedDraws draws;
  std::vector<std::uint64_t> indices;
  draws.run([&] { indices = release_with(table, query, draws, two_parts).only().indices; },
            [&](const Enclosure& p, const std::vector<CountedNoise>&) {
              const auto [at, fresh] = law.try_emplace(indices, p);
              if (!fresh) at->second += p;
            });
  return law;
}

void expect_same(const OutputLaw& a, const OutputLaw& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (auto p = a.begin(), q = b.begin(); p != a.end(); ++p, ++q) {
    EXPECT_EQ(p->first, q->first) << what;
    EXPECT_TRUE((p->second - q->second).contains(Rational(0))) << what;
    EXPECT_LT(std::abs(p->second.to_double() - q->second.to_double()), 1e-30) << what;
  }
}

TEST(EnumeratedDraws, HasTheLawOfTheTree) {
  const RankProfile table = profile_of(4, {{1, 1}, {3, 3}, {6, 1}});
  struct Setting {
    Mechanism mechanism;
    std::vector<Rational> quantiles;
  };
  const std::vector<Setting> settings{{Mechanism::exponential, {{1, 3}}},
                                      {Mechanism::approximate, {{1, 4}, {1, 2}, {3, 4}}},
                                      {Mechanism::approximate, {{0}, {1, 5}, {1, 2}, {1}}},
                                      {Mechanism::joint, {{1, 3}, {2, 3}}},
                                      {Mechanism::joint_total, {{1, 3}, {2, 3}}},
                                      {Mechanism::joint_tree, {{1, 5}, {2, 5}, {3, 5}, {4, 5}}}};
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    for (const Setting& setting : settings) {
      QuantileQuery query{setting.quantiles, Budget::pure(Exponent::parse("ln 9")), neighbors, 1, setting.mechanism};
      const QuantilePlan plan = plan_of(query, table.lattice());
      const Calibration calibration(query, plan.recursion().levels);
      const OutputLaw walked =
          quantile_law(QuantileTree(table, query.quantiles, plan.recursion().shape, calibration, 2));
      expect_same(law_by_running(table, query), walked, to_string(setting.mechanism));
    }
  }
}

// A choice by a noisy count, drawn and enumerated.
TEST(EnumeratedDraws, HasTheLawOfNoisyCounts) {
  const std::vector<std::int64_t> borders{-2, 5, 7, 12};
  for (const auto& [budget, count] :
       std::vector<std::pair<Budget, std::int64_t>>{{Budget::pure(Rational(1, 3)), 0},
                                                    {Budget::pure(Rational(1, 3)), 5},
                                                    {Budget::pure(Rational(1, 3)), 6},
                                                    {Budget::pure(Rational(1, 3)), 20},
                                                    {Budget::zcdp(Rational(1, 30)), 5},
                                                    {Budget::zcdp(Rational(1, 30)), 11}}) {
    const QuantileQuery query{{Rational(1, 2)}, budget};
    const CountTreeNoise noise(query, 1);
    std::vector<double> law(borders.size() + 1);
    EnumeratedDraws draws;
    std::size_t reached = 0;
    draws.run(
        [&] {
          Odometer odometer(query.budget, {Neighbors::add_remove, 1});
          reached =
              Draws(draws, odometer).begin("rows", Share::whole(query.budget)).reached_borders(count, noise, borders);
        },
        [&](const Enclosure& p, const std::vector<CountedNoise>&) { law.at(reached) += p.to_double(); });
    EXPECT_NEAR(std::accumulate(law.begin(), law.end(), 0.0), 1, 1e-12);
    RandomBits bits = RandomBits::system();
    FreeDraws free(bits);
    std::vector<std::uint64_t> counts(law.size());
    for (std::uint64_t i = 0; i < effort(20'000); ++i) ++counts[free.part().reached_borders(count, noise, borders)];
    EXPECT_GT(chi_square_p(counts, law), 1e-9) << count;
  }
}

TEST(EnumeratedDraws, TakesEveryWayOnce) {
  for (const Mechanism mechanism : {Mechanism::independent, Mechanism::approximate, Mechanism::joint_total}) {
    QuantileQuery query{{{1, 3}, {2, 3}}, Budget::zcdp(Rational(1, 2)), Neighbors::add_remove, 1, mechanism};
    Enclosure sum = Enclosure::of(Rational(0));
    for (const auto& [output, p] : law_by_running(profile_of(5, {{1, 2}, {5, 2}}), query)) sum += p;
    EXPECT_TRUE(sum.contains(Rational(1))) << to_string(mechanism);
    EXPECT_LT(std::abs(sum.to_double() - 1), 1e-25);
  }
}

}  // namespace
}  // namespace fractile
