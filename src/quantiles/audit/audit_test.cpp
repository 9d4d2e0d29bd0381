#include "quantiles/audit/audit.hpp"

#include <gtest/gtest.h>

#include "exact/law.hpp"
#include "fractile/error.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "support/neighbors.hpp"

namespace fractile {
namespace {

using testing::both_relations;

std::vector<Rational> quantiles(std::initializer_list<const char*> texts) {
  std::vector<Rational> result;
  for (const char* text : texts) result.push_back(Rational::parse(text));
  return result;
}

AuditTables tables(std::uint64_t candidates, int records, bool between = false) {
  AuditTables result{Lattice::numbers(candidates), {}, records};
  for (Position p = between ? 0 : 1; p <= 2 * candidates; p += between ? 1 : 2) result.positions.push_back(p);
  return result;
}

/// Records at both ends and around the middle of many candidates: the empty runs make the bounds nearly tight.
AuditTables wide_tables(std::uint64_t candidates, int records) {
  const std::uint64_t middle = candidates / 2;
  return {Lattice::numbers(candidates), {1, 2 * middle - 1, 2 * middle + 1, 2 * candidates - 1}, records};
}

/// The law of the released mechanism, on cells of `subcells` parts.
std::function<OutputLaw(const RankProfile&)> law_of(const QuantileQuery& query, std::uint64_t subcells,
                                                    int levels = 0) {
  return [=](const RankProfile& profile) {
    const Calibration calibration(query, levels == 0 ? levels_for(query.quantiles.size()) : levels);
    return quantile_law(QuantileTree(profile, query.quantiles, calibration, subcells));
  };
}

void expect_tight(const AuditResult& result, double claimed, double share) {
  EXPECT_TRUE(result.holds) << result.first << " attains " << result.attained.to_string();
  EXPECT_GE(result.attained.to_double(), share * claimed) << result.first;
  EXPECT_GT(result.pairs, 0U);
}

QuantileQuery pure_query(std::vector<Rational> q, const char* epsilon, Neighbors neighbors) {
  QuantileQuery query{std::move(q), Budget::pure(Exponent::parse(epsilon))};
  query.neighbors = neighbors;
  return query;
}

QuantileQuery zcdp_query(std::vector<Rational> q, const char* rho, Neighbors neighbors) {
  QuantileQuery query{std::move(q), Budget::zcdp(Rational::parse(rho))};
  query.neighbors = neighbors;
  return query;
}

/// The runs of candidates of a table with ten records at 50 and one at 0 or at 10^6, and their probabilities.
std::vector<Enclosure> law_with_one_record_at(std::uint64_t value, std::vector<Run>& runs) {
  const std::uint64_t candidates = 1'000'001;
  const QuantileQuery query = pure_query(quantiles({"0.5"}), "1", Neighbors::add_remove);
  std::vector<Position> positions{2 * 50 + 1, 2 * value + 1};
  std::vector<std::uint64_t> counts{10, 1};
  if (value < 50) {
    std::swap(positions[0], positions[1]);
    std::swap(counts[0], counts[1]);
  }
  const RankProfile profile(Lattice::numbers(candidates), positions, counts);
  const Calibration calibration(query, 1);
  const QuantileTree tree(profile, query.quantiles, calibration, 2);
  runs = runs_of(tree.candidates(std::get<LeafNode>(tree.root())));
  return softmax_law(runs, tree.rate(tree.root()));
}

/// Two tables where one person's record says different things are two steps of add-remove apart, and the odds between them move by
/// nearly e^(2 epsilon): no statement about values is bounded by e^epsilon.
TEST(Audit, WhatARecordSaysMovesTwiceAsFarUnderAddRemove) {
  std::vector<fractile::Run> low_runs;
  std::vector<fractile::Run> high_runs;
  const std::vector<Enclosure> low = law_with_one_record_at(0, low_runs);
  const std::vector<Enclosure> high = law_with_one_record_at(1'000'000, high_runs);
  double furthest = 0;
  for (std::size_t i = 0; i < low_runs.size(); ++i) {
    for (std::size_t j = 0; j < high_runs.size(); ++j) {
      const fractile::Run& a = low_runs[i];
      const fractile::Run& b = high_runs[j];
      if (a.start >= b.start + b.length || b.start >= a.start + a.length) continue;  // no candidate is in both
      const auto each = [](const Enclosure& mass, const fractile::Run& run) {
        return mass / Enclosure::of_whole(run.length);
      };
      const Enclosure ratio = (each(low[i], a) / each(high[j], b)).log();
      EXPECT_TRUE(certainly_at_most(ratio, Enclosure::of(Rational(2))));
      furthest = std::max({furthest, ratio.lower_double(), -ratio.upper_double()});
    }
  }
  EXPECT_GT(furthest, 1.999);
}

// Wide lattices make the bound nearly tight: an empty run of many candidates carries the normalizer.
TEST(Audit, OneQuantileKeepsItsPromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const char* q : {"0", "0.1", "1/3", "1/2", "0.9", "1"}) {
      const QuantileQuery query = pure_query(quantiles({q}), "1", neighbors);
      const AuditResult result = audit_pure(tables(4, 4), law_of(query, 1), neighbors, query.budget.epsilon());
      EXPECT_TRUE(result.holds) << q << " " << result.first << " " << result.attained.to_string();
      const AuditResult gaps = audit_pure(tables(3, 3, true), law_of(query, 1), neighbors, query.budget.epsilon());
      EXPECT_TRUE(gaps.holds) << q << " " << gaps.first << " " << gaps.attained.to_string();
    }
  }
}

TEST(Audit, OneQuantileSpendsNearlyAllItMay) {
  // 2^30 candidates, of which few can hold records.
  AuditTables wide{Lattice::numbers(std::uint64_t{1} << 30), {1, 3, 2 * 1000 + 1, (std::uint64_t{1} << 31) - 1}, 4};
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = pure_query(quantiles({"1/2"}), "1", neighbors);
    const auto law = [&](const RankProfile& profile) {
      // Probabilities by run: outputs within a run are equally likely, so a run's ratio is its outputs' ratio. Runs differ
      // between neighbors, so compare at fixed representatives.
      const Calibration calibration(query, 1);
      const QuantileTree tree(profile, query.quantiles, calibration, 1);
      const auto runs = runs_of(tree.candidates(std::get<LeafNode>(tree.root())));
      const std::vector<Enclosure> masses = softmax_law(runs, tree.rate(tree.root()));
      OutputLaw result;
      for (const std::uint64_t c : {0ULL, 1ULL, 2ULL, 999ULL, 1000ULL, 1001ULL, (1ULL << 30) - 2, (1ULL << 30) - 1}) {
        for (std::size_t k = 0; k < runs.size(); ++k) {
          if (c < runs[k].start || c >= runs[k].start + runs[k].length) continue;
          result[{c}] = masses[k] / Enclosure::of(Rational(runs[k].length));
        }
      }
      return result;
    };
    expect_tight(audit_pure(wide, law, neighbors, query.budget.epsilon()), 1, 0.95);
  }
}

TEST(Audit, ApproximateQuantilesKeepTheirPromise) {
  struct Setting {
    std::vector<Rational> q;
    std::uint64_t candidates, subcells;
    int records;
  };
  const std::vector<Setting> settings{{quantiles({"1/3", "2/3"}), 4, 2, 3},
                                      {quantiles({"1/4", "1/2", "3/4"}), 3, 4, 3},
                                      {quantiles({"0.1", "0.5", "0.9"}), 3, 2, 3},
                                      {quantiles({"0", "1/2", "1"}), 3, 2, 3},
                                      {quantiles({"1/5", "2/5", "3/5", "4/5"}), 2, 2, 3}};
  for (const Neighbors neighbors : both_relations) {
    for (const Setting& s : settings) {
      const QuantileQuery query = pure_query(s.q, "ln 3", neighbors);
      const AuditResult result =
          audit_pure(tables(s.candidates, s.records), law_of(query, s.subcells), neighbors, query.budget.epsilon());
      EXPECT_TRUE(result.holds) << s.q.size() << " " << result.first << " " << result.attained.to_string();
    }
  }
}

TEST(Audit, ZcdpBudgetsAreKept) {
  for (const Neighbors neighbors : both_relations) {
    for (const Rates rate : {Rates::tight, Rates::as_published}) {
      for (const auto& q : {quantiles({"1/2"}), quantiles({"0.1"}), quantiles({"1/4", "1/2", "3/4"}),
                            quantiles({"0.1", "0.2", "0.9"})}) {
        QuantileQuery query = zcdp_query(q, "1/2", neighbors);
        query.rates = rate;
        const AuditResult result = audit_zcdp(tables(3, 3), law_of(query, 2), neighbors, query.budget.rho());
        EXPECT_TRUE(result.holds) << q.size() << " " << result.first << " " << result.attained.to_string();
      }
    }
  }
}

TEST(Audit, APersonWithSeveralRecordsIsCovered) {
  for (const Neighbors neighbors : both_relations) {
    QuantileQuery query = pure_query(quantiles({"0.2", "0.5", "0.9"}), "1", neighbors);
    query.records_per_person = 2;
    EXPECT_TRUE(audit_pure(wide_tables(10, 4), law_of(query, 1), neighbors, query.budget.epsilon(), 2).holds);
    QuantileQuery median = pure_query(quantiles({"0.5"}), "1", neighbors);
    EXPECT_FALSE(audit_pure(wide_tables(10, 4), law_of(median, 1), neighbors, query.budget.epsilon(), 2).holds);
    median.records_per_person = 2;
    EXPECT_TRUE(audit_pure(wide_tables(10, 4), law_of(median, 1), neighbors, query.budget.epsilon(), 2).holds);
    QuantileQuery concentrated = zcdp_query(quantiles({"1/2"}), "1/2", neighbors);
    concentrated.records_per_person = 2;
    EXPECT_TRUE(audit_zcdp(tables(3, 4), law_of(concentrated, 2), neighbors, concentrated.budget.rho(), 2).holds);
  }
}

// Mutants are wrong mechanisms, which the audit must refute.

TEST(AuditMutant, DoubledSlopeIsCaught) {
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery twice = pure_query(quantiles({"1/2"}), "2", neighbors);
    EXPECT_FALSE(audit_pure(tables(4, 4), law_of(twice, 1), neighbors, Exponent::parse("1")).holds);
    const QuantileQuery three = pure_query(quantiles({"1/4", "1/2", "3/4"}), "12", neighbors);
    EXPECT_FALSE(audit_pure(wide_tables(10, 4), law_of(three, 1), neighbors, Exponent::parse("6")).holds);
  }
}

TEST(AuditMutant, SensitivityInPlaceOfRangeIsCaught) {
  // rate = epsilon / max(num, den - num), without the factor 2 that a score without monotonicity pays.
  const QuantileQuery query = pure_query(quantiles({"1/3"}), "1", Neighbors::add_remove);
  const auto law = [&](const RankProfile& profile) {
    const Calibration honest(query, 1);
    const QuantileTree tree(profile, query.quantiles, honest, 1);
    const auto runs = runs_of(tree.candidates(std::get<LeafNode>(tree.root())));
    const std::vector<Enclosure> masses = softmax_law(runs, tree.rate(tree.root()) * Rational(2));
    OutputLaw result;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      for (std::uint64_t i = 0; i < runs[k].length; ++i) {
        result[{runs[k].start + i}] = masses[k] / Enclosure::of(Rational(runs[k].length));
      }
    }
    return result;
  };
  EXPECT_FALSE(audit_pure(tables(4, 4), law, Neighbors::add_remove, Exponent::parse("1")).holds);
}

TEST(AuditMutant, ForgottenLevelsAreCaught) {
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = pure_query(quantiles({"1/4", "1/2", "3/4"}), "6", neighbors);
    EXPECT_TRUE(audit_pure(wide_tables(10, 4), law_of(query, 1, 2), neighbors, query.budget.epsilon()).holds);
    EXPECT_FALSE(audit_pure(wide_tables(10, 4), law_of(query, 1, 1), neighbors, query.budget.epsilon()).holds);
  }
}

TEST(AuditMutant, AddRemoveRatesForChangedRecordsAreCaught) {
  const QuantileQuery query = pure_query(quantiles({"1/2"}), "1", Neighbors::add_remove);
  EXPECT_FALSE(audit_pure(tables(4, 3), law_of(query, 1), Neighbors::change_one, query.budget.epsilon()).holds);
  const QuantileQuery concentrated = zcdp_query(quantiles({"1/2"}), "1/2", Neighbors::add_remove);
  EXPECT_FALSE(audit_zcdp(tables(4, 3), law_of(concentrated, 1), Neighbors::change_one, Rational(1, 2)).holds);
}

/// The rule of the recursion that a mutant breaks.
enum class Wrong { nothing, ties_to_both_sides, rates_as_if_alone };

/// The outputs of the two leaves below a fixed split, with the mutant's parts.
OutputLaw leaves_below(const QuantileTree& tree, const RankProfile& profile, Split split, std::uint64_t subcells,
                       Wrong wrong) {
  std::vector<LeafNode> parts;
  for (const QuantileNode& part : tree.parts(tree.root(), std::span(&split, 1))) {
    parts.push_back(std::get<LeafNode>(part));
  }
  if (wrong == Wrong::rates_as_if_alone) parts[0].level = parts[1].level = 0;
  if (wrong == Wrong::ties_to_both_sides) {
    const std::uint64_t cell = split / subcells;
    parts[0].span.last_rank = profile.below(cell) + profile.equal(cell);
    parts[1].span.first_rank = profile.below(cell);
  }
  OutputLaw law{{{}, Enclosure::of(Rational(1))}};
  for (const LeafNode& part : parts) {
    const auto runs = runs_of(tree.candidates(part));
    const std::vector<Enclosure> masses = softmax_law(runs, tree.rate(part));
    OutputLaw longer;
    for (const auto& [head, p] : law) {
      for (std::size_t k = 0; k < runs.size(); ++k) {
        for (std::uint64_t i = 0; i < runs[k].length; ++i) {
          std::vector<std::uint64_t> output = head;
          output.push_back(runs[k].start + i);
          longer[output] = p * masses[k] / Enclosure::of(Rational(runs[k].length));
        }
      }
    }
    law = std::move(longer);
  }
  return law;
}

/// The law of three quantiles under the mutant, on cells that are not divided.
OutputLaw wrong_law(const RankProfile& profile, const QuantileQuery& query, Wrong wrong) {
  const Calibration calibration(query, levels_for(3));
  const QuantileTree tree(profile, query.quantiles, calibration, 1);
  OutputLaw law;
  const auto runs = runs_of(tree.splits(std::get<SplitNode>(tree.root())));
  const std::vector<Enclosure> masses = softmax_law(runs, tree.rate(tree.root()));
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Enclosure each = masses[k] / Enclosure::of(Rational(runs[k].length));
    for (Split split = runs[k].start; split < runs[k].start + runs[k].length; ++split) {
      for (const auto& [leaves, p] : leaves_below(tree, profile, split, 1, wrong)) {
        law[{leaves[0], split, leaves[1]}] = each * p;
      }
    }
  }
  return law;
}

TEST(AuditMutant, TiesInBothPartsAreCaught) {
  const QuantileQuery query = pure_query(quantiles({"1/4", "1/2", "3/4"}), "1", Neighbors::add_remove);
  const auto audit = [&](Wrong wrong) {
    return audit_pure(
        wide_tables(16, 4), [&](const RankProfile& profile) { return wrong_law(profile, query, wrong); },
        Neighbors::add_remove, query.budget.epsilon());
  };
  EXPECT_TRUE(audit(Wrong::nothing).holds);
  EXPECT_FALSE(audit(Wrong::ties_to_both_sides).holds);
}

// A replaced record can leave one node and enter another: given the split, both leaves together may spend one level. The
// two tables make both leaves pay at once: among 64 candidates, 0 leaves the lower node and 63 enters the upper one.
TEST(AuditMutant, ForgettingThatAChangeCanHitTwoNodesIsCaught) {
  const QuantileQuery query = pure_query(quantiles({"1/8", "1/2", "7/8"}), "2", Neighbors::change_one);
  const RankProfile before(Lattice::numbers(64), {1, 61, 67, 123}, std::vector<std::uint64_t>{1, 3, 3, 1});
  const RankProfile after(Lattice::numbers(64), {61, 67, 123, 127}, std::vector<std::uint64_t>{3, 3, 1, 1});
  const auto loss = [&](Wrong wrong) {
    const auto law = [&, wrong](const RankProfile& profile) {
      const Calibration calibration(query, levels_for(3));
      const QuantileTree tree(profile, query.quantiles, calibration, 1);
      return leaves_below(tree, profile, 32, 1, wrong);
    };
    return max_log_ratio(law(after), law(before));
  };
  const Enclosure level = Enclosure::of(query.budget.epsilon() / Rational(2));
  EXPECT_TRUE(certainly_at_most(loss(Wrong::nothing), level)) << loss(Wrong::nothing).to_string();
  EXPECT_TRUE(certainly_less(level, loss(Wrong::rates_as_if_alone))) << loss(Wrong::rates_as_if_alone).to_string();
}

}  // namespace
}  // namespace fractile
