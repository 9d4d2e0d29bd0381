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

/// One record cannot have three quartiles, and no budget helps; many records need none.
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

/// The budget that a level lacks would help a cell that is noise, and the cell is not lost.
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

/// A total's count is a sum of noisy counts: its error grows with their number, and more slowly.
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

/// For the cells that have fewer records than settle the ends of their intervals, and are not lost.
TEST(PublicationPlans, SayWhichIntervalsWillEndAtTheRange) {
  Publication publication = earnings(Budget::pure(Rational(1)));
  PublicationTable& table = publication.tables.front();
  EXPECT_FALSE(plan_of_all(publication).levels.front().settled_from);
  table.intervals = IntervalRequest{Rational(19, 20), IntervalOf::table, false};
  table.expected_rows = std::vector<std::uint64_t>(8, 100'000);
  table.level_shares = {1, 1, 1, 1};  // whatever is expected
  const std::uint64_t enough = plan_of_all(publication).levels.front().settled_from.value();
  EXPECT_GT(enough, 100U);
  EXPECT_LT(enough, 10'000U);
  const std::string all_do = to_table(plan_of_all(publication));
  EXPECT_EQ(all_do.find("Ends of intervals"), std::string::npos) << all_do;
  table.expected_rows[3] = enough - 1;
  const PublicationPlan plan = plan_of_all(publication);
  const std::string one_does_not = to_table(plan);
  EXPECT_NE(one_does_not.find("about " + std::to_string(enough) + " would:\n"), std::string::npos) << one_does_not;
  EXPECT_NE(to_json(plan).find("\"intervals_settled_from\": " + std::to_string(enough)), std::string::npos);
}

}  // namespace
}  // namespace fractile
