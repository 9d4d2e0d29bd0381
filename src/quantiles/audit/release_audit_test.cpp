// Audits of the shipped program: releases are run with every draw in turn.
#include <gtest/gtest.h>

#include <cmath>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/request_test_support.hpp"
#include "quantiles/audit/zcdp_divergence.hpp"
#include "quantiles/release/release.hpp"
#include "support/neighbors.hpp"

namespace fractile {
namespace {

using testing::both_relations;

std::vector<Rational> evenly(std::int64_t parts) {
  std::vector<Rational> result;
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

/// Expects that the audit certifies the claim, and that the release spends at least this share of it.
void expect_kept(const AuditRequest& asked, double share) {
  const AuditReport report = audit(asked);
  EXPECT_TRUE(report.holds) << asked.mechanism << ' ' << report.attained << ' ' << report.first << ' ' << report.second;
  EXPECT_GE(std::stod(report.attained), share * std::stod(report.claimed)) << asked.mechanism;
}

/// Expects that the audit refutes the same release under a claim that is too small.
void expect_refuted(AuditRequest asked, const Budget& claim) {
  asked.claim = claim;
  EXPECT_FALSE(audit(asked).holds) << asked.mechanism;
}

// --- Branches of a release ------------------------------------------------------------------------------------------

TEST(ReleaseAudit, CountsOnATreeSpendAllOfTheBudget) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest pure = request("tree", 3, 5, "ln 3");
    pure.neighbors = neighbors;
    expect_kept(pure, 0.999999);
    expect_refuted(pure, Budget::pure(Exponent(1)));
    AuditRequest zcdp{"tree", 3, 5, Budget::zcdp(Rational(1, 2))};
    zcdp.neighbors = neighbors;
    expect_kept(zcdp, 0.999999);
    expect_refuted(zcdp, Budget::zcdp(Rational(499, 1000)));
  }
}

// Eleven candidates: a granularity of one or ten, and heaps on fives, sevens, eights and tens.
AuditRequest with_preliminary_selections(const std::string& mechanism, const std::vector<Rational>& quantiles,
                                         const Budget& budget) {
  AuditRequest asked{mechanism, 2, 3, budget};
  asked.lattice = Lattice::regular(0, 10, 1);
  asked.quantiles = quantiles;
  asked.base = Base::adaptive;
  return asked;
}

TEST(ReleaseAudit, GranularityAndHeapsArePartsOfTheWhole) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = with_preliminary_selections("joint-total", {Rational(1, 2)}, Budget::pure(Rational(4)));
    asked.neighbors = neighbors;
    expect_kept(asked, 0.45);
    expect_refuted(asked, Budget::pure(Rational(19, 10)));
  }
  expect_kept(with_preliminary_selections("exponential", {Rational(1, 2)}, Budget::zcdp(Rational(1, 2))), 0.2);
}

// Pure privacy with many quantiles: the preliminary selections decide whether cells are counted.
TEST(ReleaseAudit, AutoCountsWhatItFindsOrElse) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest many = with_preliminary_selections("auto", evenly(6), Budget::pure(Rational(2)));
    many.base = Base::by_mechanism;
    many.neighbors = neighbors;
    expect_kept(many, 0.999);
    expect_refuted(many, Budget::pure(Rational(19, 10)));
    // Three are counted only where heaps were found.
    AuditRequest few = with_preliminary_selections("auto", evenly(4), Budget::pure(Rational(2)));
    few.lattice =
        Lattice::regular(1, 11, 1);  // no multiples of ten but ten: heaps on fives are all there is to be found
    few.records = 1;
    few.values = 2;
    few.neighbors = neighbors;
    few.expected_rows = 1'000'000;  // whose number does not matter
    expect_kept(few, 0.9);
    expect_refuted(few, Budget::pure(Rational(9, 5)));
  }
}

// The number of records decides which preliminary selections are made and how many quantiles are selected.
TEST(ReleaseAudit, RecordsAreCountedWithinTheWhole) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = with_preliminary_selections("auto", evenly(4), Budget::pure(Rational(6)));
    asked.base = Base::by_mechanism;
    asked.lattice = Lattice::regular(1, 11, 1);
    asked.expected_rows = 1;
    asked.neighbors = neighbors;
    expect_kept(asked, 0.3);
    expect_refuted(asked, Budget::pure(Rational(6, 5)));
  }
}

TEST(ReleaseAudit, BoundsArePartOfTheWhole) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = request("exponential", 2, 5, "4");
    asked.quantiles = {Rational(1)};
    asked.doublings = 1;
    asked.bounds_share = Rational(1, 4);
    asked.neighbors = neighbors;
    expect_kept(asked, 0.6);
    expect_refuted(asked, Budget::pure(Rational(2)));
    AuditRequest counted = request("tree", 2, 5, "2");
    counted.doublings = 1;
    counted.neighbors = neighbors;
    expect_kept(counted, 0.9);
  }
}

// Bins and the centered sum have noise of the scales of their proof, whatever a record says and wherever it moves; the whole is spent.
TEST(ReleaseAudit, CountsAndMeansArePartOfTheWhole) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t records : {1U, 2U}) {
      for (const bool mean : {false, true}) {
        for (const std::vector<Rational>& below :
             {std::vector<Rational>{}, {Rational(1)}, {Rational(1), Rational(4)}}) {
          AuditRequest asked = request("tree", 3, 5, "2");
          asked.neighbors = neighbors;
          asked.records_per_person = records;
          asked.statistics = StatisticsRequest{below, mean, Rational(1, 4)};
          // One count alone is not moved by a replaced record, but by one that is dropped.
          const bool all_is_spent = neighbors == Neighbors::add_remove || !below.empty();
          expect_kept(asked, all_is_spent ? 0.999999 : 0.74);
          expect_refuted(asked, Budget::pure(Rational(6, 5)));
          asked.budget = Budget::zcdp(Rational(1, 2));
          asked.mechanism = "tree";
          expect_kept(asked, all_is_spent ? 0.999999 : 0.74);
        }
      }
    }
  }
}

// Stages take their parts of what counts and means leave: a count of the rows, a granularity, heaps, levels.
TEST(ReleaseAudit, StagesShareWhatCountsLeave) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = with_preliminary_selections("joint-total", {Rational(1, 2)}, Budget::pure(Rational(4)));
    asked.neighbors = neighbors;
    asked.statistics = StatisticsRequest{{Rational(5)}, true, Rational(1, 2)};
    expect_kept(asked, 0.45);
    asked.mechanism = "auto";
    asked.quantiles = evenly(4);
    asked.base = Base::by_mechanism;
    asked.lattice = Lattice::regular(1, 11, 1);
    asked.expected_rows = 1;
    expect_kept(asked, 0.3);
  }
}

TEST(ReleaseAudit, CountsOfGroupsTogetherKeepThePromise) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = request("tree", 2, 3, "2");
    asked.groups = true;
    asked.neighbors = neighbors;
    asked.records_per_person = 2;
    asked.statistics = StatisticsRequest{{Rational(1)}, true, Rational(1, 2)};
    expect_kept(asked, 0.999);
    expect_refuted(asked, Budget::pure(Rational(19, 10)));
    asked.doublings = 1;
    asked.statistics->mean = false;
    asked.bounds_share = Rational(1, 4);
    expect_kept(asked, 0.5);
  }
}

TEST(ReleaseAudit, GroupsTogetherKeepThePromise) {
  for (const Neighbors neighbors : both_relations) {
    AuditRequest asked = request("exponential", 2, 4, "2");
    asked.groups = true;
    asked.neighbors = neighbors;
    expect_kept(asked, 0.35);
    AuditRequest two = asked;
    two.records_per_person = 2;
    expect_kept(two, 0.35);
    AuditRequest counted = request("tree", 2, 3, "2");
    counted.groups = true;
    counted.neighbors = neighbors;
    counted.records_per_person = 2;
    expect_kept(counted, 0.999);
    expect_refuted(counted, Budget::pure(Rational(19, 10)));
  }
}

TEST(ReleaseAudit, PersonsOfTwoRecordsAreCovered) {
  for (const char* mechanism : {"exponential", "approximate", "joint-total", "independent", "tree"}) {
    AuditRequest asked = request(mechanism, 3, 3, "2");
    asked.quantiles = std::string(mechanism) == "exponential" ? evenly(2) : evenly(3);
    asked.records_per_person = 2;
    expect_kept(asked, 0.1);
  }
}

// --- Mutants --------------------------------------------------------------------------------------------------------

/// Adds records to a table before it is released, or changes what is charged: what a release with a mistake would do.
ReleaseLaw law_of(const std::function<Release::Group(DrawSource&)>& drawn) {
  ReleaseLaw law;
  EnumeratedDraws draws;
  std::vector<std::uint64_t> output;
  draws.run([&] { output = drawn(draws).indices; },
            [&](const Enclosure& p, const std::vector<CountedNoise>& noises) {
              if (!noises.empty()) output.clear();
              const auto [at, fresh] = law.try_emplace(output, ReleaseOutcome{p, noises});
              if (!fresh) at->second.probability += p;
            });
  return law;
}

AuditTables line(std::uint64_t candidates, int records) {
  AuditTables tables{Lattice::numbers(candidates), {}, records};
  for (std::uint64_t c = 0; c < candidates; ++c) tables.positions.push_back(2 * c + 1);
  return tables;
}

const AutoPolicy miniature = [] {
  AutoPolicy policy = audit_policy();
  policy.always_selected.value = 4;
  policy.fewest_to_find.value = 300;
  return policy;
}();

// A release that is paid for twice the budget that it promises, by every mechanism that selects or counts.
TEST(ReleaseAuditMutant, ADoubledShareIsCaught) {
  for (const Mechanism mechanism :
       {Mechanism::exponential, Mechanism::joint_total, Mechanism::independent, Mechanism::tree}) {
    QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(4)), Neighbors::add_remove, 1, mechanism};
    const auto law = [&](const RankProfile& table) {
      return law_of([&](DrawSource& source) {
        return ReleaseSampler(query, PersonSteps::in_table(query), miniature)
            .sample(table, Share::whole(Budget::pure(Rational(8))), source);
      });
    };
    EXPECT_FALSE(audit_pure(line(6, 3), law, query.neighbors, query.budget.epsilon()).holds) << to_string(mechanism);
  }
}

// Groups that run with rates for one record when a person has two: the odometer is told of one, so only the audit can see it.
TEST(ReleaseAuditMutant, AForgottenRecordIsCaught) {
  for (const Mechanism mechanism : {Mechanism::exponential, Mechanism::tree}) {
    QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(2)), Neighbors::add_remove, 1, mechanism};
    const auto law = [&](const RankProfile& table) {
      return law_of([&](DrawSource& source) { return release_with(table, query, source, miniature).only(); });
    };
    EXPECT_TRUE(audit_pure(line(4, 3), law, query.neighbors, query.budget.epsilon()).holds);
    EXPECT_FALSE(audit_pure(line(4, 3), law, query.neighbors, query.budget.epsilon(), 2).holds);
  }
}

// --- Every order ----------------------------------------------------------------------------------------------------

// The claim passes at the orders 1.01, 1.5, 2, 3, 5, 10, 30 and 100; order 1.2 exceeds it.
TEST(ReleaseAudit, ZcdpIsCertifiedBetweenTheOrdersToo) {
  AuditRequest asked{"exponential", 3, 8, Budget::zcdp(Rational(1, 2))};
  asked.claim = Budget::zcdp(Rational::parse("0.343"));
  EXPECT_FALSE(audit(asked).holds);
  asked.claim = Budget::zcdp(Rational::parse("0.345"));
  EXPECT_TRUE(audit(asked).holds);
}

std::vector<Likelihoods> laws(const std::vector<Rational>& p, const std::vector<Rational>& q) {
  std::vector<Likelihoods> outcomes;
  for (std::size_t i = 0; i < p.size(); ++i) outcomes.push_back({Enclosure::of(p[i]), Enclosure::of(q[i])});
  return outcomes;
}

double largest_on_a_grid(const std::vector<Likelihoods>& pair) {
  double largest = 0;
  for (int i = 1; i < 4000; ++i) {
    const Rational order = Rational::from_double(1 + std::exp(-12 + i * 0.005));
    largest = std::max(largest, renyi_divergence(pair, order).to_double() / order.to_double());
  }
  return largest;
}

TEST(RenyiSlope, EnclosesTheLargestOnAFineGridOfOrders) {
  const std::vector<std::vector<Likelihoods>> pairs{
      laws({{3, 4}, {1, 4}}, {{1, 4}, {3, 4}}),          // randomized response
      laws({{1, 2}, {1, 2}}, {{1, 1000}, {999, 1000}}),  // the largest at small orders
      laws({{1, 1000}, {999, 1000}}, {{1, 2}, {1, 2}}),
      laws({{1, 5}, {1, 5}, {3, 5}}, {{1, 4}, {1, 4}, {1, 2}}),
      laws({{1, 100'000}, {99'999, 100'000}}, {{1, 10'000'000}, {9'999'999, 10'000'000}}),  // at large ones
  };
  for (const std::vector<Likelihoods>& pair : pairs) {
    const RenyiSlope slope = largest_renyi_slope(pair, Rational(100), Rational(0));
    const double largest = largest_on_a_grid(pair);
    EXPECT_GE(slope.upper.to_double(), largest);
    EXPECT_LE(slope.upper.to_double(), largest * 1.0015);
    EXPECT_LE(slope.lower, slope.upper);
  }
}

TEST(RenyiSlope, LooksCloselyAtTheClaim) {
  const std::vector<Likelihoods> pair = laws({{3, 4}, {1, 4}}, {{1, 4}, {3, 4}});
  const double largest = largest_on_a_grid(pair);
  const Rational above = Rational::from_double(largest * 1.0001);
  EXPECT_LE(largest_renyi_slope(pair, above, Rational(0)).upper, above);
  const Rational below = Rational::from_double(largest * 0.9999);
  EXPECT_GT(largest_renyi_slope(pair, below, Rational(0)).upper, below);
  // It is examined only as closely as it takes to be at most 2.
  EXPECT_LE(largest_renyi_slope(pair, Rational(100), Rational(2)).upper, Rational(2));
}

}  // namespace
}  // namespace fractile
