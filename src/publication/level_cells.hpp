// What a cell of a level shows, wherever it is printed: labels for keys, values with their intervals, and marks. Marks are decided only
// from what is released.
// Proof: docs/proofs/publication.md
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "report/release/statistics_rows.hpp"

namespace fractile::publication_detail {

/// The text that readers see for a key of a column.
std::string label_of(const Publication& publication, const std::string& column, const std::string& key);

/// The texts for the keys of a cell.
std::vector<std::string> labels_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                                   const GroupKey& key);

/// "pay by region and sex", "pay, everyone".
std::string heading_of(const PublicationTable& table, const KeyLevel& level);

/// Whether all of a cell is left out, because its released count is below the marks' limit.
bool is_hidden(const PublicationMarks& marks, const Statistics& statistics);

/// A cell of a level: what was released for it, the statistics beside its quantiles, and whether it is left out.
struct Cell {
  const Release::Group& group;
  std::vector<report_detail::StatisticRow> beside = {};
  /// One per quantile, and then one per row of `beside`: "unreliable" if the number's released interval is open, or wider than the marks'
  /// share of the number's distance from 0, or if there is no number. Otherwise "". Dates and times have no such share, and so no mark.
  std::vector<std::string> marks = {};
  bool is_hidden = false;
};
std::vector<Cell> cells_of(const PublishedTables& tables, const PublishedLevel& level);

/// The word that replaces the numbers of a cell that is left out.
inline constexpr const char* hidden = "hidden";

/// "* unreliable: the value's interval is open, or wider than 20 % of the value"; empty if the publication does not mark values.
std::string note_of_marks(const PublicationMarks& marks);
/// "hidden: the released count is below 10; ..."; empty if the publication does not hide cells.
std::string note_of_hidden(const PublicationMarks& marks);

}  // namespace fractile::publication_detail
