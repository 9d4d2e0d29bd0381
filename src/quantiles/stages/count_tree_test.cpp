#include "quantiles/stages/count_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"
#include "support/draws.hpp"
#include "support/neighbors.hpp"
#include "support/profiles.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::both_relations;
using testing::chi_square_p;
using testing::effort;
using testing::FreeDraws;

QuantileQuery query_with(Budget budget, Neighbors neighbors = Neighbors::add_remove, std::uint32_t persons = 1) {
  QuantileQuery query{{Rational(1, 2)}, std::move(budget)};
  query.neighbors = neighbors;
  query.records_per_person = persons;
  return query;
}

QuantileQuery pure_query(const char* epsilon, Neighbors neighbors = Neighbors::add_remove, std::uint32_t persons = 1) {
  return query_with(Budget::pure(Exponent::parse(epsilon)), neighbors, persons);
}

QuantileQuery zcdp_query(const char* rho, Neighbors neighbors = Neighbors::add_remove, std::uint32_t persons = 1) {
  return query_with(Budget::zcdp(Rational::parse(rho)), neighbors, persons);
}

/// The profile of records at the given positions.
RankProfile profile_of(std::uint64_t candidates, const std::vector<Position>& records) {
  std::map<Position, std::uint64_t> counted;
  for (const Position p : records) ++counted[p];
  return testing::profile_of(candidates, counted);
}

TEST(CountTree, ShapesFollowFromTheNumberOfCandidates) {
  const auto expect = [](std::uint64_t candidates, std::size_t branching, int height) {
    const CountTreeShape shape = count_tree_shape(candidates);
    EXPECT_EQ(shape.branching(), branching) << candidates;
    EXPECT_EQ(shape.height(), height) << candidates;
  };
  expect(1, 1, 1);
  expect(2, 2, 1);
  expect(16, 16, 1);
  expect(17, 5, 2);
  expect(201, 15, 2);
  expect(4096, 16, 3);
  expect(20001, 12, 4);
  expect(65536, 16, 4);
  expect(Lattice::max_size, 16, 4);
  EXPECT_EQ(count_tree_shape(Lattice::max_size).nodes(), 69904U);
  EXPECT_THROW(count_tree_shape(9, 1, 4), Error);
  EXPECT_THROW(count_tree_shape(9, 16, 0), Error);
  EXPECT_THROW(count_tree_shape(9, 16, 7), Error);
}

TEST(CountTree, NodesAreEqualPartsOfTheLevelBelow) {
  EXPECT_TRUE(rc::check("every candidate lies in its leaf, every node in its parent; none is empty or too large", [] {
    const auto candidates = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 3000),
                                            rc::gen::inRange<std::uint64_t>(1, Lattice::max_size + 1));
    const auto branching = *rc::gen::inRange<std::size_t>(2, 20);
    const CountTreeShape shape = count_tree_shape(candidates, branching, *rc::gen::inRange(1, 5));
    RC_ASSERT(shape.leaf_start(0) == 0U);
    RC_ASSERT(shape.leaf_start(shape.leaves()) == candidates);
    const auto leaf = *rc::gen::inRange<std::size_t>(0, shape.leaves());
    RC_ASSERT(shape.leaf_start(leaf) < shape.leaf_start(leaf + 1));
    RC_ASSERT(shape.leaf_of(shape.leaf_start(leaf)) == leaf);
    RC_ASSERT(shape.leaf_of(shape.leaf_start(leaf + 1) - 1) == leaf);
    RC_ASSERT(shape.level_size(0) == 1U);
    const auto level = *rc::gen::inRange(0, shape.height());
    RC_ASSERT(shape.first_child(level, shape.level_size(level)) == shape.level_size(level + 1));
    const auto node = *rc::gen::inRange<std::size_t>(0, shape.level_size(level));
    const std::size_t first = shape.first_child(level, node);
    const std::size_t end = shape.first_child(level, node + 1);
    RC_ASSERT(first < end);
    RC_ASSERT(end - first <= shape.branching());
    RC_ASSERT(shape.parent(level + 1, first) == node);
    RC_ASSERT(shape.parent(level + 1, end - 1) == node);
  }));
}

TEST(CountTree, CountsEveryRecordOnceALevel) {
  // Candidates 0 .. 4 in leaves {0}, {1}, {2}, {3, 4}.
  const CountTreeShape shape{5, 2, 2};
  const RankProfile profile = profile_of(5, {0, 1, 2, 5, 6, 7, 9, 10});
  // 0 and 1 count with candidate 0, 2 with 1, 5 with 2, 6 and 7 with 3, 9 and 10 with 4.
  EXPECT_EQ(node_counts(profile, shape), (std::vector<std::int64_t>{3, 5, 2, 1, 1, 4}));
}

// --- The law of what is released ------------------------------------------------------------------------------------

/// The law of one count's noise on -reach .. reach, beyond which almost nothing lies.
std::vector<double> noise_law(const CountTreeNoise& noise, int reach) {
  std::vector<Enclosure> weights;
  Enclosure total = Enclosure::of(Rational(0));
  for (std::int64_t k = -400; k <= 400; ++k) {
    const Exponent cost = noise.measure() == Measure::pure ? noise.rate() * Rational(std::abs(k))
                                                           : Rational(k * k) / (Rational(2) * noise.sigma_squared());
    const Enclosure weight = exp_of_minus(cost);
    total += weight;
    if (std::abs(k) <= reach) weights.push_back(weight);
  }
  std::vector<double> law;
  for (const Enclosure& weight : weights) law.push_back((weight / total).to_double());
  return law;
}

/// The law of two noises: a cell for each pair within the reach, and one cell for all others.
std::vector<double> law_of_pairs(const std::vector<double>& law) {
  std::vector<double> pairs;
  double rest = 1;
  for (const double a : law) {
    for (const double b : law) {
      pairs.push_back(a * b);
      rest -= a * b;
    }
  }
  pairs.push_back(rest);
  return pairs;
}

using Draw = std::function<std::vector<std::int64_t>(RandomBits&)>;

/// The least p-value over all pairs of nodes, if their two noises are independent.
double worst_pair(const std::vector<std::int64_t>& counts, const CountTreeNoise& noise, const Draw& draw) {
  constexpr int reach = 3;
  constexpr std::size_t width = 2 * reach + 1;
  const std::vector<double> expected = law_of_pairs(noise_law(noise, reach));
  const std::size_t nodes = counts.size();
  std::vector<std::vector<std::uint64_t>> observed(nodes * nodes, std::vector<std::uint64_t>(expected.size()));
  RandomBits bits = RandomBits::system();
  for (std::uint64_t i = 0; i < effort(60'000); ++i) {
    const std::vector<std::int64_t> noisy = draw(bits);
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = 0; b < nodes; ++b) {
        const std::int64_t first = noisy[a] - counts[a] + reach;
        const std::int64_t second = noisy[b] - counts[b] + reach;
        const bool inside = std::min(first, second) >= 0 && std::max(first, second) <= 2 * reach;
        const std::size_t cell =
            inside ? static_cast<std::size_t>(first) * width + static_cast<std::size_t>(second) : expected.size() - 1;
        ++observed[a * nodes + b][cell];
      }
    }
  }
  double worst = 1;
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = 0; b < nodes; ++b) {
      if (a != b) worst = std::min(worst, chi_square_p(observed[a * nodes + b], expected));
    }
  }
  return worst;
}

TEST(CountTree, ReleasesCountsWithIndependentNoises) {
  const CountTreeShape shape{5, 2, 2};
  const RankProfile profile = profile_of(5, {1, 1, 3, 5, 9, 9, 9});
  for (const QuantileQuery& query : {pure_query("2"), pure_query("ln 9", Neighbors::change_one), zcdp_query("1/2")}) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const CountTreeNoise noise(query, shape.height());
      const Draw draw = [&](RandomBits& bits) {
        return noisy_counts(profile, shape, noise, FreeDraws(bits, filter, query.budget.measure()).part());
      };
      EXPECT_GT(worst_pair(node_counts(profile, shape), noise, draw), 1e-10) << to_string(query.budget.measure());
    }
  }
}

/// Noises keyed by level and place among the siblings, as published code (SliceQuantiles) keys them.
std::size_t key_by_sibling(const CountTreeShape& shape, std::size_t node) {
  int level = 1;
  while (node >= shape.level_start(level + 1)) ++level;
  return static_cast<std::size_t>(level - 1) * shape.branching() +
         (node - shape.level_start(level)) % shape.branching();
}

TEST(CountTreeMutant, NoiseSharedBetweenSubtreesHasAnotherLaw) {
  const CountTreeShape shape{5, 2, 2};
  const RankProfile profile = profile_of(5, {1, 1, 3, 5, 9, 9, 9});
  const CountTreeNoise noise(pure_query("2"), shape.height());
  const Draw shared = [&](RandomBits& bits) {
    std::vector<std::int64_t> counts = node_counts(profile, shape);
    std::map<std::size_t, std::int64_t> drawn;
    for (std::size_t node = 0; node < counts.size(); ++node) {
      const auto [at, fresh] = drawn.try_emplace(key_by_sibling(shape, node), 0);
      if (fresh) at->second = noise.noisy(0, bits);
      counts[node] += at->second;
    }
    return counts;
  };
  EXPECT_LT(worst_pair(node_counts(profile, shape), noise, shared), 1e-10);
}

// At such a rate all noise passes 2^62: a sum that is not clamped would tell the count.
TEST(CountTree, SumsBeyondMachineWordsTellNothing) {
  const CountTreeShape shape = count_tree_shape(16);
  const CountTreeNoise noise(pure_query("1e-300"), shape.height());
  RandomBits bits = RandomBits::system();
  for (const std::int64_t count : noisy_counts(profile_of(16, {1, 1, 1, 9}), shape, noise, FreeDraws(bits).part())) {
    EXPECT_EQ(std::abs(count), std::int64_t{1} << 61);
  }
  EXPECT_THROW(CountTreeNoise(zcdp_query("1e-300"), 4), Error);
}

// --- Privacy, in exact arithmetic -----------------------------------------------------------------------------------

using Table = std::vector<std::uint64_t>;  // records at each position 0 .. 2 candidates

void list_tables(std::size_t position, std::uint64_t left, Table& table, std::vector<Table>& all) {
  if (position == table.size()) {
    all.push_back(table);
    return;
  }
  for (std::uint64_t here = 0; here <= left; ++here) {
    table[position] = here;
    list_tables(position + 1, left - here, table, all);
  }
  table[position] = 0;
}

std::vector<Table> tables_of(std::uint64_t candidates, std::uint64_t records) {
  std::vector<Table> all;
  Table table(2 * candidates + 1);
  list_tables(0, records, table, all);
  return all;
}

/// Whether at most `distance` records are added or removed, or replaced (dropped and added counting as replaced).
bool are_neighbors(const Table& a, const Table& b, Neighbors neighbors, std::uint64_t distance) {
  std::uint64_t gained = 0;
  std::uint64_t lost = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    gained += b[k] > a[k] ? b[k] - a[k] : 0;
    lost += a[k] > b[k] ? a[k] - b[k] : 0;
  }
  return neighbors == Neighbors::add_remove ? gained + lost <= distance : std::max(gained, lost) <= distance;
}

using NoiseOf = std::size_t (*)(const CountTreeShape& shape, std::size_t node);

std::size_t one_a_node(const CountTreeShape&, std::size_t node) { return node; }

/// A tree whose nodes have the noises with the numbers `noise_of`.
struct Tree {
  CountTreeShape shape;
  NoiseOf noise_of = one_a_node;
};

/// The difference of two tables' counts: the sums of |difference| and of difference^2 over the noises.
struct Move {
  std::int64_t l1 = 0;
  std::int64_t l2_squared = 0;
};

/// The move between two tables; nothing if two counts with one noise move differently: their difference is released as it is, so
/// the two tables have no output in common.
std::optional<Move> move_between(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                 const Tree& tree) {
  std::map<std::size_t, std::int64_t> by_noise;
  for (std::size_t node = 0; node < a.size(); ++node) {
    const std::int64_t difference = b[node] - a[node];
    const auto [at, fresh] = by_noise.try_emplace(tree.noise_of(tree.shape, node), difference);
    if (!fresh && at->second != difference) return std::nullopt;
  }
  Move move;
  for (const auto& [noise, difference] : by_noise) {
    move.l1 += std::abs(difference);
    move.l2_squared += difference * difference;
  }
  return move;
}

struct Verdict {
  bool holds = true;
  bool attained = false;  // some pair costs exactly the budget
};

/// Pure: the log ratio of two outputs' probabilities is at most rate * l1, and is that where all noises have the sign of
/// the move. zCDP: discrete Gaussians shifted by integers cost difference^2 / (2 sigma^2) (Canonne, Kamath and Steinke
/// 2020, Proposition 5), with equality at integer orders.
Verdict audit(const Tree& tree, const CountTreeNoise& noise, const QuantileQuery& query, std::uint64_t records = 3) {
  const std::vector<Table> tables = tables_of(tree.shape.candidates(), records);
  std::vector<std::vector<std::int64_t>> counts;
  for (const Table& table : tables) {
    std::vector<Position> positions;
    for (Position p = 0; p < table.size(); ++p) positions.insert(positions.end(), table[p], p);
    counts.push_back(node_counts(profile_of(tree.shape.candidates(), positions), tree.shape));
  }
  const bool pure = query.budget.measure() == Measure::pure;
  const Exponent budget = pure ? query.budget.epsilon() : Exponent(query.budget.rho());
  Verdict verdict;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t j = 0; j < tables.size(); ++j) {
      if (!are_neighbors(tables[i], tables[j], query.neighbors, query.records_per_person)) continue;
      const std::optional<Move> move = move_between(counts[i], counts[j], tree);
      if (!move) return {false, false};
      const Exponent cost = pure ? noise.rate() * Rational(move->l1)
                                 : Exponent(Rational(move->l2_squared) / (Rational(2) * noise.sigma_squared()));
      if (cost > budget) verdict.holds = false;
      if (cost == budget) verdict.attained = true;
    }
  }
  return verdict;
}

const std::vector<Tree>& small_trees() {
  static const std::vector<Tree> all{{{5, 2, 2}}, {{4, 4, 1}}, {{4, 2, 2}}, {{8, 2, 3}}, {{5, 3, 2}}};
  return all;
}

TEST(CountTreeAudit, TheBudgetIsKeptAndSpentEntirely) {
  for (const Tree& tree : small_trees()) {
    for (const Neighbors neighbors : both_relations) {
      for (const std::uint32_t persons : {1U, 2U}) {
        const std::uint64_t records = tree.shape.candidates() > 5 ? 2 : 3;
        for (const QuantileQuery& query :
             {pure_query("1", neighbors, persons), pure_query("2 ln 3", neighbors, persons),
              zcdp_query("1/2", neighbors, persons), zcdp_query("0.3", neighbors, persons)}) {
          const Verdict verdict = audit(tree, CountTreeNoise(query, tree.shape.height()), query, records);
          EXPECT_TRUE(verdict.holds) << tree.shape.height() << " " << to_string(neighbors) << " " << persons;
          EXPECT_TRUE(verdict.attained) << tree.shape.height() << " " << to_string(neighbors) << " " << persons;
        }
      }
    }
  }
}

TEST(CountTreeAuditMutant, NoiseSharedBetweenSubtreesIsCaught) {
  const Tree shared{{4, 2, 2}, key_by_sibling};
  for (const QuantileQuery& query : {pure_query("1"), zcdp_query("1/2")}) {
    EXPECT_FALSE(audit(shared, CountTreeNoise(query, 2), query).holds);
  }
}

TEST(CountTreeAuditMutant, AForgottenLevelIsCaught) {
  for (const Neighbors neighbors : both_relations) {
    for (const QuantileQuery& query : {pure_query("1", neighbors), zcdp_query("1/2", neighbors)}) {
      EXPECT_FALSE(audit({{4, 2, 2}}, CountTreeNoise(query, 1), query).holds);
    }
  }
}

TEST(CountTreeAuditMutant, AddRemoveRatesForChangedRecordsAreCaught) {
  for (const auto& query_under : {std::function([](Neighbors n) { return pure_query("1", n); }),
                                  std::function([](Neighbors n) { return zcdp_query("1/2", n); })}) {
    const CountTreeNoise noise(query_under(Neighbors::add_remove), 2);
    EXPECT_FALSE(audit({{4, 2, 2}}, noise, query_under(Neighbors::change_one)).holds);
  }
}

TEST(CountTreeAuditMutant, ASecondRecordOfAPersonIsCaught) {
  for (const Neighbors neighbors : both_relations) {
    EXPECT_FALSE(
        audit({{4, 2, 2}}, CountTreeNoise(pure_query("1", neighbors), 2), pure_query("1", neighbors, 2)).holds);
    EXPECT_FALSE(
        audit({{4, 2, 2}}, CountTreeNoise(zcdp_query("1/2", neighbors), 2), zcdp_query("1/2", neighbors, 2)).holds);
  }
}

// --- Post-processing ------------------------------------------------------------------------------------------------

/// Least squares over leaf counts, by the normal equations: every node's count is the sum of the leaves below it.
std::vector<double> least_squares(const std::vector<std::int64_t>& noisy, const CountTreeShape& shape) {
  const std::size_t leaves = shape.leaves();
  std::vector<std::vector<double>> below(shape.nodes(), std::vector<double>(leaves));
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    std::size_t node = leaf;
    for (int level = shape.height(); level >= 1; node = shape.parent(level--, node)) {
      below[shape.level_start(level) + node][leaf] = 1;
    }
  }
  std::vector<std::vector<double>> system(leaves, std::vector<double>(leaves + 1));
  for (std::size_t node = 0; node < noisy.size(); ++node) {
    for (std::size_t i = 0; i < leaves; ++i) {
      for (std::size_t j = 0; j < leaves; ++j) system[i][j] += below[node][i] * below[node][j];
      system[i][leaves] += below[node][i] * static_cast<double>(noisy[node]);
    }
  }
  for (std::size_t pivot = 0; pivot < leaves; ++pivot) {  // Gauss-Jordan; the matrix is positive definite
    for (std::size_t i = 0; i < leaves; ++i) {
      if (i == pivot) continue;
      const double factor = system[i][pivot] / system[pivot][pivot];
      for (std::size_t j = 0; j <= leaves; ++j) system[i][j] -= factor * system[pivot][j];
    }
  }
  std::vector<double> counts(noisy.size());
  for (std::size_t node = 0; node < noisy.size(); ++node) {
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      counts[node] += below[node][leaf] * system[leaf][leaves] / system[leaf][leaf];
    }
  }
  return counts;
}

TEST(CountTree, ConsistencyIsLeastSquares) {
  std::mt19937_64 random(11);
  for (const CountTreeShape& shape :
       {CountTreeShape{8, 2, 3}, CountTreeShape{9, 3, 2}, CountTreeShape{5, 5, 1}, CountTreeShape{1000, 3, 3},
        CountTreeShape{1, 1, 1}, CountTreeShape{7, 2, 3}, CountTreeShape{17, 5, 2}, CountTreeShape{31, 4, 3}}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::vector<std::int64_t> noisy(shape.nodes());
      for (std::int64_t& count : noisy) count = static_cast<std::int64_t>(random() % 200) - 60;
      const std::vector<double> expected = least_squares(noisy, shape);
      const std::vector<double> counts = consistent_counts(noisy, shape);
      for (std::size_t node = 0; node < noisy.size(); ++node) {
        EXPECT_NEAR(counts[node], expected[node], 1e-9) << shape.branching() << " " << shape.height() << " " << node;
      }
    }
  }
}

TEST(CountTree, ExactCountsAreAlreadyConsistent) {
  const CountTreeShape shape = count_tree_shape(300);
  const std::vector<std::int64_t> counts = node_counts(profile_of(300, {1, 77, 77, 78, 401, 599, 600}), shape);
  const std::vector<double> consistent = consistent_counts(counts, shape);
  for (std::size_t node = 0; node < counts.size(); ++node) {
    EXPECT_NEAR(consistent[node], static_cast<double>(counts[node]), 1e-12);
  }
}

TEST(CountTree, WithoutNoiseIsWithinALeafOfATrueQuantile) {
  EXPECT_TRUE(rc::check("any data", [] {
    const auto candidates = *rc::gen::element<std::uint64_t>(1, 2, 5, 100, 300, 70'000, std::uint64_t{1} << 50);
    auto positions = *rc::gen::nonEmpty(rc::gen::container<std::vector<Position>>(
        rc::gen::inRange<Position>(0, std::min<Position>(2 * candidates, 999) + 1)));
    std::ranges::sort(positions);
    const RankProfile profile = profile_of(candidates, positions);
    QuantileQuery query = pure_query("1e9");
    query.quantiles.clear();
    for (int i = 0; i <= 24; ++i) query.quantiles.emplace_back(i, 24);
    const CountTreeShape shape = count_tree_shape(candidates);
    RandomBits bits = RandomBits::system();
    const auto indices = sample_tree_quantiles(profile, query.quantiles, shape, CountTreeNoise(query, shape.height()),
                                               FreeDraws(bits).part());
    const auto leaf_of_rank = [&](std::int64_t rank) {
      const auto k = std::clamp<std::int64_t>(rank, 0, static_cast<std::int64_t>(positions.size()) - 1);
      return shape.leaf_of(std::min(positions[static_cast<std::size_t>(k)] / 2, candidates - 1));
    };
    for (std::size_t i = 0; i < indices.size(); ++i) {
      // A true quantile lies between the records just below and just above rank q n.
      const Rational rank = query.quantiles[i] * Rational(positions.size());
      RC_ASSERT(leaf_of_rank(rank.ceil().to_int64() - 1) <= shape.leaf_of(indices[i]));
      RC_ASSERT(shape.leaf_of(indices[i]) <= leaf_of_rank(rank.floor().to_int64()));
    }
  }));
}

TEST(CountTree, LeavesAreInterpolatedLinearly) {
  // One leaf holds everything: 64 candidates, 8 quantiles.
  const CountTreeShape shape{256, 2, 2};
  std::vector<double> counts{10, 0, 0, 10, 0, 0};
  std::vector<Rational> quantiles;
  for (int i = 0; i <= 8; ++i) quantiles.emplace_back(i, 8);
  EXPECT_EQ(quantiles_of_counts(counts, shape, quantiles),
            (std::vector<std::uint64_t>{64, 72, 80, 88, 96, 104, 112, 120, 127}));
  // Nothing anywhere: equal shares of the candidates.
  counts.assign(6, 0);
  EXPECT_EQ(quantiles_of_counts(counts, shape, quantiles),
            (std::vector<std::uint64_t>{0, 32, 64, 96, 128, 160, 192, 224, 255}));
  counts.assign(6, -5);
  EXPECT_EQ(quantiles_of_counts(counts, shape, quantiles).back(), 255U);
}

TEST(CountTree, NegativeCountsAreEvenedOut) {
  // Running sums 0, 4, 1, 5, 8 become 0, 2.5, 2.5, 5, 8.
  const CountTreeShape shape{4, 4, 1};
  const std::vector<double> counts{4, -3, 4, 3};
  const auto at = [&](std::int64_t tenths) {
    return quantiles_of_counts(counts, shape, {Rational(tenths, 10)}).front();
  };
  EXPECT_EQ(at(3), 0U);  // 2.4 of 8
  EXPECT_EQ(at(4), 2U);  // 3.2
  EXPECT_EQ(at(6), 2U);  // 4.8
  EXPECT_EQ(at(7), 3U);  // 5.6
}

TEST(CountTree, IsOrderedAndOnTheLattice) {
  EXPECT_TRUE(rc::check("any data, any budget", [] {
    const auto candidates = *rc::gen::element<std::uint64_t>(1, 2, 7, 40, 1000, Lattice::max_size);
    const auto positions = *rc::gen::container<std::vector<Position>>(
        rc::gen::inRange<Position>(0, std::min<Position>(2 * candidates, 60) + 1));
    const Neighbors neighbors = *rc::gen::element(Neighbors::add_remove, Neighbors::change_one);
    QuantileQuery query = *rc::gen::element(pure_query("0.1", neighbors), pure_query("5", neighbors),
                                            pure_query("1e-15", neighbors), pure_query("1e300", neighbors),
                                            zcdp_query("0.01", neighbors), zcdp_query("1e-20", neighbors));
    query.quantiles.clear();
    for (int i = 0; i <= 40; ++i) query.quantiles.emplace_back(i, 40);
    const CountTreeShape shape =
        count_tree_shape(candidates, *rc::gen::inRange<std::size_t>(2, 9), *rc::gen::inRange(1, 4));
    RandomBits bits = RandomBits::system();
    const auto indices = sample_tree_quantiles(profile_of(candidates, positions), query.quantiles, shape,
                                               CountTreeNoise(query, shape.height()),
                                               FreeDraws(bits, {}, query.budget.measure()).part());
    RC_ASSERT(indices.size() == query.quantiles.size());
    RC_ASSERT(std::ranges::is_sorted(indices));
    RC_ASSERT(indices.back() < candidates);
  }));
}

}  // namespace
}  // namespace fractile
