#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "fractile/publication.hpp"
#include "fractile/release.hpp"
#include "libraries/fmt.hpp"
#include "publication/publication_test_support.hpp"
#include "publication/remaining_parts.hpp"
#include "report/text/decimals.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using publication_test::earnings;
using publication_test::table_by;

Rational sum_of_shares(const std::vector<PublicationPart>& parts) {
  Rational sum = 0;
  for (const PublicationPart& part : parts) sum += part.share;
  return sum;
}

/// Expects the exact sum in the ledger's arithmetic, which does not use shares.
void expect_exactly(const std::vector<PublicationPart>& parts, const Budget& budget) {
  if (budget.measure() == Measure::zcdp) {
    std::vector<Rational> rhos;
    for (const PublicationPart& part : parts) rhos.push_back(part.cost.rho());
    EXPECT_EQ(compose_zcdp(rhos), budget.rho());
    return;
  }
  std::vector<Exponent> epsilons;
  for (const PublicationPart& part : parts) epsilons.push_back(part.cost.epsilon());
  EXPECT_EQ(compose_pure(epsilons), EpsilonSum(budget.epsilon()));
}

std::vector<Rational> shares_of(const Publication& publication) {
  std::vector<Rational> shares;
  for (const PublicationPart& part : parts(publication)) shares.push_back(part.share);
  return shares;
}

/// Whether counts are drawn here: at the finest level or, for persons' values, at each level.
bool has_counts_at(const Publication& publication, const PublicationPart& part) {
  const PublicationTable& table = publication.tables[part.table];
  return table.has_counts() && (part.level == 0 || table.per_person.has_value());
}

/// Theorem 1 of docs/proofs/publication.md, over publications of any shape.
TEST(PublicationParts, AddUpToTheBudgetExactly) {
  EXPECT_TRUE(rc::check([] {
    const auto whole = [](int least, int most) { return *rc::gen::inRange(least, most + 1); };
    Publication publication = earnings(*rc::gen::element(Budget::pure(Rational(1)), Budget::pure(Rational(1, 3)),
                                                         Budget::pure(Exponent::log(3)), Budget::zcdp(Rational(1, 7))));
    publication.person = "id";
    publication.tables.clear();
    for (int t = whole(1, 4); t > 0; --t) {
      PublicationTable table = table_by("table " + std::to_string(t), {"region", "sex"}, {{0, 1}, {0}, {1}, {}});
      table.levels.resize(static_cast<std::size_t>(whole(1, 4)));
      table.lattice = Lattice::regular(0, whole(0, 100'000), 1);
      table.count = *rc::gen::arbitrary<bool>();
      if (table.count && *rc::gen::arbitrary<bool>()) table.quantiles.clear();
      if (*rc::gen::arbitrary<bool>()) table.per_person = PerPerson::max;
      if (*rc::gen::arbitrary<bool>()) table.share = Rational(whole(1, 9), whole(1, 9));
      if (*rc::gen::arbitrary<bool>()) {
        const std::size_t drawn = table.drawn_levels();
        for (std::size_t l = 0; l < drawn; ++l) table.level_shares.emplace_back(whole(1, 9), whole(1, 9));
      }
      if (*rc::gen::arbitrary<bool>()) {
        for (int cell = 0; cell < 8; ++cell) table.expected_rows.push_back(static_cast<std::uint64_t>(whole(0, 5000)));
      }
      publication.tables.push_back(table);
    }
    const std::vector<PublicationPart> all = parts(publication);
    RC_ASSERT(sum_of_shares(all) == Rational(1));
    expect_exactly(all, publication.budget);
    for (const PublicationPart& part : all) {
      RC_ASSERT(part.share.sign() > 0);
      RC_ASSERT((part.counts_share.sign() > 0) == has_counts_at(publication, part));
      RC_ASSERT(part.query.budget.to_string() == part.cost.to_string());
    }
  }));
}

TEST(PublicationParts, AreOneForEachLevelThatDraws) {
  Publication publication = earnings();
  publication.tables.push_back(table_by("hours", {"sex"}, {{0}, {}}));
  publication.tables.back().count = true;
  publication.tables.push_back(table_by("people", {"region"}, {{0}, {}}));
  publication.tables.back().quantiles.clear();
  publication.tables.back().count = true;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::vector<Rational> counted;
  for (const PublicationPart& part : parts(publication)) {
    places.emplace_back(part.table, part.level);
    counted.push_back(part.counts_share);
  }
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(places, (Places{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {2, 0}}));
  EXPECT_EQ(counted, (std::vector<Rational>{0, 0, 0, 0, Rational(1, 10), 0, 1}));
}

/// A margin with half as many cells has twice the records in each, and so needs half of the budget for the same relative error. A fiftieth
/// of the budget is shared evenly.
TEST(PublicationParts, AreInProportionToCells) {
  const auto share = [](const Rational& of_rest) { return Rational(1, 200) + Rational(49, 50) * of_rest; };
  const auto is_near = [](const Rational& a, const Rational& b) {
    const Rational off = a - b;
    return off < Rational(4, 1'000'000) && -off < Rational(4, 1'000'000);
  };
  const std::vector<Rational> pure = shares_of(earnings());
  const std::vector<Rational> rho = shares_of(earnings(Budget::zcdp(Rational(1, 2))));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t cells = 8 >> i;
    EXPECT_TRUE(is_near(pure[i], share(Rational(cells, 15)))) << pure[i].to_string();
    EXPECT_TRUE(is_near(rho[i], share(Rational(cells * cells, 85)))) << rho[i].to_string();
  }
}

TEST(PublicationParts, AreRoundedToMillionths) {
  const std::vector<Rational> shares = shares_of(earnings());
  EXPECT_EQ(shares, (std::vector<Rational>{Rational(527'668, 1'000'000), Rational(266'333, 1'000'000),
                                           Rational(135'666, 1'000'000), Rational(70'333, 1'000'000)}));
}

/// The smallest number of rows in a cell decides, not the number of cells. Cells without records, or that no budget saves, do not count.
TEST(PublicationParts, FollowTheSmallestCell) {
  Publication publication = earnings();
  publication.tables.front().expected_rows = {0, 2, 100, 1000, 1000, 1000, 1000, 1000};
  const std::vector<Rational> shares = shares_of(publication);
  // The smallest cell has 100 rows. By region it has 1100 (n has 2 and is beyond saving), by sex 2100, and in total 5102.
  const Rational sum = Rational(1, 100) + Rational(1, 1100) + Rational(1, 2100) + Rational(1, 5102);
  const Rational exact = Rational(1, 200) + Rational(49, 50) * Rational(1, 100) / sum;
  EXPECT_LT((shares[0] - exact).to_double(), 4e-6);
  EXPECT_GE(shares[0], exact - Rational(1, 1'000'000));
}

TEST(PublicationParts, AreAsStated) {
  Publication publication = earnings();
  publication.tables.push_back(table_by("hours", {"sex"}, {{0}, {}}));
  publication.tables.back().share = 2;
  publication.tables.back().level_shares = {5, 2};
  const std::vector<Rational> shares = shares_of(publication);
  EXPECT_EQ(shares[0] + shares[1] + shares[2] + shares[3], Rational(1, 3));
  EXPECT_EQ(shares[4], Rational(10, 21));
  EXPECT_EQ(shares[5], Rational(4, 21));
}

/// Nine quantiles together have about three times the error of one.
TEST(PublicationParts, FavorTheTableOfMoreQuantiles) {
  Publication publication = earnings();
  publication.tables = {table_by("one", {}, {{}}), table_by("nine", {}, {{}})};
  publication.tables[0].quantiles = {Rational(1, 2)};
  publication.tables[1].quantiles.clear();
  for (int i = 1; i < 10; ++i) publication.tables[1].quantiles.emplace_back(i, 10);
  const std::vector<Rational> shares = shares_of(publication);
  EXPECT_NEAR((shares[1] / shares[0]).to_double(), (0.01 + 0.98 * 0.75) / (0.01 + 0.98 * 0.25), 1e-4);
}

/// The error that nine in ten releases of a level's smallest cell stay within, as a share of its records: the mean of the errors
/// ranked 85 to 95 in 100.
double error_of(const Publication& publication, const PublicationPart& part, double share, std::uint64_t releases) {
  const PublicationTable& table = publication.tables[part.table];
  const std::vector<std::uint64_t> rows = cells_of(publication, table, table.levels[part.level]).expected_rows;
  const std::uint64_t smallest = *std::ranges::min_element(rows);
  QuantileQuery query = part.query;
  query.budget = publication.budget.scaled(Rational::from_double(share) * (Rational(1) - part.counts_share));
  const TypicalError errors = typical_error(query, table.lattice, Shape::normal, smallest, releases);
  double sum = 0;
  for (std::size_t i = releases * 85 / 100; i < releases * 95 / 100; ++i) sum += errors.largest[i];
  return sum / static_cast<double>(releases * 95 / 100 - releases * 85 / 100) / static_cast<double>(smallest);
}

/// The largest error of a split, and the least one that a search finds. The search repeatedly gives more to the parts with larger errors.
struct Largest {
  double ours = 0;
  double least = 0;
};

Largest largest_of(const Publication& publication, std::uint64_t releases, int rounds) {
  const std::vector<PublicationPart> all = parts(publication);
  std::vector<double> shares;
  for (const PublicationPart& part : all) shares.push_back(part.share.to_double());
  Largest found;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < all.size(); ++i) errors.push_back(error_of(publication, all[i], shares[i], releases));
    const double largest = *std::ranges::max_element(errors);
    if (round == 0) found = {largest, largest};
    found.least = std::min(found.least, largest);
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += shares[i] *= std::sqrt(errors[i] / largest);
    for (double& share : shares) share /= sum;
  }
  return found;
}

std::vector<Rational> evenly(std::int64_t quantiles) {
  std::vector<Rational> all;
  for (std::int64_t i = 1; i <= quantiles; ++i) all.emplace_back(i, quantiles + 1);
  return all;
}

/// With different quantiles, rows and steps, a split's largest error is at most a tenth above the least that the search finds.
TEST(PublicationParts, MakeTheLargestRelativeErrorNearlyAsSmallAsCanBe) {
  struct Table {
    std::int64_t quantiles;
    std::uint64_t rows;  ///< in each of the 8 or 2 cells
    bool by_region;
    std::int64_t possible = 100'000;
  };
  const std::vector<std::pair<Budget, std::vector<Table>>> cases{
      {Budget::pure(Rational(1)), {{3, 500, true}, {9, 2000, false}, {9, 2000, false, 40}}},
      {Budget::pure(Rational(1, 4)), {{1, 300, true}, {3, 500, true, 20}}},
      {Budget::zcdp(Rational(1, 50)), {{3, 1000, true}, {3, 1000, true, 40}}},
  };
  for (const auto& [budget, tables] : cases) {
    Publication publication = earnings(budget);
    publication.tables.clear();
    for (const Table& each : tables) {
      const std::string name = fmt::format("table {}", publication.tables.size());
      PublicationTable table =
          each.by_region ? table_by(name, {"region", "sex"}, {{0, 1}, {0}, {}}) : table_by(name, {"sex"}, {{0}, {}});
      table.quantiles = evenly(each.quantiles);
      table.lattice = Lattice::regular(0, each.possible, 1);
      table.expected_rows.assign(each.by_region ? 8 : 2, each.rows);
      publication.tables.push_back(std::move(table));
    }
    const Largest found = largest_of(publication, testing::effort(1'000, 1'000), 5);
    EXPECT_LE(found.ours, 1.1 * found.least) << budget.to_string();
  }
}

/// Simulated errors depend on the tables, budgets and rows only: the split is the same each time.
TEST(PublicationParts, AreTheSameEachTime) {
  Publication publication = earnings();
  publication.tables.push_back(table_by("hours", {"sex"}, {{0}, {}}));
  publication.tables[1].quantiles = evenly(9);
  publication.tables[0].expected_rows.assign(8, 500);
  publication.tables[1].expected_rows.assign(2, 500);
  EXPECT_EQ(shares_of(publication), shares_of(publication));
  const Rational of_nine = shares_of(publication)[4];
  publication.tables[1].expected_rows.assign(2, 100'000);
  EXPECT_LT(shares_of(publication)[4], of_nine) << "large cells need less";
}

TEST(PublicationParts, OfCountsAloneAreComparedByTheirNoise) {
  Publication publication = earnings();
  publication.tables.push_back(table_by("people", {"region", "sex"}, {{0, 1}, {}}));
  publication.tables[1].quantiles.clear();
  publication.tables[1].count = true;
  publication.tables[0].levels = {{0, 1}};
  publication.tables[0].quantiles = evenly(9);
  for (PublicationTable& table : publication.tables) table.expected_rows.assign(8, 1000);
  const std::vector<Rational> shares = shares_of(publication);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_GT(shares[0], Rational(3) * shares[1]);
  EXPECT_LT(shares[0], Rational(8) * shares[1]);
}

TEST(PublicationParts, ExpectTheRowsOfCellsThatAreAlike) {
  Publication publication = earnings();
  EXPECT_FALSE(parts(publication)[0].query.expected_rows);
  publication.tables.front().expected_rows = {100, 200, 300, 400, 100, 100, 100, 100};
  EXPECT_EQ(parts(publication)[0].query.expected_rows, 400U);
  EXPECT_EQ(parts(publication)[3].query.expected_rows, 1400U);
  publication.tables.front().expected_rows[0] = 50;
  EXPECT_FALSE(parts(publication)[0].query.expected_rows) << "eight times as many in one cell as in another";
}

// --- Targets ---------------------------------------------------------------------------------------------------------

/// At the least budget, every level's worst case is within its target, and a hundredth less is not enough for any of them.
TEST(PublicationTargets, TakeTheLeastBudget) {
  Publication publication = earnings();
  publication.tables.front().expected_rows = std::vector<std::uint64_t>(8, 1000);
  publication.tables.front().target = PublicationTarget{PublicationTarget::Quantity::share, Rational(1, 20)};
  const std::vector<PublicationPart> least = least_parts(publication);
  expect_exactly(least, publication.budget);
  EXPECT_EQ(shares_of(publication).size(), least.size()) << "parts() reaches the targets with this budget";
  for (const PublicationPart& part : least) {
    const PublicationTable& table = publication.tables[part.table];
    const LevelCells cells = cells_of(publication, table, table.levels[part.level]);
    const std::uint64_t allowed = cells.expected_rows.front() / 20;
    QuantileQuery query = table.by.empty() ? part.query : group_query(part.query);
    EXPECT_LE(worst_case(query, table.lattice, publication.confidence).largest().value(), allowed);
    query.budget = query.budget.scaled(Rational(99, 100));
    EXPECT_GT(worst_case(query, table.lattice, publication.confidence).largest().value(), allowed);
  }
}

/// The worst case of a level's query is the same in all of its cells, so the smallest cell decides.
TEST(PublicationTargets, HoldInTheSmallestCell) {
  Publication publication = earnings();
  publication.tables.front().levels = {{0, 1}};
  publication.tables.front().expected_rows = {500, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  publication.tables.front().target = PublicationTarget{PublicationTarget::Quantity::share, Rational(1, 20)};
  const PublicationPart part = least_parts(publication).front();
  const Lattice& lattice = publication.tables.front().lattice;
  EXPECT_LE(worst_case(group_query(part.query), lattice, publication.confidence).largest().value(), 25U);
}

TEST(PublicationTargets, LeaveTheRestToOthers) {
  Publication publication = earnings(Budget::pure(Rational(8)));
  publication.tables.push_back(table_by("hours", {"sex"}, {{0}, {}}));
  publication.tables.back().target = PublicationTarget{PublicationTarget::Quantity::ranks, Rational(100)};
  const std::vector<PublicationPart> all = parts(publication);
  EXPECT_EQ(sum_of_shares(all), Rational(1));
  Publication alone = publication;
  alone.tables = {publication.tables.back()};
  least_parts(alone);
  EXPECT_EQ((all[4].share + all[5].share) * Rational(8), alone.budget.epsilon().coefficient());
}

TEST(PublicationTargets, AreRefusedBeyondTheBudget) {
  Publication publication = earnings(Budget::pure(Rational(1, 100)));
  publication.tables.front().target = PublicationTarget{PublicationTarget::Quantity::ranks, Rational(10)};
  const Error error = testing::error_of([&] { parts(publication); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(std::string(error.what()).find("the targets cost epsilon = "), std::string::npos) << error.what();
  EXPECT_NE(error.hint().find("or write at least epsilon = "), std::string::npos) << error.hint();
}

/// Once, the hint named a budget of which nothing was left for other tables, and was given again for that budget.
TEST(PublicationTargets, NameABudgetThatSuffices) {
  Publication publication = earnings(Budget::pure(Rational(1, 100)));
  publication.tables.front().target = PublicationTarget{PublicationTarget::Quantity::ranks, Rational(10)};
  const auto hinted = [&] {
    const std::optional<Error> error = testing::error_if_any([&] { parts(publication); });
    return error ? error->hint() : "nothing";
  };
  const std::string alone = hinted();
  const std::string least = alone.substr(alone.find("epsilon = "));
  EXPECT_EQ(alone, "allow larger errors, or write at least " + least);
  publication.tables.push_back(table_by("hours", {"sex"}, {{0}}));
  EXPECT_EQ(hinted(), "allow larger errors, or write more than " + least);
  const std::size_t from = least.find('"') + 1;
  publication.budget = Budget::pure(Exponent::parse(least.substr(from, least.rfind('"') - from)));
  EXPECT_EQ(hinted(), "allow larger errors, or write more than " + least);
  publication.tables.pop_back();
  EXPECT_EQ(hinted(), "nothing");
}

/// For listed candidates, no bound is known at any budget.
TEST(PublicationTargets, NameTheCellThatNoBudgetReaches) {
  Publication publication = earnings();
  publication.tables.front().lattice = Lattice::explicit_points({0, 10, 100});
  publication.tables.front().expected_rows = {3, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  publication.tables.front().target = PublicationTarget{PublicationTarget::Quantity::share, Rational(1, 100)};
  const Error error = testing::error_of([&] { least_parts(publication); });
  EXPECT_NE(std::string(error.what()).find("table 'pay', whose smallest cell is n, f with 3 records: "),
            std::string::npos)
      << error.what();
}

// --- Beside levels that a ledger holds -----------------------------------------------------------------------------------

using publication_detail::budget_beside;
using publication_detail::costs_beside;
using Held = std::vector<std::optional<Budget>>;

/// Medians of pay and hours by sex, each with a target.
Publication two_targets(const Budget& budget = Budget::pure(Rational(1))) {
  Publication publication = earnings(budget);
  publication.tables = {table_by("pay", {"sex"}, {{0}}), table_by("hours", {"sex"}, {{0}})};
  publication.tables[1].lattice = Lattice::regular(0, 100'000, 1);
  for (PublicationTable& table : publication.tables) {
    table.quantiles = {Rational(1, 2)};
    table.target = PublicationTarget{PublicationTarget::Quantity::ranks, Rational(20)};
  }
  return publication;
}

/// At the least budget, a held level that cost more once took the budget of the targets, and one that cost less paid for them.
TEST(PublicationBesideHeld, TargetsTakeTheLeastBudget) {
  Publication publication = two_targets();
  const std::vector<PublicationPart> least = least_parts(publication);
  const std::vector<PublicationPart> all = parts(publication);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].least.value().to_string(), least[i].cost.to_string());
    EXPECT_EQ(least[i].least.value().to_string(), least[i].cost.to_string());
  }
  const Budget dear = least[0].cost.scaled(Rational(5));  // more than both targets together
  const std::vector<Budget> costs = costs_beside(publication, all, Held{dear, {}});
  EXPECT_EQ(costs[0].to_string(), dear.to_string());
  EXPECT_EQ(costs[1].to_string(), least[1].cost.to_string());
  EXPECT_EQ(budget_beside(publication, costs).epsilon().coefficient(),
            dear.epsilon().coefficient() + least[1].cost.epsilon().coefficient());
  const std::vector<Budget> held = costs_beside(publication, all, Held{dear, dear});
  EXPECT_EQ(budget_beside(publication, held).to_string(), dear.scaled(Rational(2)).to_string());
  EXPECT_EQ(budget_beside(publication, costs_beside(publication, all, Held{{}, {}})).to_string(),
            publication.budget.to_string());
}

/// The budget of a sum with a logarithm is a bound of it.
TEST(PublicationBesideHeld, TheLeastBudgetIsNeverExceeded) {
  Publication publication = two_targets();
  least_parts(publication);
  const std::vector<Budget> costs =
      costs_beside(publication, parts(publication), Held{Budget::pure(Exponent::log(3)), {}});
  Spending sum{Measure::pure};
  for (const Budget& cost : costs) sum.add(cost);
  EXPECT_TRUE(sum.is_within(budget_beside(publication, costs)));
}

TEST(PublicationBesideHeld, OtherTablesShareWhatTargetsLeave) {
  Publication publication = two_targets(Budget::pure(Rational(8)));
  publication.tables[0].target.reset();
  publication.tables.push_back(table_by("age", {"sex"}, {{0}}));
  publication.tables.push_back(table_by("rent", {"sex"}, {{0}}));
  publication.tables[2].share = 10;
  const std::vector<PublicationPart> all = parts(publication);
  const Rational of_target = all[1].least.value().epsilon().coefficient();
  const Budget held = Budget::pure(Rational(5));
  const std::vector<Budget> costs = costs_beside(publication, all, Held{held, {}, {}, {}});
  EXPECT_EQ(costs[1].epsilon().coefficient(), of_target);
  const Rational rest = Rational(3) - of_target;
  EXPECT_EQ(costs[2].epsilon().coefficient() + costs[3].epsilon().coefficient(), rest);
  EXPECT_NEAR((costs[3].epsilon().coefficient() / rest).to_double(), 1.0 / 11, 1e-5);
  const std::vector<Budget> alone =
      costs_beside(publication, all, Held{held, {}, Budget::pure(Rational(1)), held.scaled(Rational(1, 50))});
  EXPECT_EQ(alone[1].epsilon().coefficient(), of_target) << "the others are held, and nothing more is charged";
}

/// As without a ledger, a budget above that of all targets is spent on them.
TEST(PublicationBesideHeld, TargetsOfAllTablesShareTheBudget) {
  const Publication publication = two_targets(Budget::pure(Rational(8)));
  const std::vector<Budget> costs = costs_beside(publication, parts(publication), Held{Budget::pure(Rational(3)), {}});
  EXPECT_EQ(costs[1].to_string(), "epsilon = 5");
}

TEST(PublicationBesideHeld, TargetsThatCostMoreThanIsLeftAreRefused) {
  Publication publication = two_targets(Budget::pure(Rational(8)));
  publication.tables[0].target.reset();
  const auto refused = [&](const Budget& held) {
    const std::vector<PublicationPart> all = parts(publication);
    return testing::error_if_any([&] { costs_beside(publication, all, Held{held, {}}); });
  };
  const std::optional<Error> error = refused(Budget::pure(Rational(799, 100)));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::budget_refused);
  EXPECT_NE(std::string(error->what()).find("target: the targets cost epsilon = "), std::string::npos) << error->what();
  EXPECT_NE(
      std::string(error->what()).find("but the publication has epsilon = 0.01 beside what the ledger holds of it"),
      std::string::npos)
      << error->what();
  const std::string budget = error->hint().substr(error->hint().find('"') + 1);
  EXPECT_NE(error->hint().find("allow larger errors, or write at least epsilon = "), std::string::npos)
      << error->hint();
  publication.budget = Budget::pure(Exponent::parse(budget.substr(0, budget.find('"'))));
  EXPECT_FALSE(refused(Budget::pure(Rational(799, 100)))) << "the budget that the hint names suffices";
}

TEST(PublicationBesideHeld, ALevelThatCostLessThanItsTargetTakesIsRefused) {
  Publication publication = two_targets();
  const std::vector<PublicationPart> least = least_parts(publication);
  const Budget less = least[0].cost.scaled(Rational(1, 6));
  for (const Held& held : {Held{less, {}}, Held{less, least[1].cost}}) {
    const Error error = testing::error_of([&] { costs_beside(publication, parts(publication), held); });
    EXPECT_EQ(error.code(), ErrorCode::budget_refused);
    EXPECT_EQ(std::string(error.what()),
              fmt::format("target: table 'pay' was published at {}, as the ledger says, and "
                          "the target takes {}",
                          report_detail::with_decimals(less), report_detail::with_decimals(least[0].cost)));
    EXPECT_NE(error.hint().find("take that table's target out of the file"), std::string::npos) << error.hint();
  }
  publication.tables[0].levels.push_back({});
  const std::vector<PublicationPart> levels = least_parts(publication);
  const Error error = testing::error_of([&] { costs_beside(publication, levels, Held{levels[0].cost, less, {}}); });
  EXPECT_NE(std::string(error.what()).find("table 'pay', everyone was"), std::string::npos) << error.what();
}

// --- Widths ----------------------------------------------------------------------------------------------------------

/// At the budget that was solved for, intervals of a public table are about as wide as the target, as a share of its records.
TEST(PublicationTargets, OfIntervalsAreReachedAboutOnAPublicTable) {
  Publication publication = earnings();
  PublicationTable& table = publication.tables.front();
  table.levels = {{0, 1}, {}};
  table.lattice = Lattice::regular(0, 100'000, 1);
  table.expected_rows.assign(8, 2000);
  table.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table};
  table.target = PublicationTarget{PublicationTarget::Quantity::interval, Rational(1, 10)};
  const std::vector<PublicationPart> least = least_parts(publication);
  for (const PublicationPart& part : least) {
    const std::uint64_t rows = part.level == 0 ? 2000 : 16'000;
    const ReleasePlan plan =
        plan_release(group_query(part.query), table.lattice, {.rows = rows, .releases = 100, .with_noise = false});
    const double widest = *std::ranges::max_element(plan.intervals->widths) / static_cast<double>(rows);
    EXPECT_LE(widest, 0.12) << part.level;
    EXPECT_GE(widest, 0.07) << part.level;
  }
  EXPECT_GT(least[0].share, Rational(4) * least[1].share) << "eight times the records";
}

TEST(PublicationTargets, OfIntervalsThatSamplingMakesWiderAreRefused) {
  Publication publication = earnings();
  PublicationTable& table = publication.tables.front();
  table.expected_rows.assign(8, 500);
  table.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::population};
  table.target = PublicationTarget{PublicationTarget::Quantity::interval, Rational(1, 100)};
  const Error error = testing::error_of([&] { least_parts(publication); });
  EXPECT_NE(std::string(error.what()).find("no budget makes intervals that narrow"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("with 500 records"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace fractile
