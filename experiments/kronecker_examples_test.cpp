#include "experiments/kronecker_examples.hpp"

#include <gtest/gtest.h>

namespace fractile::experiments::kronecker_utility {
namespace {

// docs/papers.md lists every difference from the paper.
TEST(KroneckerExamples, AgreeWithThePaperButForAPrintedRow) {
  std::size_t different = 0;
  for (const Finding& finding : worked_examples().findings) {
    EXPECT_FALSE(finding.found.empty()) << finding.place;
    if (finding.agrees) continue;
    ++different;
    EXPECT_EQ(finding.place, "appendix B");
    EXPECT_NE(finding.found.find("5/24, 7/12, 5/24"), std::string::npos);
  }
  EXPECT_EQ(different, 1U);
}

TEST(KroneckerExamples, RowsOfTablesAreAsLongAsTheirHeadings) {
  for (const Table& table : worked_examples().tables) {
    EXPECT_FALSE(table.rows.empty()) << table.name;
    for (const std::vector<std::string>& row : table.rows) EXPECT_EQ(row.size(), table.heading.size()) << table.name;
  }
}

}  // namespace
}  // namespace fractile::experiments::kronecker_utility
