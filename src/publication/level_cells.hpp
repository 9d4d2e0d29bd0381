// What a cell of a level shows, for all who print it: labels for keys, values with their intervals, and marks, which are decided from what
// is released and nothing else.
// Proof: docs/proofs/publication.md
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "report/release/statistics_rows.hpp"

namespace fractile::publication_detail {

/// What readers are shown for a key of a column.
std::string label_of(const Publication& publication, const std::string& column, const std::string& key);

/// "pay by region and sex", "pay, everyone".
std::string heading_of(const PublicationTable& table, const KeyLevel& level);

/// "unreliable" where the quantile's released interval is open, or wider than the marks' share of the value's distance from 0; "" otherwise,
/// and of dates, which have no such share.
std::string mark_of(const PublicationMarks& marks, const Release& release, const Release::Group& group,
                    std::size_t quantile);

/// Whether all of a cell is left out: its released count is below the marks' limit.
bool is_hidden(const PublicationMarks& marks, const Statistics& statistics);

/// A quantile of a cell.
struct ShownValue {
  std::string value;
  std::string lower = {};  ///< of its interval; empty without intervals
  std::string upper = {};
  bool is_marked = false;  ///< unreliable
};
ShownValue shown_value(const Publication& publication, const Release& release, const Release::Group& group,
                       std::size_t quantile);

/// A cell of a level: what was released of it, what stands beside the quantiles, and whether it is left out.
struct Cell {
  const Release::Group& group;
  std::vector<report_detail::StatisticRow> beside;
  bool is_hidden = false;
};
std::vector<Cell> cells_of(const PublishedTables& tables, const PublishedLevel& level);

/// What stands in place of the numbers of a cell that is left out.
inline constexpr const char* hidden = "hidden";

/// "* unreliable: the value's interval is open, or wider than 20 % of the value"; empty where nothing is marked.
std::string note_of_marks(const PublicationMarks& marks);
/// "hidden: the released count is below 10; ..."; empty where nothing is hidden.
std::string note_of_hidden(const PublicationMarks& marks);

}  // namespace fractile::publication_detail
