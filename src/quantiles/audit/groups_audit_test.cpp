// Exact audits of groups: all small tables of records with a group and a value, neighbors that are persons with up to D
// records in any of the groups, and the law of what two groups publish together.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exact/law.hpp"
#include "fractile/release.hpp"
#include "quantiles/audit/groups_test_support.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/granularity.hpp"
#include "support/neighbors.hpp"

namespace fractile {
namespace {

using testing::both_relations;

Budget zcdp(const char* rho) { return Budget::zcdp(Rational::parse(rho)); }

/// A table of two groups is one table of twice the candidates: the second group's come after the first one's.
AuditTables two_groups(std::uint64_t candidates, const std::vector<Position>& positions, int records) {
  AuditTables all{Lattice::numbers(2 * candidates), positions, records};
  for (const Position p : positions) all.positions.push_back(2 * candidates + p);
  return all;
}

AuditTables two_groups(std::uint64_t candidates, int records) {
  std::vector<Position> positions;
  for (std::uint64_t c = 0; c < candidates; ++c) positions.push_back(2 * c + 1);
  return two_groups(candidates, positions, records);
}

RankProfile group_of(const RankProfile& table, bool second) {
  const std::uint64_t candidates = table.candidates() / 2;
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < table.distinct(); ++k) {
    const Position p = table.position(k);
    if ((p > 2 * candidates) != second) continue;
    positions.push_back(second ? p - 2 * candidates : p);
    counts.push_back(table.count(k));
  }
  return {Lattice::numbers(candidates), std::move(positions), counts};
}

/// The joint law of two groups that each run the query `run`.
LawOfTable grouped_law(const QuantileQuery& run, std::uint64_t candidates, std::uint64_t subcells = 2) {
  return [law = release_law(run, candidates, subcells)](const RankProfile& table) {
    return product(law(group_of(table, false)), law(group_of(table, true)));
  };
}

/// Audits the promise of `query` when two groups together have this law.
AuditResult audit(const AuditTables& all, const QuantileQuery& query, const LawOfTable& law) {
  const int distance = static_cast<int>(query.records_per_person);
  return query.budget.measure() == Measure::pure
             ? audit_pure(all, law, query.neighbors, query.budget.epsilon(), distance)
             : audit_zcdp(all, law, query.neighbors, query.budget.rho(), distance);
}

void expect_kept(const QuantileQuery& query, const AuditResult& result, double share) {
  const double claimed =
      query.budget.measure() == Measure::pure ? query.budget.epsilon().to_double() : query.budget.rho().to_double();
  EXPECT_TRUE(result.holds) << to_string(query.mechanism) << " " << to_string(query.neighbors) << " "
                            << query.records_per_person << ": " << result.first << " " << result.second << " attain "
                            << result.attained.to_string();
  EXPECT_GE(result.attained.to_double(), share * claimed)
      << to_string(query.mechanism) << " " << to_string(query.neighbors) << " " << query.records_per_person;
  EXPECT_GT(result.pairs, 0U);
}

void expect_kept(const AuditTables& all, const QuantileQuery& query, double share) {
  expect_kept(query, audit(all, query, grouped_law(group_query(query), all.lattice.size() / 2)), share);
}

// A billion candidates, of which four in each group can hold records: empty stretches make the bounds nearly tight. Between
// the four all candidates are alike, whatever the table, so the law of the stretch has the same divergences.

constexpr std::uint64_t wide = std::uint64_t{1} << 30;
constexpr std::array<std::uint64_t, 4> wide_places{0, 1, wide - 2, wide - 1};
constexpr std::array<std::uint64_t, 6> wide_cells{0, 1, 2, wide - 2, wide - 1, wide};  // where each begins, and the end

AuditTables wide_groups(int records) {
  std::vector<Position> positions;
  for (const std::uint64_t place : wide_places) positions.push_back(2 * place + 1);
  return two_groups(wide, positions, records);
}

/// The law of one quantile; its outputs are cells.
OutputLaw wide_law_of_one(const QuantileQuery& run, const RankProfile& profile) {
  const Calibration calibration(run, 1);
  const QuantileTree tree(profile, run.quantiles, calibration, 1);
  const std::vector<Run> runs = runs_of(tree.candidates(std::get<LeafNode>(tree.root())));
  const std::vector<Enclosure> masses = softmax_law(runs, tree.rate(tree.root()));
  OutputLaw law;
  for (std::size_t cell = 0; cell + 1 < wide_cells.size(); ++cell) {
    Enclosure p = Enclosure::of(Rational(0));
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const std::uint64_t from = std::max(runs[k].start, wide_cells[cell]);
      const std::uint64_t to = std::min(runs[k].start + runs[k].length, wide_cells[cell + 1]);
      if (from >= to) continue;
      p += masses[k] * Enclosure::of(Rational(to - from, runs[k].length));
    }
    law[{cell}] = p;
  }
  return law;
}

LawOfTable wide_law(const QuantileQuery& run) {
  return [run](const RankProfile& table) {
    return product(wide_law_of_one(run, group_of(table, false)), wide_law_of_one(run, group_of(table, true)));
  };
}

AuditResult wide_audit(const QuantileQuery& query, const QuantileQuery& run) {
  return audit(wide_groups(3), query, wide_law(run));
}

TEST(GroupsAudit, OneQuantileKeepsThePromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t persons : {1U, 2U}) {
      for (const char* q : {"0", "1/3", "1/2", "0.9"}) {
        expect_kept(two_groups(4, 3), query_of({q}, pure("ln 3"), Mechanism::exponential, neighbors, persons), 0.3);
      }
    }
  }
}

TEST(GroupsAudit, SeveralQuantilesKeepThePromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t persons : {1U, 2U}) {
      expect_kept(two_groups(3, 3), query_of({"1/3", "2/3"}, pure("2"), Mechanism::approximate, neighbors, persons),
                  0.2);
      expect_kept(two_groups(3, 3), query_of({"1/3", "2/3"}, pure("2"), Mechanism::joint, neighbors, persons), 0.2);
      expect_kept(two_groups(3, 3), query_of({"1/3", "2/3"}, pure("2"), Mechanism::joint_total, neighbors, persons),
                  0.1);
      expect_kept(two_groups(3, 3), query_of({"1/3", "2/3"}, pure("2"), Mechanism::independent, neighbors, persons),
                  0.2);
      expect_kept(two_groups(2, 3),
                  query_of({"1/6", "1/3", "1/2", "2/3", "5/6"}, pure("4"), Mechanism::joint_tree, neighbors, persons),
                  0.1);
    }
  }
}

TEST(GroupsAudit, OneQuantileSpendsNearlyAllItMay) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t persons : {1U, 2U}) {
      const QuantileQuery query = query_of({"1/2"}, pure("1"), Mechanism::exponential, neighbors, persons);
      expect_kept(query, wide_audit(query, group_query(query)), 0.6);
    }
  }
}

TEST(GroupsAudit, ZcdpBudgetsAreKept) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t persons : {1U, 2U}) {
      for (const char* q : {"1/2", "0.9"}) {
        expect_kept(two_groups(3, 3), query_of({q}, zcdp("1/2"), Mechanism::exponential, neighbors, persons), 0.1);
      }
    }
    expect_kept(two_groups(2, 3), query_of({"1/3", "2/3"}, zcdp("1/2"), Mechanism::independent, neighbors, 2), 0.05);
    expect_kept(two_groups(2, 3), query_of({"1/3", "2/3"}, zcdp("1/2"), Mechanism::approximate, neighbors, 2), 0.05);
  }
}

/// The largest losses that one record more, or one fewer, causes in one group of at most this many records.
struct OneRecord {
  Enclosure more = Enclosure::of(Rational(0));
  Enclosure fewer = Enclosure::of(Rational(0));
};

void raise_to(Enclosure& most, const Enclosure& loss) {
  if (certainly_less(most, loss)) most = loss;
}

OneRecord one_record(const QuantileQuery& run, std::uint64_t records) {
  OneRecord worst;
  const auto law_of = [&](const std::array<std::uint64_t, 3>& counts) {
    const std::array<Position, 3> places{1, 2 * (wide - 2) + 1, 2 * (wide - 1) + 1};
    std::vector<Position> positions;
    std::vector<std::uint64_t> present;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0) positions.push_back(places[k]), present.push_back(counts[k]);
    }
    return wide_law_of_one(run, {Lattice::numbers(wide), std::move(positions), present});
  };
  for (std::uint64_t a = 0; a <= records; ++a) {
    for (std::uint64_t b = 0; a + b <= records; ++b) {
      for (std::uint64_t c = 0; a + b + c <= records; ++c) {
        const OutputLaw without = law_of({a, b, c});
        for (const OutputLaw& with : {law_of({a + 1, b, c}), law_of({a, b + 1, c}), law_of({a, b, c + 1})}) {
          raise_to(worst.more, max_log_ratio(with, without));
          raise_to(worst.fewer, max_log_ratio(without, with));
        }
      }
    }
  }
  return worst;
}

const Enclosure claim_of_one = Enclosure::of(Rational(1));

// Losses of independent outputs add, and the tables of two groups can be any: so the worst of one group tells that of two.
TEST(GroupsAudit, ARecordInEitherGroupSpendsTheBudgetTogether) {
  const QuantileQuery query = query_of({"1/2"}, pure("1"), Mechanism::exponential, Neighbors::add_remove, 2);
  const OneRecord honest = one_record(group_query(query), 4);
  EXPECT_TRUE(certainly_at_most(honest.more + honest.more, claim_of_one));
  EXPECT_GT((honest.more + honest.more).to_double(), 0.9);
  QuantileQuery one = query;  // the mutant: each group keeps the budget for the one record that it sees
  one.records_per_person = 1;
  const OneRecord mutant = one_record(group_query(one), 4);
  EXPECT_TRUE(certainly_at_most(mutant.more, claim_of_one));
  EXPECT_TRUE(certainly_less(claim_of_one, mutant.more + mutant.more));
}

TEST(GroupsAudit, ARecordThatMovesSpendsTheBudget) {
  for (const char* q : {"0", "1/2", "0.9"}) {
    const QuantileQuery query = query_of({q}, pure("1"), Mechanism::exponential, Neighbors::change_one);
    const OneRecord honest = one_record(group_query(query), 14);
    EXPECT_TRUE(certainly_at_most(honest.more + honest.fewer, claim_of_one)) << q;
    EXPECT_GT((honest.more + honest.fewer).to_double(), 0.75) << q;
  }
}

// Mutants: every group's query is calibrated for a smaller change than one person can cause.

TEST(GroupsAuditMutant, RatesForOneRecordAreCaught) {
  for (const Neighbors neighbors : both_relations) {
    const auto two_and_one = [&](const Budget& budget) {
      return std::pair(query_of({"1/2"}, budget, Mechanism::exponential, neighbors, 2),
                       group_query(query_of({"1/2"}, budget, Mechanism::exponential, neighbors, 1)));
    };
    const auto [query, run] = two_and_one(pure("1"));
    EXPECT_FALSE(wide_audit(query, run).holds);
    const auto [zcdp_query, zcdp_run] = two_and_one(zcdp("1/2"));
    EXPECT_FALSE(audit(two_groups(3, 3), zcdp_query, grouped_law(zcdp_run, 3)).holds);
  }
}

// Calibrated for a record that is replaced within one group. At the quantile 0 that costs no more than a record that is added;
// at 0.9 it costs 20 where that costs 18, and not twice as much.
TEST(GroupsAuditMutant, ChangedRecordsThatStayInTheirGroupAreCaught) {
  const QuantileQuery query = query_of({"0"}, pure("1"), Mechanism::exponential, Neighbors::change_one);
  EXPECT_FALSE(wide_audit(query, query).holds);
  const QuantileQuery zcdp_query = query_of({"0"}, zcdp("1/2"), Mechanism::exponential, Neighbors::change_one);
  EXPECT_FALSE(audit(two_groups(2, 2), zcdp_query, grouped_law(zcdp_query, 2)).holds);
  const OneRecord mutant = one_record(query_of({"0.9"}, pure("1"), Mechanism::exponential, Neighbors::change_one), 14);
  EXPECT_TRUE(certainly_less(claim_of_one, mutant.more + mutant.fewer));
}

TEST(GroupsAuditMutant, ChangedRecordsCountedOnceAreCaught) {
  for (const std::uint32_t persons : {1U, 2U}) {
    const auto change_and_once = [&](const Budget& budget) {
      return std::pair(query_of({"1/2"}, budget, Mechanism::exponential, Neighbors::change_one, persons),
                       query_of({"1/2"}, budget, Mechanism::exponential, Neighbors::add_remove, persons));
    };
    const auto [query, once] = change_and_once(pure("1"));
    EXPECT_FALSE(wide_audit(query, once).holds) << persons;
    const auto [zcdp_query, zcdp_once] = change_and_once(zcdp("1/2"));
    EXPECT_FALSE(audit(two_groups(4, 3), zcdp_query, grouped_law(zcdp_once, 4)).holds) << persons;
  }
}

// --- Counts on a tree and the granularity, in exact arithmetic ---------------------------------------------------------

/// The cost of k0 records that come or go in one group and k1 in another: each moves `height` counts by 1, the same ones at
/// worst.
Exponent cost_of(const CountTreeNoise& noise, int height, std::int64_t k0, std::int64_t k1) {
  if (noise.measure() == Measure::pure) return noise.rate() * (Rational(height) * Rational(k0 + k1));
  return Rational(height) * Rational(k0 * k0 + k1 * k1) / (Rational(2) * noise.sigma_squared());
}

TEST(GroupsAudit, CountsOnTreesSpendExactlyTheBudget) {
  for (const Budget& budget : {pure("1"), pure("2 ln 3"), zcdp("1/2"), zcdp("0.3")}) {
    const Exponent claim = budget.measure() == Measure::pure ? budget.epsilon() : Exponent(budget.rho());
    for (const Neighbors neighbors : both_relations) {
      for (const std::uint32_t persons : {1U, 2U, 5U}) {
        const QuantileQuery query = query_of({"1/2"}, budget, Mechanism::tree, neighbors, persons);
        const std::int64_t moves = neighbors == Neighbors::add_remove ? persons : 2 * std::int64_t{persons};
        const CountTreeNoise noise(group_query(query), 3);
        for (std::int64_t k = 0; k <= moves; ++k) EXPECT_LE(cost_of(noise, 3, k, moves - k), claim);
        EXPECT_EQ(cost_of(noise, 3, moves, 0), claim);
        QuantileQuery fewer = query;  // the mutant: add-remove rates for D records, one too few
        fewer.neighbors = Neighbors::add_remove;
        fewer.records_per_person = static_cast<std::uint32_t>(moves) - (moves > 1 ? 1 : 0);
        if (moves > 1) {
          EXPECT_GT(cost_of(CountTreeNoise(fewer, 3), 3, moves, 0), claim);
        }
      }
    }
  }
}

TEST(GroupsAudit, ARecordsShareOfASelectionIsLinear) {
  EXPECT_TRUE(rc::check("any rates", [] {
    const bool is_pure = *rc::gen::arbitrary<bool>();
    const Neighbors neighbors = *rc::gen::elementOf(both_relations);
    const auto persons = *rc::gen::inRange<std::uint32_t>(1, 9);
    const Rational levels = *rc::gen::inRange<std::int64_t>(1, 41);
    const Rational range(*rc::gen::inRange<std::int64_t>(1, 100), *rc::gen::inRange<std::int64_t>(1, 100));
    const Budget budget = is_pure ? pure("1") : zcdp("1/2");
    const QuantileQuery query = query_of({"1/2"}, budget, Mechanism::approximate, neighbors, persons);
    const Rational moves = (neighbors == Neighbors::add_remove ? 1 : 2) * Rational(persons);
    const Calibration calibration(group_query(query), levels);
    for (const bool alone : {false, true}) {
      const Rational record = calibration.rate(range, range * Rational(2), alone).coefficient() * range;
      const Rational all = record * moves;  // the bounded range of all that a person can move
      RC_ASSERT((is_pure ? all == Rational(1) / levels : all * all / Rational(8) <= Rational(1, 2) / levels));
    }
    RC_ASSERT(granularity_rate(calibration) == calibration.rate(Rational(16), Rational(23), true));
  }));
}

}  // namespace
}  // namespace fractile
