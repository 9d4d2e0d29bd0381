#include "quantiles/release/private_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "exact/law.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/independent_test_support.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "quantiles/draws/odometer.hpp"
#include "quantiles/stages/plan.hpp"
#include "ranks/span.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::profile_of;

const BoundsSearch small{Rational(1), 2};  // -4 .. 4: nine candidates, seven bounds

/// A budget in two parts.
struct Parted {
  Budget bounds;
  Budget rest;
};

Parted parted(const Budget& budget, const Rational& share) {
  Share rest = Share::whole(budget);
  const Budget bounds = rest.take(share).amount();
  return {bounds, rest.amount()};
}

QuantileQuery approximate_query(std::initializer_list<const char*> quantiles, const Budget& budget) {
  QuantileQuery query{{}, budget};
  for (const char* q : quantiles) query.quantiles.push_back(Rational::parse(q));
  query.mechanism = Mechanism::approximate;
  return query;
}

/// Adds the law of the bounds, lowest and highest, and of the quantiles within them.
void add_release(OutputLaw& law, const RankProfile& profile, std::pair<std::uint64_t, std::uint64_t> bounds,
                 const QuantileQuery& rest, const Enclosure& p) {
  const auto [lowest, highest] = bounds;
  const RankProfile within = clamped(profile, lowest, highest);
  const Calibration calibration(rest, levels_for(rest.quantiles.size()));
  const std::uint64_t subcells = 2;
  const QuantileTree tree(within, rest.quantiles, calibration, subcells);
  for (const auto& [output, q] : quantile_law(tree)) {
    std::vector<std::uint64_t> whole{lowest, highest};
    whole.insert(whole.end(), output.begin(), output.end());
    const auto [at, fresh] = law.try_emplace(whole, p * q);
    if (!fresh) at->second += p * q;
  }
}

/// The exact law of a release that finds its bounds.
OutputLaw law_of(const RankProfile& profile, const QuantileQuery& query, const Rational& share,
                 const Budget& for_quantiles) {
  const std::vector<std::uint64_t> candidates = bound_candidates(small);
  QuantileQuery rest = query;
  rest.budget = for_quantiles;
  const BoundsQuery bounds = bounds_query(query, parted(query.budget, share).bounds);
  const OutputLaw lower_law = independent_law(on_bounds({&profile, 1}, candidates, Rounding::down), bounds.lower);
  const OutputLaw upper_law = independent_law(on_bounds({&profile, 1}, candidates, Rounding::up), bounds.upper);
  OutputLaw law;
  for (const auto& [lower, p] : lower_law) {
    for (const auto& [upper, q] : upper_law) {
      add_release(law, profile, std::minmax(candidates[lower[0]], candidates[upper[0]]), rest, p * q);
    }
  }
  return law;
}

AuditTables all_tables(int records) {
  AuditTables tables{small.lattice(), {}, records};
  for (Position p = 1; p < 18; p += 2) tables.positions.push_back(p);
  return tables;
}

AuditResult pure_audit(const QuantileQuery& query, const Rational& share, const Budget& for_quantiles, int records) {
  const auto law = [&](const RankProfile& profile) { return law_of(profile, query, share, for_quantiles); };
  return audit_pure(all_tables(records), law, query.neighbors, query.budget.epsilon());
}

TEST(PrivateBoundsAudit, KeepsTheBudget) {
  const Rational share(1, 4);
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    for (QuantileQuery query : {approximate_query({"1/4", "1/2", "3/4"}, Budget::pure(Exponent::parse("1"))),
                                approximate_query({"0.9"}, Budget::pure(Exponent::parse("ln 3"))),
                                approximate_query({"1"}, Budget::pure(Rational(4)))}) {
      query.neighbors = neighbors;
      const int records = query.quantiles.size() > 1 ? 1 : 2;
      const AuditResult result = pure_audit(query, share, parted(query.budget, share).rest, records);
      EXPECT_TRUE(result.holds) << to_string(neighbors) << ' ' << result.attained.to_string();
    }
    QuantileQuery query = approximate_query({"1/2"}, Budget::zcdp(Rational(1, 2)));
    query.neighbors = neighbors;
    const auto law = [&](const RankProfile& profile) {
      return law_of(profile, query, share, parted(query.budget, share).rest);
    };
    EXPECT_TRUE(audit_zcdp(all_tables(2), law, neighbors, query.budget.rho()).holds);
  }
}

// The maximum, whose score moves one way only, spends nearly all of it.
TEST(PrivateBoundsAudit, OfTheMaximumIsTight) {
  const QuantileQuery query = approximate_query({"1"}, Budget::pure(Rational(4)));
  const AuditResult result = pure_audit(query, Rational(1, 4), parted(query.budget, Rational(1, 4)).rest, 2);
  EXPECT_TRUE(result.holds);
  EXPECT_GT(result.attained.to_double(), 3);
}

TEST(PrivateBoundsMutant, TheWholeBudgetAgainIsCaught) {
  const QuantileQuery query = approximate_query({"1"}, Budget::pure(Rational(4)));
  EXPECT_FALSE(pure_audit(query, Rational(1, 2), query.budget, 2).holds);
}

TEST(PrivateBoundsMutant, BoundsReadOffTheDataAreCaught) {
  const QuantileQuery query = approximate_query({"1/2"}, Budget::pure(Rational(1)));
  const std::vector<std::uint64_t> candidates = bound_candidates(small);
  const auto law = [&](const RankProfile& profile) {
    const RankProfile among = on_bounds({&profile, 1}, candidates, Rounding::up);
    std::pair<std::uint64_t, std::uint64_t> extremes{candidates.front(), candidates.back()};
    if (among.records() > 0) {
      extremes = {candidates[among.position(0) / 2], candidates[among.position(among.distinct() - 1) / 2]};
    }
    OutputLaw result;
    add_release(result, profile, extremes, query, Enclosure::of(Rational(1)));
    return result;
  };
  EXPECT_THROW(audit_pure(all_tables(2), law, query.neighbors, Rational(1)),
               Error);  // outputs differ: no epsilon at all
}

TEST(PrivateBounds, HaveTheLawThatIsAudited) {
  const QuantileQuery query = approximate_query({"1/2"}, Budget::pure(Rational(2)));
  const Rational share(1, 2);
  const RankProfile profile = profile_of(small.lattice(), {{9, 3}, {13, 2}});
  // One quantile is drawn among candidates, so the law does not depend on the parts of cells.
  const OutputLaw law = law_of(profile, query, share, parted(query.budget, share).rest);
  std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
  RandomBits bits = RandomBits::system();
  const Rational origin = small.lattice().lower();
  for (std::uint64_t i = 0; i < effort(60'000); ++i) {
    const Release release = fractile::release(profile, {query, BoundsToFind{small, share}}, bits);
    const auto index = [&](const Rational& value) { return (value - origin).to_uint64(); };
    ++counts[{index(release.lattice.lower()), index(release.lattice.upper()), release.only().indices[0]}];
  }
  std::vector<std::uint64_t> observed;
  std::vector<double> expected;
  for (const auto& [output, p] : law) {
    observed.push_back(counts[output]);
    expected.push_back(p.to_double());
  }
  EXPECT_EQ(counts.size(), law.size());
  EXPECT_GT(chi_square_p(observed, expected), 1e-9);
}

TEST(PrivateBounds, PartTheBudgetExactly) {
  const Rational share(1, 10);
  const Parted parts = parted(Budget::pure(Exponent::parse("2 ln 3")), share);
  EXPECT_EQ(parts.bounds.to_string(), "epsilon = 1/5 ln 3");
  EXPECT_EQ(parts.rest.to_string(), "epsilon = 9/5 ln 3");
  EXPECT_EQ(parted(Budget::zcdp(Rational(1, 2)), share).rest.to_string(), "rho = 9/20");
  const Parted approximate = parted(Budget::approximate(Rational(1), Rational(1, 1000)), share);
  EXPECT_EQ(approximate.bounds.to_string(), "epsilon = 1/10");
  EXPECT_EQ(approximate.rest.to_string(), "epsilon = 9/10, delta = 1/1000");
}

TEST(PrivateBounds, HoldTheQuantilesOfAnyScale) {
  RandomBits bits = RandomBits::system();
  for (const char* scale : {"0.01", "1", "1000000", "-5000"}) {
    const BoundsSearch search{Rational(1, 100)};
    const double unit = Rational::parse(scale).to_double();
    ProfileBuilder builder(search.lattice());
    for (int i = 1; i <= 2000; ++i) builder.add(unit * i);
    const RankProfile profile = builder.finish();
    QuantileQuery query = approximate_query({"1/4", "1/2", "3/4"}, Budget::pure(Rational(2)));
    query.mechanism = Mechanism::automatic;
    const Release release = fractile::release(profile, {query, BoundsToFind{search, Rational(1, 10)}}, bits);
    EXPECT_EQ(release.cost().to_string(), "epsilon = 2");
    for (std::size_t i = 0; i < 3; ++i) {
      const double expected = unit * 500 * static_cast<double>(unit > 0 ? i + 1 : 3 - i);
      EXPECT_NEAR(release.value(i).to_double(), expected, std::abs(unit) * 150) << scale;
    }
    EXPECT_LE(release.lattice.upper() - release.lattice.lower(), Rational::parse("100000000000"));
  }
}

TEST(PrivateBounds, TakeWhateverThereIs) {
  RandomBits bits = RandomBits::system();
  const BoundsSearch search{Rational(1)};
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0.0}, {1e300, -1e300, 1e18}, std::vector<double>(1000, -7.0)}) {
    ProfileBuilder builder(search.lattice());
    for (const double value : values) builder.add(value);
    const Release release = fractile::release(
        builder.finish(),
        {approximate_query({"0", "1/2", "1"}, Budget::pure(Rational(50))), BoundsToFind{search, Rational(1, 2)}}, bits);
    EXPECT_LE(release.lattice.lower(), release.lattice.upper());  // equal in one case of 123 where there is no data
    // For the quantiles 0 and 1, about one search in 58^2 finds the two outermost bounds. Between them, no tie can be divided.
    if (values.size() == 1000 && subcells_for(release.lattice.size()) > 1) {
      EXPECT_EQ(release.value(1), Rational(-7));
    }
  }
  const RankProfile profile(small.lattice(), {}, {});
  const QuantileQuery query = approximate_query({"1/2"}, Budget::pure(Rational(1)));
  EXPECT_THROW(release(profile, {query, BoundsToFind{small, Rational(0)}}, bits), Error);
  EXPECT_THROW(release(profile, {query, BoundsToFind{small, Rational(1)}}, bits), Error);
  EXPECT_THROW(release(profile, {query, BoundsToFind{search, Rational(1, 2)}}, bits), Error);
  const BoundsSearch halves{Rational(1, 2), small.doublings};  // as many candidates
  EXPECT_THROW(release(profile, {query, BoundsToFind{halves, Rational(1, 2)}}, bits), Error);
  EXPECT_THROW((BoundsSearch{Rational(1), 61}.lattice()), Error);
}

TEST(PrivateBounds, AreBoundsOfTheirOwnLattice) {
  EXPECT_EQ(bound_candidates(small), (std::vector<std::uint64_t>{0, 2, 3, 4, 5, 6, 8}));  // -4 -2 -1 0 1 2 4
  const BoundsSearch search{Rational(1, 2), 60};
  EXPECT_EQ(bound_candidates(search).size(), 123U);
  EXPECT_EQ(search.lattice().at(bound_candidates(search)[61]), Rational(0));
  const RankProfile profile = profile_of(small.lattice(), {{1, 1}, {3, 2}, {7, 4}, {15, 8}});  // -4, -3, -1, 3
  const std::vector<std::uint64_t> bounds = bound_candidates(small);
  EXPECT_EQ(on_bounds({&profile, 1}, bounds, Rounding::down), profile_of(7, {{1, 3}, {5, 4}, {11, 8}}));
  EXPECT_EQ(on_bounds({&profile, 1}, bounds, Rounding::up), profile_of(7, {{1, 1}, {3, 2}, {5, 4}, {13, 8}}));
}

}  // namespace
}  // namespace fractile
