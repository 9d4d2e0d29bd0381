// Exact audits of joint selections, and the mutants that they refute. docs/proofs/joint_total.md
#include <gtest/gtest.h>

#include <set>

#include "exact/law.hpp"
#include "fractile/release.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "quantiles/joint/joint_law.hpp"
#include "quantiles/joint/joint_test_support.hpp"
#include "quantiles/stages/granularity.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/neighbors.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using Law = std::function<OutputLaw(const RankProfile&)>;
using testing::both_relations;
using testing::chi_square_p;
using testing::effort;
using testing::equal_cells;
using testing::profile_of;

/// Densities at one split of every run that any table at the audit's positions can have.
Law density_law(const AuditTables& tables, std::uint64_t subcells, const JointTarget& target, const Exponent& rate,
                std::optional<TotalGrid> totals) {
  std::set<Split> representatives{0};
  for (const Position position : tables.positions) {
    const RankProfile all(tables.lattice, {position},
                          std::vector<std::uint64_t>{static_cast<std::uint64_t>(tables.records)});
    ThresholdCursor cursor(all, 0, all.records(), subcells);
    Split threshold = 0;
    for (std::uint64_t records = 0; cursor.next(threshold, records);) {
      if (threshold < tables.lattice.size() * subcells) representatives.insert(threshold);
    }
  }
  const std::vector<Split> splits(representatives.begin(), representatives.end());
  return [=](const RankProfile& profile) {
    const RankSpan span = whole_span(profile, subcells);
    const JointProblem problem{profile, span, subcells, BaseMeasure(span.lowest, span.highest, subcells),
                               target,  rate, totals};
    return joint_density(problem, splits);
  };
}

/// Records at adjacent positions, a thousand apart, and at the ends of 2^30 candidates.
AuditTables spread_tables(int records) {
  return {Lattice::numbers(std::uint64_t{1} << 30), {1, 3, 2001, (std::uint64_t{1} << 31) - 1}, records};
}

/// The rate by relation: one more record moves the sum of |g_j - t w_j| by 1 and spreads it over 2; a replaced record, twice that.
Exponent rate_of(const char* epsilon, Neighbors neighbors) {
  return Exponent::parse(epsilon) / Rational(neighbors == Neighbors::add_remove ? 2 : 4);
}

TEST(JointAudit, TheTotalIsPaidForAtTwiceTheSlope) {
  for (const Neighbors neighbors : both_relations) {
    double most = 0;
    for (std::size_t quantiles = 1; quantiles <= 3; ++quantiles) {
      for (const std::uint64_t subcells : {std::uint64_t{1}, std::uint64_t{4}}) {
        const AuditTables tables = spread_tables(quantiles == 1 ? 10 : quantiles == 2 ? 6 : 3);
        const Law law = density_law(tables, subcells, equal_cells(quantiles), rate_of("1", neighbors), TotalGrid{1});
        const AuditResult result = audit_pure(tables, law, neighbors, Exponent::parse("1"));
        EXPECT_TRUE(result.holds) << quantiles << " " << result.first << " " << result.attained.to_string();
        most = std::max(most, result.attained.to_double());
      }
    }
    EXPECT_GT(most, neighbors == Neighbors::add_remove ? 0.75 : 0.5);
  }
}

TEST(JointAudit, UnevenCellsAndCoarseTotals) {
  for (const Neighbors neighbors : both_relations) {
    for (const JointTarget& target :
         {JointTarget{{1, 8, 1}, 10}, JointTarget{{0, 1, 0}, 1}, JointTarget{{3, 1, 2}, 6}}) {
      const AuditTables tables = spread_tables(3);
      const Law law = density_law(tables, 1, target, rate_of("2", neighbors), TotalGrid{2});
      const AuditResult result = audit_pure(tables, law, neighbors, Exponent::parse("2"));
      EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    }
  }
}

TEST(JointAudit, ZcdpIsRangeSquaredOverEight) {
  // Densities do not add up to 1, so on a small lattice, by splits.
  for (const Neighbors neighbors : both_relations) {
    const AuditTables tables{Lattice::numbers(4), {1, 3, 5, 7}, 3};
    const Exponent rate = Rational(2) / Rational(neighbors == Neighbors::add_remove ? 2 : 4);
    const Law law = [&](const RankProfile& profile) {
      const RankSpan span = whole_span(profile, 2);
      return joint_splits_law(
          {profile, span, 2, BaseMeasure(span.lowest, span.highest, 2), equal_cells(2), rate, TotalGrid{1}});
    };
    const AuditResult result = audit_zcdp(tables, law, neighbors, Rational(1, 2));
    EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    EXPECT_GT(result.attained.to_double(), 0.05);
  }
}

TEST(JointAuditMutant, TheNumberOfRecordsInPlaceOfASelectedTotalIsCaught) {
  const AuditTables tables = spread_tables(3);
  const Law law = density_law(tables, 1, equal_cells(2), rate_of("1", Neighbors::add_remove), {});
  const AuditResult result = audit_pure(tables, law, Neighbors::add_remove, Exponent::parse("1"));
  EXPECT_FALSE(result.holds);
  EXPECT_GT(result.attained.to_double(), 1.3);
}

TEST(JointAudit, JointExpAtItsOwnSlopeIsPrivate) {
  const AuditTables tables = spread_tables(3);
  // Range 4 (1 - min w) for an added record: rate epsilon / (8/3) with three cells.
  const Law law = density_law(tables, 1, equal_cells(2), Exponent::parse("3/8"), {});
  const AuditResult result = audit_pure(tables, law, Neighbors::add_remove, Exponent::parse("1"));
  EXPECT_TRUE(result.holds) << result.attained.to_string();
  EXPECT_GT(result.attained.to_double(), 0.9);
}

TEST(JointAuditMutant, AddRemoveSlopeForChangedRecordsIsCaught) {
  const AuditTables tables = spread_tables(3);
  const Law law = density_law(tables, 1, equal_cells(2), rate_of("1", Neighbors::add_remove), TotalGrid{1});
  EXPECT_FALSE(audit_pure(tables, law, Neighbors::change_one, Exponent::parse("1")).holds);
}

// --- Trees of joint selections ---------------------------------------------------------------------------------------

void add(OutputLaw& law, const std::vector<std::uint64_t>& output, const Enclosure& p) {
  const auto [at, fresh] = law.try_emplace(output, p);
  if (!fresh) at->second += p;
}

/// Two quantiles at once, and a third one below or above them; the outermost part with an edge.
Law tree_law(const QuantileQuery& query, const Rational& levels, const RoundNumbers& numbers = {},
             const std::vector<Rational>& emphasis = {}, const std::optional<Origin>& origin = {}) {
  return [=](const RankProfile& profile) {
    const RecursionShape shape{NodeKind::joint_total, {2, 1}, true, numbers, emphasis, {}, origin};
    const Calibration calibration(query, levels);
    return quantile_law(QuantileTree(profile, query.quantiles, shape, calibration, 1));
  };
}

QuantileQuery three_quantiles(const char* epsilon, Neighbors neighbors) {
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Exponent::parse(epsilon))};
  query.neighbors = neighbors;
  return query;
}

/// Records at the ends and around the middle.
AuditTables spread_tables(std::uint64_t candidates, int records) {
  return {Lattice::numbers(candidates), {1, candidates - 1, candidates + 1, 2 * candidates - 1}, records};
}

TEST(JointAudit, TreesWithEdgesAndRoundNumbersKeepTheirPromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const RoundNumbers& numbers : {RoundNumbers{}, RoundNumbers{{{1, 3}}, {}}, RoundNumbers{{{1, 2}}, {{3, 4}}}}) {
      const QuantileQuery query = three_quantiles("6", neighbors);
      const AuditResult result =
          audit_pure(spread_tables(10, 3), tree_law(query, 2, numbers), neighbors, query.budget.epsilon());
      EXPECT_TRUE(result.holds) << result.first << " " << result.second << " " << result.attained.to_string();
      EXPECT_GT(result.attained.to_double(), 2) << result.first;
    }
    QuantileQuery zcdp = three_quantiles("1", neighbors);
    zcdp.budget = Budget::zcdp(Rational(1));
    EXPECT_TRUE(audit_zcdp(spread_tables(8, 3), tree_law(zcdp, 2), neighbors, zcdp.budget.rho()).holds);
  }
}

// Octaves of two candidates, of four and of eight: the range is declared wider than it is, so that few candidates suffice for all
// octaves.
TEST(JointAudit, WeightsFromZeroKeepTheirPromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const Origin& origin : {Origin{0, 256}, Origin{5, 128}}) {
      const QuantileQuery query = three_quantiles("1", neighbors);
      const AuditResult result =
          audit_pure(spread_tables(10, 3), tree_law(query, 2, {}, {}, origin), neighbors, query.budget.epsilon());
      EXPECT_TRUE(result.holds) << result.first << " " << result.second << " " << result.attained.to_string();
      EXPECT_GT(result.attained.to_double(), 0.3) << result.first;
    }
  }
}

// A mutant: its origin is at the records, and not at zero.
TEST(JointAuditMutant, AnOriginThatLooksAtTheRecordsIsCaught) {
  const auto law = [](const RankProfile& profile) -> OutputLaw {
    const RankSpan span = whole_span(profile, 1);
    const std::int64_t at = profile.below(8) > 0 ? 0 : 15;
    return joint_splits_law({profile, span, 1, BaseMeasure(span.lowest, span.highest, 1, {}, {}, Origin{at, 512}),
                             JointTarget{{1, 1, 1}, 3}, rate_of("1", Neighbors::add_remove), TotalGrid{1}});
  };
  const AuditTables tables{Lattice::numbers(16), {1, 3, 29, 31}, 2};
  EXPECT_FALSE(audit_pure(tables, law, Neighbors::add_remove, Exponent::parse("1")).holds);
}

TEST(JointAudit, TreesOfUnevenLevelsKeepTheirPromise) {
  const std::vector<Rational> uneven{Rational(6, 5), Rational(4, 5)};
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = three_quantiles("6", neighbors);
    const AuditResult result =
        audit_pure(spread_tables(10, 3), tree_law(query, 2, {}, uneven), neighbors, query.budget.epsilon());
    EXPECT_TRUE(result.holds) << result.first << " " << result.second << " " << result.attained.to_string();
    EXPECT_GT(result.attained.to_double(), 2);
  }
}

TEST(JointAuditMutant, LevelsThatShareOutMoreThanTheBudgetAreCaught) {
  const QuantileQuery query = three_quantiles("6", Neighbors::add_remove);
  const std::vector<Rational> too_much{Rational(9, 5), Rational(9, 5)};
  EXPECT_FALSE(
      audit_pure(spread_tables(10, 4), tree_law(query, 2, {}, too_much), Neighbors::add_remove, query.budget.epsilon())
          .holds);
}

TEST(JointAuditMutant, AForgottenLevelIsCaught) {
  const QuantileQuery query = three_quantiles("6", Neighbors::add_remove);
  EXPECT_FALSE(
      audit_pure(spread_tables(10, 4), tree_law(query, 1), Neighbors::add_remove, query.budget.epsilon()).holds);
}

TEST(JointAuditMutant, AnEdgeThatLooksAtTheRecordsIsCaught) {
  const AuditTables tables{Lattice::numbers(16), {1, 3, 29, 31}, 2};
  const auto law = [](bool looks) {
    return [looks](const RankProfile& profile) -> OutputLaw {
      const RankSpan span = whole_span(profile, 1);
      const std::uint64_t scale = looks && profile.below(8) > 0 ? 1 : 16;
      return joint_splits_law({profile, span, 1, BaseMeasure(span.lowest, span.highest, 1, Edge{true, scale}),
                               equal_cells(2), Rational(1, 2), TotalGrid{1}});
    };
  };
  EXPECT_TRUE(audit_pure(tables, law(false), Neighbors::add_remove, Rational(1)).holds);
  EXPECT_FALSE(audit_pure(tables, law(true), Neighbors::add_remove, Rational(1)).holds);
}

// --- Granularity -------------------------------------------------------------------------------------------------------

/// The masses of granularity 0, 1, ...
std::vector<Enclosure> granularity_masses(const RankProfile& profile, const std::vector<RoundGrid>& grids,
                                          const Exponent& rate) {
  std::vector<Run> runs;
  std::uint64_t start = 0;
  const std::vector<std::uint64_t> lengths = granularity_multiplicities(grids.size());
  for (const std::uint64_t score : granularity_scores(profile, grids)) {
    const std::uint64_t length = lengths[runs.size()];
    runs.push_back({start, length, score});
    start += length;
  }
  return softmax_law(runs, rate);
}

Law granularity_law(const Exponent& rate) {
  return [rate](const RankProfile& profile) {
    const std::vector<Enclosure> masses = granularity_masses(profile, {{0, 2}, {0, 6}}, rate);
    OutputLaw law;
    for (std::size_t k = 0; k < masses.size(); ++k) law.emplace(std::vector<std::uint64_t>{k}, masses[k]);
    return law;
  };
}

// At so large an epsilon the scores alone tell, and the ranges of granularity.md are attained to within what an enclosure can tell.
TEST(GranularityAudit, KeepsItsShareAndSpendsAllOfIt) {
  for (const Neighbors neighbors : both_relations) {
    const AuditTables tables{Lattice::numbers(7), {0, 1, 3, 5, 13}, 6};
    const QuantileQuery query = three_quantiles("40", neighbors);
    const Exponent rate = granularity_rate(Calibration(query, 1));
    const auto audited = [&](const Rational& times) {
      return audit_pure(tables, granularity_law(rate * times), neighbors, query.budget.epsilon());
    };
    const AuditResult result = audited(Rational(9999, 10000));
    EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    EXPECT_FALSE(audited(Rational(10001, 10000)).holds);
  }
}

// The complete release: the granularity and the quantiles under it, on a lattice small enough to list.
TEST(GranularityAudit, TogetherWithTheReleaseItSpendsTheBudget) {
  const std::vector<RoundGrid> grids{{0, 3}};
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = three_quantiles("4", neighbors);
    const Rational share = preliminary_share(Measure::pure);
    const Law law = [&](const RankProfile& profile) {
      const std::vector<Enclosure> chosen =
          granularity_masses(profile, grids, granularity_rate(Calibration(query, Rational(1) / share)));
      OutputLaw both;
      for (std::size_t level = 0; level < chosen.size(); ++level) {
        const RoundNumbers found = level == 0 ? RoundNumbers{} : RoundNumbers{grids[level - 1], {}};
        for (const auto& [output, p] : tree_law(query, Rational(2) / (Rational(1) - share), found)(profile)) {
          add(both, output, p * chosen[level]);
        }
      }
      return both;
    };
    const AuditResult result = audit_pure(spread_tables(8, 3), law, neighbors, query.budget.epsilon());
    EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
  }
}

// --- Heaps -------------------------------------------------------------------------------------------------------------

/// The heaps of a lattice of 61 candidates: multiples of 5, 7, ... 60.
std::vector<HeapGrid> heaps_of_sixty() { return heap_grids(Lattice::regular(0, 60, 1), {}); }

/// The masses of no heaps, and of each of the heaps.
std::vector<Enclosure> heaping_masses(const RankProfile& profile, const std::vector<HeapGrid>& heaps,
                                      const Exponent& rate) {
  std::vector<Run> runs;
  for (const std::uint64_t score : heaping_scores(profile, heaps)) {
    const std::uint64_t start = runs.empty() ? 0 : runs.back().start + runs.back().length;
    runs.push_back({start, runs.empty() ? no_heaps_length : 1, score});
  }
  return softmax_law(runs, rate);
}

Law heaping_law(const Exponent& rate) {
  return [rate, heaps = heaps_of_sixty()](const RankProfile& profile) {
    const std::vector<Enclosure> masses = heaping_masses(profile, heaps, rate);
    OutputLaw law;
    for (std::size_t k = 0; k < masses.size(); ++k) law.emplace(std::vector<std::uint64_t>{k}, masses[k]);
    return law;
  };
}

/// Records on no heap, on those of 5 and of 7 alone, of 12 and of most, and between candidates.
AuditTables tables_of_sixty() {
  return {Lattice::numbers(61), {2, 2 * 1 + 1, 2 * 5 + 1, 2 * 7 + 1, 2 * 48 + 1, 2 * 60 + 1}, 5};
}

TEST(HeapingAudit, KeepsItsShareAndSpendsMostOfIt) {
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = three_quantiles("20", neighbors);  // so that the score alone tells
    const Exponent rate = heaping_rate(Calibration(query, 1));
    const AuditTables tables = tables_of_sixty();
    const AuditResult result = audit_pure(tables, heaping_law(rate), neighbors, query.budget.epsilon());
    EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    EXPECT_GT(result.attained.to_double(), neighbors == Neighbors::add_remove ? 18 : 14);
    EXPECT_FALSE(audit_pure(tables, heaping_law(rate * Rational(3)), neighbors, query.budget.epsilon()).holds);
    // A mutant: its rate is as if a record off the heaps cost nothing.
    EXPECT_FALSE(audit_pure(tables, heaping_law(rate * Rational(133, 93)), neighbors, query.budget.epsilon()).holds);
  }
}

// The complete release: the heaps and the quantiles under them.
TEST(HeapingAudit, TogetherWithTheReleaseItSpendsTheBudget) {
  const std::vector<HeapGrid> heaps{{{0, 5}, 5}, {{2, 7}, 7}};
  for (const Neighbors neighbors : both_relations) {
    const QuantileQuery query = three_quantiles("4", neighbors);
    const Rational share(1, 4);
    const auto law_with = [&](const Rational& left) -> Law {
      return [&, left](const RankProfile& profile) {
        const std::vector<Enclosure> chosen =
            heaping_masses(profile, heaps, heaping_rate(Calibration(query, Rational(1) / share)));
        OutputLaw both;
        for (std::size_t k = 0; k < chosen.size(); ++k) {
          RoundNumbers found;
          if (k > 0) found.heaps = heaps[k - 1].grid;
          for (const auto& [output, p] : tree_law(query, Rational(2) / left, found)(profile)) {
            std::vector<std::uint64_t> all{k};
            all.insert(all.end(), output.begin(), output.end());
            both.emplace(std::move(all), p * chosen[k]);
          }
        }
        return both;
      };
    };
    const AuditTables tables{Lattice::numbers(10), {1, 2 * 2 + 1, 2 * 5 + 1, 2 * 9 + 1}, 3};
    const AuditResult result = audit_pure(tables, law_with(Rational(1) - share), neighbors, query.budget.epsilon());
    EXPECT_TRUE(result.holds) << result.first << " " << result.attained.to_string();
    EXPECT_GT(result.attained.to_double(), 1);
    EXPECT_FALSE(audit_pure(tables, law_with(Rational(3)), neighbors, query.budget.epsilon()).holds);
  }
}

/// The law of one quantile of a release that looks for heaps first, as the proof has it.
OutputLaw median_law(const RankProfile& profile, const QuantileQuery& query, const Lattice& lattice) {
  const QuantilePlan plan = plan_of(query, lattice);
  const std::vector<HeapGrid> heaps = heap_grids(lattice, {});
  const std::vector<Enclosure> chosen = heaping_masses(profile, heaps, heaping_rate(preliminary_calibration(query)));
  const Calibration calibration(query_after(query, 1), 1);
  OutputLaw law;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    RecursionShape shape = plan.recursion().shape;
    if (k > 0) shape.numbers.heaps = heaps[k - 1].grid;
    const QuantileTree tree(profile, query.quantiles, shape, calibration, subcells_for(lattice.size()));
    for (const auto& [output, p] : quantile_law(tree)) {
      add(law, output, p * chosen[k]);
    }
  }
  return law;
}

// Half of the draws are the records' value: an error of a fortieth of the budget moves this number by eleven standard deviations.
TEST(HeapingAudit, ReleasesHaveTheLawThatIsProved) {
  const Lattice lattice = Lattice::regular(0, 100, 1);
  for (const std::uint64_t value : {30U, 31U}) {
    const RankProfile profile = profile_of(lattice, {{2 * value + 1, 8}});
    const QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(6, 5))};
    const double expected = median_law(profile, query, lattice).at({value}).to_double();
    EXPECT_GT(expected, 0.25);
    EXPECT_LT(expected, 0.75);
    RandomBits bits = RandomBits::system();
    const std::uint64_t draws = effort(40'000);
    std::vector<std::uint64_t> counts(2);
    for (std::uint64_t i = 0; i < draws; ++i) {
      ++counts[release(profile, query, bits).only().indices[0] == value ? 1 : 0];
    }
    EXPECT_GT(chi_square_p(counts, {1 - expected, expected}), 1e-9) << value;
  }
}

}  // namespace
}  // namespace fractile
