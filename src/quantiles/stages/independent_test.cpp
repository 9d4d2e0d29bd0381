#include "quantiles/stages/independent.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "quantiles/audit/independent_test_support.hpp"
#include "support/draws.hpp"
#include "support/neighbors.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::both_relations;
using testing::chi_square_p;
using testing::effort;

IndependentQuantiles asked(std::initializer_list<const char*> texts, Exponent range, Neighbors neighbors,
                           std::uint32_t persons = 1) {
  IndependentQuantiles query{{}, std::move(range), neighbors, persons};
  for (const char* text : texts) query.quantiles.push_back(Rational::parse(text));
  return query;
}

AuditTables tables(std::uint64_t candidates, int records, bool between = false) {
  AuditTables result{Lattice::numbers(candidates), {}, records};
  for (Position p = between ? 0 : 1; p <= 2 * candidates; p += between ? 1 : 2) result.positions.push_back(p);
  return result;
}

std::function<OutputLaw(const RankProfile&)> law_of(const IndependentQuantiles& query) {
  return [query](const RankProfile& profile) { return independent_law(profile, query); };
}

TEST(Independent, HasTheLawThatIsAudited) {
  const RankProfile profile(Lattice::numbers(4), {1, 3, 4, 7}, std::vector<std::uint64_t>{2, 4, 1, 1});
  for (const Neighbors neighbors : both_relations) {
    for (const IndependentQuantiles& query :
         {asked({"1/2"}, Rational(1), neighbors), asked({"1/4", "1/2", "3/4"}, Exponent::parse("ln 3"), neighbors),
          asked({"0", "0.1", "1"}, Rational(2, 3), neighbors, 2)}) {
      for (const Filter filter : {Filter{}, Filter::stress()}) {
        std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
        RandomBits bits = RandomBits::system();
        for (std::uint64_t i = 0; i < effort(filter.prefix_bits == 64 ? 40'000 : 12'000); ++i) {
          ++counts[sample_independent(profile, query, testing::FreeDraws(bits, filter).part())];
        }
        std::vector<std::uint64_t> observed;
        std::vector<double> expected;
        for (const auto& [output, p] : independent_law(profile, query)) {
          observed.push_back(counts[output]);
          expected.push_back(p.to_double());
        }
        EXPECT_EQ(counts.size(), observed.size());  // nothing outside the law
        EXPECT_GT(chi_square_p(observed, expected), 1e-9) << query.quantiles.size();
      }
    }
  }
}

TEST(Independent, IsOrderedAndOnTheLattice) {
  EXPECT_TRUE(rc::check("any data, any quantiles", [] {
    const Lattice lattice =
        Lattice::regular(0, *rc::gen::element<std::int64_t>(0, 1, 5, 200, std::int64_t{1} << 50), 1);
    ProfileBuilder builder(lattice);
    for (const auto value : *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-3, 30))) {
      builder.add(value);
    }
    IndependentQuantiles query{{}, Exponent::parse(*rc::gen::element<std::string>("0.1", "5", "1e-300", "1e300"))};
    for (int i = 0; i <= 20; ++i) query.quantiles.emplace_back(i, 20);
    RandomBits bits = RandomBits::system();
    const auto indices = sample_independent(builder.finish(), query, testing::FreeDraws(bits).part());
    RC_ASSERT(indices.size() == query.quantiles.size());
    RC_ASSERT(std::ranges::is_sorted(indices));
    RC_ASSERT(indices.back() < lattice.size());
  }));
}

TEST(Independent, WithoutNoiseIsTheTrueQuantileHoweverTied) {
  const RankProfile profile(Lattice::numbers(100), {21, 81, 181},
                            std::vector<std::uint64_t>{20, 60, 20});  // at 10, 40 and 90
  RandomBits bits = RandomBits::system();
  const auto query = asked({"0.1", "0.25", "0.5", "0.75", "0.9"}, Exponent::parse("1e6"), Neighbors::add_remove);
  EXPECT_EQ(sample_independent(profile, query, testing::FreeDraws(bits).part()),
            (std::vector<std::uint64_t>{10, 40, 40, 40, 90}));
}

TEST(Independent, RangesKeepTheirBudgets) {
  EXPECT_EQ(independent_range_pure(Exponent::parse("ln 8"), 3), Exponent::parse("ln 2"));
  for (const std::size_t quantiles : {1U, 2U, 7U, 120U}) {
    const auto m = static_cast<std::int64_t>(quantiles);
    const Rational r = independent_range_zcdp(Rational(3, 7), quantiles).coefficient();
    EXPECT_LE(Rational(m) * r * r / Rational(8), Rational(3, 7));
    EXPECT_GT(Rational(m) * r * r / Rational(8), Rational(3, 7) * Rational(999'999, 1'000'000));
    const Rational delta = Rational::parse("1e-6");
    const Exponent approximate = independent_range_approximate(Rational(1), delta, quantiles);
    EXPECT_LE(delta_of_bounded_range(approximate, quantiles, Rational(1)), delta);
    EXPECT_GE(approximate, independent_range_pure(Rational(1), quantiles) * Rational(999'999, 1'000'000));
  }
  EXPECT_GT(independent_range_approximate(Rational(1), Rational::parse("1e-6"), 120), Exponent(Rational(4, 120)));
  EXPECT_THROW(independent_range_pure(Rational(1), 0), Error);
  EXPECT_THROW(independent_range_zcdp(Rational(1), 0), Error);
  EXPECT_THROW(independent_range_approximate(Rational(1), Rational(1, 2), 0), Error);
}

// Each selection is a query for one quantile, and all together must keep the budget.
TEST(IndependentAudit, ThePureBudgetIsKept) {
  for (const Neighbors neighbors : both_relations) {
    const Exponent epsilon = Exponent::parse("ln 3");
    for (const bool between : {false, true}) {
      const AuditTables all = tables(between ? 2 : 4, 3, between);
      const IndependentQuantiles two = asked({"1/3", "2/3"}, independent_range_pure(epsilon, 2), neighbors);
      const IndependentQuantiles three = asked({"0.1", "0.5", "1"}, independent_range_pure(epsilon, 3), neighbors);
      for (const IndependentQuantiles& query : {two, three}) {
        const AuditResult result = audit_pure(all, law_of(query), neighbors, epsilon);
        EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
        EXPECT_GT(result.pairs, 0U);
      }
    }
  }
}

TEST(IndependentAudit, TheZcdpBudgetIsKept) {
  for (const Neighbors neighbors : both_relations) {
    const Rational rho(1, 2);
    const IndependentQuantiles two = asked({"1/4", "1/2"}, independent_range_zcdp(rho, 2), neighbors);
    const IndependentQuantiles three = asked({"0.1", "0.5", "0.9"}, independent_range_zcdp(rho, 3), neighbors);
    for (const IndependentQuantiles& query : {two, three}) {
      const AuditResult result = audit_zcdp(tables(4, 3), law_of(query), neighbors, rho);
      EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    }
  }
}

/// Tables with up to two records at each end and in the middle of 13 candidates.
std::vector<RankProfile> wide_profiles() {
  std::vector<RankProfile> all;
  for (int code = 0; code < 27; ++code) {
    std::vector<Position> positions;
    std::vector<std::uint64_t> counts;
    for (const auto& [position, digit] :
         {std::pair{1, code % 3}, std::pair{13, code / 3 % 3}, std::pair{25, code / 9}}) {
      if (digit == 0) continue;
      positions.push_back(static_cast<Position>(position));
      counts.push_back(static_cast<std::uint64_t>(digit));
    }
    all.emplace_back(Lattice::numbers(13), positions, counts);
  }
  return all;
}

/// Whether one has one record more than the other.
bool differ_by_one(const RankProfile& a, const RankProfile& b) {
  std::uint64_t differences = 0;
  for (const std::uint64_t candidate : {0U, 6U, 12U}) {
    const std::uint64_t counts[] = {a.equal(candidate), b.equal(candidate)};
    differences += std::max(counts[0], counts[1]) - std::min(counts[0], counts[1]);
  }
  return differences == 1;
}

/// sum max(0, P - e^epsilon Q), rounded up a little.
double delta_between(const OutputLaw& p, const OutputLaw& q, const Exponent& epsilon) {
  const Enclosure factor = Enclosure::of(epsilon).exp();
  double delta = 0;
  for (const auto& [output, probability] : p) {
    delta += std::max(0.0, (probability - factor * q.at(output)).upper_double());
  }
  return delta * (1 + 1e-12);
}

double worst_delta(const IndependentQuantiles& query, const Exponent& epsilon) {
  const std::vector<RankProfile> profiles = wide_profiles();
  std::vector<OutputLaw> laws;
  laws.reserve(profiles.size());
  for (const RankProfile& profile : profiles) laws.push_back(independent_law(profile, query));
  double worst = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    for (std::size_t j = 0; j < laws.size(); ++j) {
      if (differ_by_one(profiles[i], profiles[j])) worst = std::max(worst, delta_between(laws[i], laws[j], epsilon));
    }
  }
  return worst;
}

TEST(IndependentAudit, TheApproximateBudgetIsKept) {
  const Exponent epsilon = Rational(1, 2);
  const Rational delta(1, 10);
  const auto with = [&](std::size_t composed) {
    const Exponent range = independent_range_approximate(epsilon, delta, composed);
    return asked({"0.49", "0.5", "0.51"}, range, Neighbors::add_remove);
  };
  EXPECT_LE(worst_delta(with(3), epsilon), delta.to_double());
  EXPECT_GT(worst_delta(with(1), epsilon), delta.to_double());  // each selection as if it were the only one
}

TEST(IndependentAudit, APersonWithSeveralRecordsIsCovered) {
  for (const Neighbors neighbors : both_relations) {
    const Exponent epsilon = Rational(1);
    const auto query = [&](std::uint32_t persons) {
      return asked({"0.4", "0.5"}, independent_range_pure(epsilon, 2), neighbors, persons);
    };
    const AuditTables all = tables(8, 3);
    EXPECT_TRUE(audit_pure(all, law_of(query(2)), neighbors, epsilon, 2).holds);
    EXPECT_FALSE(audit_pure(all, law_of(query(1)), neighbors, epsilon, 2).holds);
    const auto concentrated = asked({"0.4", "0.5"}, independent_range_zcdp(Rational(1, 2), 2), neighbors, 2);
    EXPECT_TRUE(audit_zcdp(tables(4, 3), law_of(concentrated), neighbors, Rational(1, 2), 2).holds);
  }
}

TEST(IndependentAuditMutant, AForgottenCompositionIsCaught) {
  for (const Neighbors neighbors : both_relations) {
    const auto pure = asked({"0.4", "0.5"}, independent_range_pure(Rational(1), 1), neighbors);
    EXPECT_FALSE(audit_pure(tables(4, 3), law_of(pure), neighbors, Rational(1)).holds);
    const auto concentrated = asked({"0.4", "0.5"}, independent_range_zcdp(Rational(1, 2), 1), neighbors);
    EXPECT_FALSE(audit_zcdp(tables(8, 3), law_of(concentrated), neighbors, Rational(1, 2)).holds);
  }
}

TEST(IndependentAuditMutant, AddRemoveRatesForChangedRecordsAreCaught) {
  const auto query = asked({"0.4", "0.5"}, independent_range_pure(Rational(1), 2), Neighbors::add_remove);
  EXPECT_FALSE(audit_pure(tables(8, 3), law_of(query), Neighbors::change_one, Rational(1)).holds);
}

}  // namespace
}  // namespace fractile
