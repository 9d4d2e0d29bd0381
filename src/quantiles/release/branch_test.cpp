// Every branch of a release against its parts, composed by hand. A release must draw the same, bit for bit, and leave its random bits at the
// same place.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "quantiles/release/branch_by_hand_test_support.hpp"
#include "quantiles/release/branch_lists_test_support.hpp"
#include "support/neighbors.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"

namespace fractile {

using namespace branches;

namespace {

using testing::both_relations;

// --- The comparison -----------------------------------------------------------------------------------------------------

RankProfile table_of(const Branch& branch, const Lattice& lattice, std::uint64_t seed = 0) {
  const auto multiple = [&](std::uint64_t i, std::uint64_t unit) {
    return (i * i * 31 + i * 17 + seed) % ((lattice.size() - 1) / unit + 1) * unit;
  };
  std::map<Position, std::uint64_t> table;
  for (std::uint64_t i = 0; i < branch.rows; ++i) {
    const bool elsewhere = i % (branch.records == Records::mostly_on_tens ? 12 : 3) == 0;
    std::uint64_t unit = 1;
    if (branch.records == Records::mostly_on_tens && !elsewhere) unit = 10;
    if (branch.records == Records::on_hundreds) unit = 100;
    if (branch.records == Records::on_thousands) unit = 1000;
    if (branch.records == Records::mostly_on_ten_thousands) unit = elsewhere ? 1000 : 10'000;
    ++table[2 * multiple(i, unit) + 1];
  }
  return testing::profile_of(lattice, table);
}

Budget budget_of(const Branch& branch, Measure measure) {
  if (measure == Measure::zcdp) return Budget::zcdp(Rational::parse(branch.rho));
  const Exponent epsilon = Exponent::parse(branch.epsilon);
  return measure == Measure::pure ? Budget::pure(epsilon) : Budget::approximate(epsilon, Rational(1, 1000));
}

QuantileQuery branch_query(const Branch& branch, Measure measure, const Person& person) {
  QuantileQuery query{
      {},          budget_of(branch, measure), person.neighbors,  person.records, branch.asked, branch.rates,
      branch.base, branch.expected_rows,       branch.interpolate};
  for (std::int64_t i = 1; i <= branch.m; ++i) query.quantiles.emplace_back(i, branch.m + 1);
  if (branch.tails)
    query.quantiles = {Rational(1, 20), Rational(1, 10), Rational(1, 2), Rational(9, 10), Rational(19, 20)};
  return query;
}

std::optional<std::uint64_t> stride_of(const std::optional<Rational>& spacing, const Lattice& lattice) {
  if (!spacing || *spacing == lattice.step()) return {};
  return (*spacing / lattice.step()).to_uint64();
}

constexpr std::array<std::uint32_t, 2> records_per_person{1, 3};

/// Expects that a release was charged the cost of each part, and not more than its budget in all.
void expect_costs(const std::vector<PartCost>& spent, const std::vector<Cost>& costs, const Budget& budget) {
  const bool is_zcdp = budget.measure() == Measure::zcdp;
  EpsilonSum sum;
  Rational delta;
  ASSERT_EQ(spent.size(), costs.size());
  for (std::size_t i = 0; i < spent.size(); ++i) {
    EXPECT_EQ(spent[i].part, costs[i].on);
    EXPECT_EQ(spent[i].amount, costs[i].amount)
        << spent[i].part << ": " << spent[i].amount.to_string() << " and " << costs[i].amount.to_string();
    EXPECT_EQ(spent[i].delta, costs[i].delta);
    sum += spent[i].amount;
    delta += spent[i].delta;
  }
  EXPECT_LE(sum, is_zcdp ? EpsilonSum(budget.rho()) : EpsilonSum(budget.epsilon()));
  EXPECT_LE(delta, budget.measure() == Measure::approximate ? budget.delta() : Rational(0));
}

/// Expects that tight rates leave no budget under pure privacy and add-remove, and almost none under zCDP, where rates are rounded.
void expect_all_is_spent(const std::vector<Cost>& costs, const Budget& budget) {
  EpsilonSum sum;
  for (const Cost& cost : costs) sum += cost.amount;
  if (budget.measure() != Measure::zcdp) {
    EXPECT_EQ(sum, EpsilonSum(budget.epsilon()));
  } else {
    EXPECT_GE(sum, EpsilonSum(budget.rho() * (Rational(1) - Rational::dyadic(1, -40))));
  }
}

std::string words(const Branch& branch, Measure measure, const Person& person) {
  return std::string(branch.name) + ", " + to_string(measure) + ", " + to_string(person.neighbors) + ", " +
         std::to_string(person.records) + " a person";
}

/// The request, the mechanism that ran, and the findings of preliminary selections, in words.
std::string way_of(const QuantileQuery& query, const MechanismUsed& used, const std::string& found) {
  std::string way = to_string(query.budget.measure()) + " " + to_string(query.mechanism);
  if (query.mechanism == Mechanism::automatic) way += " -> " + to_string(used.mechanism);
  if (used.widths.size() > 1) way += ", " + std::to_string(used.widths.size()) + " levels";
  if (used.selected < query.quantiles.size()) way += ", interpolated";
  return found.empty() ? way : way + ", " + found;
}

/// Expects a release to equal its parts composed by hand; returns the findings.
std::string compare(const Branch& branch, const QuantileQuery& query, const Person& person, std::uint64_t seed,
                    std::set<std::string>& reached) {
  const RankProfile table = table_of(branch, branch.lattice);
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  const Release release = fractile::release(table, query, bits);
  RandomBits same_bits = RandomBits::unsafe_seeded(seed);
  ByHand by_hand(branch, query, branch.lattice, person, same_bits);
  const Outcome parts = by_hand.released(table, query.budget);
  EXPECT_EQ(release.only().indices, parts.indices);
  EXPECT_EQ(stride_of(release.only().used.granularity, branch.lattice), parts.grid);
  EXPECT_EQ(stride_of(release.only().used.heaping, branch.lattice), parts.heaps);
  EXPECT_EQ(release.unsafe_seed, seed);
  expect_costs(release.only().spent, parts.costs, query.budget);
  if (person.neighbors == Neighbors::add_remove && branch.rates == Rates::tight) {
    expect_all_is_spent(parts.costs, query.budget);
  }
  EXPECT_EQ(bits.next64(), same_bits.next64());  // none more, none fewer
  reached.insert(way_of(query, release.only().used, parts.found));
  return parts.found;
}

template <class Compare>
void for_all_people(const std::vector<Branch>& branches, const Compare& compare) {
  for (const Branch& branch : branches) {
    for (const Measure measure : branch.measures) {
      for (const Neighbors neighbors : both_relations) {
        for (const std::uint32_t records : records_per_person) {
          if (::testing::Test::HasFailure()) return;  // one is enough
          const Person person{neighbors, records};
          SCOPED_TRACE(words(branch, measure, person));
          compare(branch, branch_query(branch, measure, person), person);
        }
      }
    }
  }
}

void expect_parts(const std::vector<Branch>& branches, const std::vector<std::string>& ways) {
  std::set<std::string> reached;
  for_all_people(branches, [&reached](const Branch& branch, const QuantileQuery& query, const Person& person) {
    std::set<std::string> found;
    for (std::uint64_t seed = 0; seed < branch.seeds; ++seed)
      found.insert(compare(branch, query, person, seed, reached));
    for (const char* reach : branch.reaches) EXPECT_TRUE(found.contains(reach)) << reach;
  });
  for (const std::string& way : ways) EXPECT_TRUE(reached.contains(way)) << way;
}

TEST(Branches, OfPublishedMechanismsAreTheirParts) {
  expect_parts(published_branches(),
               {"approximate independent", "pure approximate, 3 levels", "pure approximate, 3 levels, heaps",
                "pure approximate, 3 levels, no heaps", "pure exponential", "pure exponential, heaps",
                "pure independent", "pure joint", "pure joint, heaps", "pure tree", "zcdp approximate, 3 levels",
                "zcdp approximate, 3 levels, no heaps", "zcdp exponential", "zcdp exponential, heaps",
                "zcdp independent", "zcdp joint", "zcdp joint, heaps", "zcdp tree"});
}
TEST(Branches, OfJointMechanismsAreTheirParts) {
  expect_parts(joint_branches(),
               {"pure joint-total", "pure joint-total, grid, heaps", "pure joint-total, grid, no heaps",
                "pure joint-total, heaps", "pure joint-total, no grid", "pure joint-total, no heaps",
                "pure joint-tree, 2 levels, heaps", "pure joint-tree, 2 levels, no heaps",
                "pure joint-tree, 3 levels, no heaps", "pure joint-tree, no heaps", "zcdp joint-total",
                "zcdp joint-total, grid, heaps", "zcdp joint-total, grid, no heaps", "zcdp joint-total, heaps",
                "zcdp joint-total, no grid", "zcdp joint-total, no heaps", "zcdp joint-tree, 2 levels, heaps",
                "zcdp joint-tree, 3 levels, no heaps", "zcdp joint-tree, no heaps"});
}
TEST(Branches, OfAutomaticAreTheirParts) {
  expect_parts(
      automatic_branches(),
      {"pure auto -> approximate, 2 levels", "pure auto -> exponential, no heaps",
       "pure auto -> joint-total, interpolated, grid, no heaps", "pure auto -> joint-total, interpolated, no grid",
       "pure auto -> joint-total, no heaps", "pure auto -> joint-tree, 2 levels, interpolated, no heaps",
       "pure auto -> joint-tree, 2 levels, no grid", "pure auto -> joint-tree, 2 levels, no heaps", "pure auto -> tree",
       "pure auto -> tree, grid", "pure auto -> tree, grid, heaps", "pure auto -> tree, heaps",
       "zcdp auto -> approximate, 2 levels", "zcdp auto -> approximate, 2 levels, heaps",
       "zcdp auto -> exponential, no heaps"});
}

// --- Bounds and groups --------------------------------------------------------------------------------------------------

const Rational bounds_share(1, 10);

BoundsSearch search_of_thousands() { return {Rational(1), 12}; }

/// A table of the values 0 .. 1000 on the search's lattice, whose candidate 2^12 is 0.
RankProfile table_for(const BoundsSearch& search, const Branch& branch, std::uint64_t seed) {
  const RankProfile table = table_of(branch, numbers_to(1000), seed);
  std::map<Position, std::uint64_t> moved;
  for (std::size_t k = 0; k < table.distinct(); ++k) moved[table.position(k) + 2 * 4096] = table.count(k);
  return testing::profile_of(search.lattice(), moved);
}

/// private_bounds.md: a tenth of the budget for two selections, of half the least quantile and of its mirror image, rounded
/// outwards to 1/1024; all of it for epsilon, none of the delta.
struct BoundsByHand {
  std::uint64_t lowest;
  std::uint64_t highest;
  Cost cost;
};
BoundsByHand bounds_by_hand(const std::vector<RankProfile>& profiles, const BoundsSearch& search,
                            const QuantileQuery& query, const Person& person, RandomBits& bits) {
  const Exponent range = query.budget.measure() == Measure::zcdp
                             ? Exponent(root_within(Rational(8) * query.budget.rho() / Rational(20)))
                             : query.budget.epsilon() / Rational(20);
  const std::vector<std::uint64_t> candidates = bound_candidates(search);
  const auto bound = [&](const Rational& quantile, Rounding rounding) {
    return candidates[ByHand::candidate(on_bounds(profiles, candidates, rounding), quantile, range, person, bits)];
  };
  const Rational outer = (query.quantiles.front() * Rational(512)).floor() / Rational(1024);
  const Rational mirrored = ((Rational(1) - query.quantiles.back()) * Rational(512)).floor() / Rational(1024);
  const std::uint64_t lower = bound(outer, Rounding::down);
  const std::uint64_t upper = bound(Rational(1) - mirrored, Rounding::up);
  const Rational twice(2);
  const Exponent cost = query.budget.measure() == Measure::zcdp
                            ? Exponent(twice * range.coefficient() * range.coefficient() / Rational(8))
                            : range * twice;
  return {std::min(lower, upper), std::max(lower, upper), {"bounds", cost}};
}

/// groups.md: each group has the whole budget, under add-remove, for all records that a person can put in or take out.
Person in_groups(const Person& person) {
  return {Neighbors::add_remove, person.neighbors == Neighbors::change_one ? 2 * person.records : person.records};
}

std::vector<Branch> bounded_branches() {
  using enum Mechanism;
  const Lattice unknown = numbers_to(1000);
  const std::vector<Measure> all{Measure::pure, Measure::zcdp, Measure::approximate};
  return {
      {.name = "approximate",
       .asked = approximate,
       .m = 3,
       .lattice = unknown,
       .records = Records::anywhere,
       .part = Part::single,
       .widths = ones(2)},
      {.name = "joint-total",
       .asked = joint_total,
       .m = 3,
       .lattice = unknown,
       .records = Records::mostly_on_tens,
       .part = Part::joint_total,
       .widths = {3},
       .adaptive = true,
       .reaches = {"heaps"}},
      {.name = "independent",
       .asked = independent,
       .m = 2,
       .lattice = unknown,
       .records = Records::anywhere,
       .part = Part::independent,
       .measures = all},
      {.name = "tree", .asked = tree, .m = 3, .lattice = unknown, .records = Records::anywhere, .part = Part::counts},
  };
}

/// (epsilon, delta) for groups is refused except for one record that comes or goes.
bool is_refused(Measure measure, const Person& person) {
  return measure == Measure::approximate && (person.neighbors == Neighbors::change_one || person.records > 1);
}

TEST(Branches, WithPrivateBoundsAreTheirParts) {
  for_all_people(bounded_branches(), [](const Branch& branch, const QuantileQuery& query, const Person& person) {
    const BoundsSearch search = search_of_thousands();
    const RankProfile table = table_for(search, branch, 0);
    for (std::uint64_t seed = 0; seed < branch.seeds; ++seed) {
      RandomBits bits = RandomBits::unsafe_seeded(seed);
      const Release release = fractile::release(table, {query, BoundsToFind{search, bounds_share}}, bits);
      RandomBits same_bits = RandomBits::unsafe_seeded(seed);
      const auto [lowest, highest, cost] = bounds_by_hand({table}, search, query, person, same_bits);
      const Lattice lattice = Lattice::regular(search.lattice().at(lowest), search.lattice().at(highest), 1);
      EXPECT_EQ(release.lattice.lower(), lattice.lower());
      EXPECT_EQ(release.lattice.upper(), lattice.upper());
      ByHand by_hand(branch, query, lattice, person, same_bits);
      const Budget rest = query.budget.scaled(Rational(9, 10));
      Outcome parts = by_hand.released(clamped(table, lowest, highest), rest);
      EXPECT_EQ(release.only().indices, parts.indices);
      parts.costs.insert(parts.costs.begin(), cost);
      expect_costs(release.only().spent, parts.costs, query.budget);
      EXPECT_EQ(release.unsafe_seed, seed);
      EXPECT_EQ(release.cost().to_string(), query.budget.to_string());
      EXPECT_EQ(bits.next64(), same_bits.next64());
    }
  });
}

std::vector<Branch> grouped_branches() {
  std::vector<Branch> branches = bounded_branches();
  branches.push_back({.name = "auto",
                      .asked = Mechanism::automatic,
                      .m = 30,
                      .lattice = hundredths_to(1000),
                      .records = Records::on_thousands,
                      .part = Part::joint_total,
                      .widths = {5, 5},
                      .adaptive = true,
                      .counts_after_granularity = true,
                      .measures = {Measure::pure},
                      .rows = 15'000,  // so that the grid is found for six records a person, too
                      .reaches = {"grid"}});
  return branches;
}

TEST(Branches, OfGroupsAreTheirParts) {
  for_all_people(grouped_branches(), [](const Branch& branch, const QuantileQuery& query, const Person& person) {
    if (is_refused(query.budget.measure(), person)) return;
    const std::vector<RankProfile> tables{table_of(branch, branch.lattice, 0), table_of(branch, branch.lattice, 1)};
    for (std::uint64_t seed = 0; seed < branch.seeds; ++seed) {
      RandomBits bits = RandomBits::unsafe_seeded(seed);
      const Release groups = release({"a", "b"}, tables, query, bits);
      RandomBits same_bits = RandomBits::unsafe_seeded(seed);
      for (std::size_t g = 0; g < tables.size(); ++g) {
        RandomBits own = same_bits.split().value();
        ByHand by_hand(branch, query, branch.lattice, in_groups(person), own);
        const Outcome parts = by_hand.released(tables[g], query.budget);
        EXPECT_EQ(groups.groups[g].indices, parts.indices);
        expect_costs(groups.groups[g].spent, parts.costs, query.budget);
      }
      EXPECT_EQ(groups.query.records_per_person, person.records);
      EXPECT_EQ(groups.query.neighbors, person.neighbors);
      EXPECT_EQ(groups.unsafe_seed, seed);
      EXPECT_EQ(bits.next64(), same_bits.next64());
    }
  });
}

TEST(Branches, OfGroupsWithPrivateBoundsAreTheirParts) {
  for_all_people(bounded_branches(), [](const Branch& branch, const QuantileQuery& query, const Person& person) {
    if (is_refused(query.budget.measure(), person)) return;
    const BoundsSearch search = search_of_thousands();
    const std::vector<RankProfile> tables{table_for(search, branch, 0), table_for(search, branch, 1)};
    for (std::uint64_t seed = 0; seed < branch.seeds; ++seed) {
      RandomBits bits = RandomBits::unsafe_seeded(seed);
      const Release groups = release({"a", "b"}, tables, {query, BoundsToFind{search, bounds_share}}, bits);
      RandomBits same_bits = RandomBits::unsafe_seeded(seed);
      const auto [lowest, highest, cost] = bounds_by_hand(tables, search, query, person, same_bits);
      const Lattice lattice = Lattice::regular(search.lattice().at(lowest), search.lattice().at(highest), 1);
      for (std::size_t g = 0; g < tables.size(); ++g) {
        RandomBits own = same_bits.split().value();
        ByHand by_hand(branch, query, lattice, in_groups(person), own);
        const RankProfile table = clamped(tables[g], lowest, highest);
        Outcome parts = by_hand.released(table, query.budget.scaled(Rational(9, 10)));
        EXPECT_EQ(groups.groups[g].indices, parts.indices);
        parts.costs.insert(parts.costs.begin(), cost);
        expect_costs(groups.groups[g].spent, parts.costs, query.budget);
      }
      EXPECT_EQ(groups.unsafe_seed, seed);
      EXPECT_EQ(groups.cost().to_string(), query.budget.to_string());
      EXPECT_EQ(bits.next64(), same_bits.next64());
    }
  });
}

}  // namespace
}  // namespace fractile
