#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fractile/publication.hpp"
#include "publication/publication_test_support.hpp"

namespace fractile {
namespace {

using publication_test::earnings;

PublicationPlan plan_of_all(const Publication& publication) {
  return plan_publication(publication, parts(publication));
}

/// Two records cannot have three quartiles at any budget; many records need no larger budget.
TEST(PublicationPlans, JudgeCellsByTheirRows) {
  Publication publication = earnings();
  publication.tables.front().expected_rows = {0, 2, 60, 20'000, 20'000, 20'000, 20'000, 20'000};
  const std::vector<PlannedCell> cells = plan_of_all(publication).levels.front().cells;
  EXPECT_EQ(cells[0].worth, CellWorth::lost);
  EXPECT_EQ(cells[1].worth, CellWorth::lost);
  EXPECT_EQ(cells[3].worth, CellWorth::useful);
  EXPECT_LE(*cells[2].typical, *cells[2].nine_in_ten);
  EXPECT_LE(*cells[2].nine_in_ten, 60);
  EXPECT_LE(*cells[2].worst, 60U);
  EXPECT_FALSE(plan_of_all(earnings()).levels.front().cells.front().nine_in_ten) << "no rows are said";
}

/// Once, plans and targets were for one row of a query's result per record, and publications missed by as many times as much.
TEST(PublicationPlans, AreForAllRowsThatARecordChanges) {
  const auto planned = [](std::uint32_t records, std::uint32_t rows) {
    Publication publication = earnings();
    publication.records_per_person = records;
    publication.sql_stability = rows;
    PublicationTable& table = publication.tables.front();
    table.count = true;
    table.expected_rows = std::vector<std::uint64_t>(8, 1000);
    table.target = PublicationTarget{PublicationTarget::Quantity::ranks, Rational(100)};
    const std::vector<PublicationPart> least = least_parts(publication);
    return plan_publication(publication, least);
  };
  const PublicationPlan of_rows = planned(1, 5);
  const PublicationPlan of_records = planned(5, 1);
  EXPECT_EQ(of_rows.publication.budget.to_string(), of_records.publication.budget.to_string());
  EXPECT_NE(of_rows.publication.budget.to_string(), planned(1, 1).publication.budget.to_string());
  ASSERT_EQ(of_rows.levels.size(), of_records.levels.size());
  for (std::size_t l = 0; l < of_rows.levels.size(); ++l) {
    const PlannedCell& cell = of_rows.levels[l].cells.front();
    const PlannedCell& same = of_records.levels[l].cells.front();
    EXPECT_EQ(cell.worst, same.worst);
    EXPECT_LE(cell.worst.value(), 100U);
    EXPECT_EQ(cell.nine_in_ten, same.nine_in_ten);
    EXPECT_EQ(cell.count_error, same.count_error);
  }
  EXPECT_NE(to_table(of_rows).find("each of which changes at most 5 rows of the query's result"), std::string::npos);
  EXPECT_NE(to_json(of_rows).find("\"sql_stability\": 5"), std::string::npos);
}

/// Once, a cell of any number of records had the errors of 1,000 records, which cannot exceed 750 for quartiles.
TEST(PublicationPlans, SimulateLargeErrorsOfLargeCells) {
  const auto planned = [](const Budget& budget, std::uint64_t rows) {
    Publication publication{"Everyone", budget};
    publication.tables = {publication_test::table_by("pay", {}, {{}})};
    publication.tables.front().lattice = Lattice::regular(0, 100'000, 1);
    publication.tables.front().expected_rows = std::vector<std::uint64_t>{rows};
    return plan_of_all(publication).levels.front().cells.front();
  };
  const PlannedCell small = planned(Budget::pure(Rational(1, 50)), 10'000);
  const PlannedCell large = planned(Budget::pure(Rational(1, 500)), 100'000);
  EXPECT_GT(*large.nine_in_ten, 1'200);
  EXPECT_LT(*large.nine_in_ten, 6'000);
  EXPECT_NEAR(*large.nine_in_ten / *small.nine_in_ten, 10, 5);
  const PlannedCell larger = planned(Budget::pure(Rational(1, 500)), 100'000'000'000);
  EXPECT_NEAR(*larger.nine_in_ten / *large.nine_in_ten, 1, 0.5) << "small errors do not grow with the records";
  const PlannedCell by_rho = planned(Budget::zcdp(Rational(1, 1'000'000)), 100'000);
  EXPECT_NEAR(*by_rho.nine_in_ten / *planned(Budget::zcdp(Rational(1, 10'000)), 10'000).nine_in_ten, 10, 5);
  EXPECT_LT(*planned(Budget::pure(Rational(1)), 100'000).nine_in_ten, 20);
}

/// A cell is noise, and not lost, when the budget that its level lacks would make it useful.
TEST(PublicationPlans, TellNoiseFromWhatIsLost) {
  Publication publication = earnings(Budget::pure(Rational(2)));
  publication.tables.front().expected_rows = {12, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  publication.tables.front().level_shares = {1, 1, 1, 97};
  const std::vector<PlannedCell> cells = plan_of_all(publication).levels.front().cells;
  EXPECT_NE(cells[0].worth, CellWorth::useful);
  EXPECT_EQ(cells[1].worth, CellWorth::noise);
  publication.tables.front().level_shares = {97, 1, 1, 1};
  EXPECT_EQ(plan_of_all(publication).levels.front().cells[1].worth, CellWorth::useful);
}

TEST(PublicationPlans, DivideTheFinestLevelBetweenQuantilesAndCounts) {
  Publication publication = earnings();
  publication.tables.front().count = true;
  const std::vector<PlannedLevel> levels = plan_of_all(publication).levels;
  const Rational counts = levels[0].counts_cost->epsilon().coefficient();
  const Rational quantiles = levels[0].quantiles_cost->epsilon().coefficient();
  EXPECT_EQ(counts + quantiles, levels[0].part.cost.epsilon().coefficient());
  EXPECT_EQ(counts * Rational(9), quantiles);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    EXPECT_FALSE(levels[l].counts_cost);
    EXPECT_EQ(levels[l].quantiles_cost->to_string(), levels[l].part.cost.to_string());
  }
}

/// A total's count is a sum of noisy counts. Its error grows with their number, but more slowly.
TEST(PublicationPlans, GiveTotalsTheNoiseOfAllTheirCells) {
  Publication publication = earnings();
  PublicationTable& table = publication.tables.front();
  table.count = true;
  table.mean = true;
  table.expected_rows = std::vector<std::uint64_t>(8, 1000);
  const std::vector<PlannedLevel> levels = plan_of_all(publication).levels;
  const auto count = [&](std::size_t level) { return static_cast<double>(*levels[level].cells.front().count_error); };
  for (std::size_t l = 1; l < levels.size(); ++l) {
    EXPECT_GT(count(l), count(l - 1));
    EXPECT_LT(count(l), 1.8 * count(l - 1));
    EXPECT_LT(*levels[l].cells.front().mean_error, *levels[l - 1].cells.front().mean_error);
  }
}

/// The totals of a table of counts alone cost nothing. The plan lists them, too, with the noise of the counts that they add up.
TEST(PublicationPlans, SayHowFarTotalsOfCountsAloneWillBeOff) {
  Publication publication = earnings();
  publication.tables.front().count = true;
  const PublicationPlan beside = plan_of_all(publication);
  EXPECT_TRUE(beside.sums.empty());
  publication.tables.front().quantiles.clear();
  const PublicationPlan alone = plan_of_all(publication);
  ASSERT_EQ(alone.levels.size(), 1U);
  ASSERT_EQ(alone.sums.size(), 3U);
  EXPECT_EQ(alone.levels.front().part.share, Rational(1));
  std::uint64_t before = *alone.levels.front().cells.front().count_error;
  for (const PlannedLevel& sum : alone.sums) {
    EXPECT_EQ(sum.part.share.sign(), 0);
    EXPECT_FALSE(sum.counts_cost);
    EXPECT_GT(*sum.cells.front().count_error, before);
    before = *sum.cells.front().count_error;
  }
  const std::string table = to_table(alone);
  EXPECT_NE(table.find("everyone"), std::string::npos) << table;
  EXPECT_NE(table.find("the noise of all of its cells"), std::string::npos);
  const std::string csv = to_csv(alone);
  EXPECT_NE(csv.find("pay,everyone,everyone,0,,,,,unknown," + std::to_string(before) + ",\n"), std::string::npos)
      << csv;
  EXPECT_NE(to_json(alone).find("\"totals_of_counts\": ["), std::string::npos);
  EXPECT_EQ(to_table(plan_of_all(earnings())).find("\ncounts "), std::string::npos);
}

/// The plan names the cells that are not lost and have too few records to settle the ends of their intervals.
TEST(PublicationPlans, SayWhichIntervalsWillEndAtTheRange) {
  Publication publication = earnings(Budget::pure(Rational(1)));
  PublicationTable& table = publication.tables.front();
  EXPECT_FALSE(plan_of_all(publication).levels.front().settled_from);
  table.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  table.expected_rows = std::vector<std::uint64_t>(8, 100'000);
  table.level_shares = {1, 1, 1, 1};  // whatever rows are expected
  const std::uint64_t enough = plan_of_all(publication).levels.front().settled_from.value();
  EXPECT_GT(enough, 100U);
  EXPECT_LT(enough, 10'000U);
  const std::string all_do = to_table(plan_of_all(publication));
  EXPECT_EQ(all_do.find("Intervals may end"), std::string::npos) << all_do;
  table.expected_rows[3] = enough - 1;
  const PublicationPlan plan = plan_of_all(publication);
  const std::string one_does_not = to_table(plan);
  EXPECT_NE(one_does_not.find("about " + std::to_string(enough) + " would do:\n"), std::string::npos) << one_does_not;
  EXPECT_NE(to_json(plan).find("\"intervals_settled_from\": " + std::to_string(enough)), std::string::npos);
}

}  // namespace
}  // namespace fractile
