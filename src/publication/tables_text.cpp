// Writes a publication as CSV and as tables for a terminal.
#include <algorithm>
#include <utility>

#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "publication/level_cells.hpp"
#include "publication/tables.hpp"
#include "report/release/cells.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/shown_text.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace publication_detail;
using namespace report_detail;

namespace {

/// The key that a cell of a level has in a column of the publication; empty where the level has no cells by it.
std::string key_in(const PublicationTable& table, const KeyLevel& level, const GroupKey& key,
                   const std::string& column) {
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (table.by[level[i]] == column) return key[i];
  }
  return {};
}

/// A number with its mark; with its interval, if it has one.
std::string cell_text(const std::string& value, const std::string& lower, const std::string& upper,
                      const std::string& mark) {
  return value + (lower.empty() ? "" : fmt::format(" ({} to {})", lower, upper)) + (mark.empty() ? "" : " *");
}

std::string quantile_text(const Release& release, const Cell& cell, std::size_t quantile) {
  const std::string value = release.lattice.text(cell.group.indices[quantile]);
  if (cell.group.intervals.empty()) return cell_text(value, "", "", cell.marks[quantile]);
  const Ends ends = ends_of(release.lattice, cell.group.intervals[quantile]);
  return cell_text(value, lower_text(ends, OpenEnds::in_words), upper_text(ends, OpenEnds::in_words),
                   cell.marks[quantile]);
}

bool is_any_marked(const PublishedTables& tables) {
  for (const PublishedLevel* const level : levels_of(tables)) {
    for (const Cell& cell : cells_of(tables, *level)) {
      const auto is_marked = [](const std::string& mark) { return !mark.empty(); };
      if (!cell.is_hidden && std::ranges::any_of(cell.marks, is_marked)) return true;
    }
  }
  return false;
}

std::string level_text(const PublishedTables& tables, const PublishedLevel& level) {
  const Publication& publication = tables.publication;
  const PublicationTable& table = publication.tables[level.table];
  const KeyLevel& columns = table.levels[level.level];
  const std::vector<Cell> cells = cells_of(tables, level);
  Row heading = publication_detail::columns_of(table, columns).names();
  const QuantileQuery& query = level.release.query;
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) heading.push_back(query.name(i));
  for (const auto& row : cells.front().beside) heading.push_back(row.statistic + (row.at.empty() ? "" : " " + row.at));
  std::vector<Row> rows{heading};
  for (const Cell& cell : cells) {
    Row& row = rows.emplace_back(labels_of(publication, table, columns, cell.group.key));
    for (std::size_t i = 0; i < cell.group.indices.size(); ++i)
      row.push_back(cell.is_hidden ? hidden : quantile_text(level.release, cell, i));
    for (std::size_t i = 0; i < cell.beside.size(); ++i) {
      const StatisticRow& each = cell.beside[i];
      const std::string& mark = cell.marks[cell.group.indices.size() + i];
      const std::string value = each.value.empty() ? "none" : each.value;
      row.push_back(cell.is_hidden ? hidden : cell_text(value, each.lower, each.upper, mark));
    }
  }
  return shown_text(heading_of(table, columns)) + "\n" + aligned(rows, columns.size());
}

}  // namespace

std::string to_csv(const PublishedTables& tables) {
  const Publication& publication = tables.publication;
  Row keys;
  for (const KeyColumn& column : publication.keys) keys.push_back(column.column);
  Row heading{"table", "statistic", "quantile", "value", "lower", "upper", "mark"};
  keys = csv_key_headings(std::move(keys), heading);
  heading.insert(heading.begin() + 1, keys.begin(), keys.end());
  std::string text = csv_line(heading);
  for (const PublishedLevel* const each : levels_of(tables)) {
    const PublishedLevel& level = *each;
    const PublicationTable& table = publication.tables[level.table];
    const Release& release = level.release;
    for (const Cell& cell : cells_of(tables, level)) {
      const Release::Group& group = cell.group;
      Row row{table.name};
      for (const KeyColumn& column : publication.keys)
        row.push_back(key_in(table, table.levels[level.level], group.key, column.column));
      const auto add = [&](const std::string& statistic, const std::string& quantile, std::string value,
                           std::string lower, std::string upper, const std::string& mark) {
        Row line = row;
        if (cell.is_hidden) value = lower = upper = "";
        line.insert(line.end(), {statistic, quantile, value, lower, upper, cell.is_hidden ? hidden : mark});
        append_csv_line(text, line);
      };
      for (std::size_t i = 0; i < group.indices.size(); ++i) {
        const bool has_ends = !group.intervals.empty();
        const Ends ends = has_ends ? ends_of(release.lattice, group.intervals[i]) : Ends{};
        add("quantile", release.query.name(i), release.lattice.text(group.indices[i]),
            has_ends ? lower_text(ends, OpenEnds::infinite) : "", has_ends ? upper_text(ends, OpenEnds::infinite) : "",
            cell.marks[i]);
      }
      for (std::size_t i = 0; i < cell.beside.size(); ++i) {
        const StatisticRow& number = cell.beside[i];
        add(number.statistic + (number.at.empty() ? "" : " " + number.at), "", number.value, number.lower, number.upper,
            cell.marks[group.indices.size() + i]);
      }
    }
  }
  return text;
}

std::string to_table(const PublishedTables& tables) {
  const Publication& publication = tables.publication;
  std::string text = publication.title.empty() ? "" : shown_text(publication.title) + "\n\n";
  for (const PublishedLevel* const level : levels_of(tables)) text += level_text(tables, *level) + "\n";
  if (is_any_marked(tables)) text += note_of_marks(publication.marks) + "\n";
  if (publication.marks.hidden) text += note_of_hidden(publication.marks) + "\n";
  return text + fmt::format("{} for all tables together, neighbors {}, at most {} a person\n",
                            tables.cost().to_string(), to_string(publication.neighbors), most_of_person(publication));
}

}  // namespace fractile
