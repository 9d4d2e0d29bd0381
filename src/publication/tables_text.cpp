// What a publication says, as CSV and as tables for a terminal.
#include <fmt/core.h>

#include <algorithm>

#include "fractile/published_tables.hpp"
#include "publication/marks.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {
namespace {

using publication_detail::mark_of;
using report_detail::Ends;
using report_detail::OpenEnds;
using report_detail::Row;

/// The key that a cell of a level has in a column of the publication; empty where the level has no cells by it.
std::string key_in(const PublicationTable& table, const KeyLevel& level, const GroupKey& key,
                   const std::string& column) {
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (table.by[level[i]] == column) return key[i];
  }
  return {};
}

/// What readers are shown for a key.
std::string label_of(const Publication& publication, const std::string& column, const std::string& key) {
  const auto at = std::ranges::find(publication.keys, column, &KeyColumn::column);
  if (at == publication.keys.end() || at->labels.empty()) return key;
  const auto place = std::ranges::find(at->keys, key);
  return place == at->keys.end() ? key : at->labels[static_cast<std::size_t>(place - at->keys.begin())];
}

/// "pay by region and sex", "pay of everyone".
std::string heading_of(const PublicationTable& table, const KeyLevel& level) {
  std::vector<std::string> columns;
  for (const std::size_t place : level) columns.push_back(table.by[place]);
  return columns.empty() ? table.name + ", everyone" : table.name + " by " + to_string(KeyColumns(std::move(columns)));
}

/// A value, with its interval and its mark.
std::string cell_text(const Publication& publication, const Release& release, const Release::Group& group,
                      std::size_t quantile) {
  std::string text = release.lattice.text(group.indices[quantile]);
  if (!group.intervals.empty()) {
    const Ends ends = report_detail::ends_of(release.lattice, group.intervals[quantile]);
    text += fmt::format(" [{}, {}]", lower_text(ends, OpenEnds::in_words), upper_text(ends, OpenEnds::in_words));
  }
  return mark_of(publication.marks, release, group, quantile).empty() ? text : text + " *";
}

std::string level_text(const Publication& publication, const PublishedLevel& level) {
  const PublicationTable& table = publication.tables[level.table];
  const KeyLevel& columns = table.levels[level.level];
  Row heading;
  for (const std::size_t place : columns) heading.push_back(table.by[place]);
  for (const Rational& quantile : level.release.query.quantiles) heading.push_back(quantile.to_string());
  std::vector<Row> rows{heading};
  for (const Release::Group& group : level.release.groups) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i)
      row.push_back(label_of(publication, table.by[columns[i]], group.key[i]));
    for (std::size_t i = 0; i < group.indices.size(); ++i)
      row.push_back(cell_text(publication, level.release, group, i));
  }
  return heading_of(table, columns) + "\n" + report_detail::aligned(rows, columns.size());
}

}  // namespace

std::string to_csv(const PublishedTables& tables) {
  const Publication& publication = tables.publication;
  Row heading{"table"};
  for (const KeyColumn& column : publication.keys) heading.push_back(column.column);
  heading.insert(heading.end(), {"statistic", "quantile", "value", "lower", "upper", "mark"});
  std::string text = report_detail::csv_line(heading);
  for (const PublishedLevel& level : tables.levels) {
    const PublicationTable& table = publication.tables[level.table];
    const Release& release = level.release;
    for (const Release::Group& group : release.groups) {
      Row row{table.name};
      for (const KeyColumn& column : publication.keys)
        row.push_back(key_in(table, table.levels[level.level], group.key, column.column));
      for (std::size_t i = 0; i < group.indices.size(); ++i) {
        Row line = row;
        line.insert(line.end(),
                    {"quantile", release.query.quantiles[i].to_string(), release.lattice.text(group.indices[i]), "", "",
                     mark_of(publication.marks, release, group, i)});
        if (!group.intervals.empty()) {
          const Ends ends = report_detail::ends_of(release.lattice, group.intervals[i]);
          line[line.size() - 3] = lower_text(ends, OpenEnds::infinite);
          line[line.size() - 2] = upper_text(ends, OpenEnds::infinite);
        }
        text += report_detail::csv_line(line);
      }
    }
  }
  return text;
}

std::string to_table(const PublishedTables& tables) {
  const Publication& publication = tables.publication;
  std::string text = publication.title.empty() ? "" : publication.title + "\n\n";
  bool has_marks = false;
  for (const PublishedLevel& level : tables.levels) {
    const std::string table = level_text(publication, level);
    has_marks = has_marks || table.find(" *") != std::string::npos;
    text += table + "\n";
  }
  if (has_marks) {
    text += fmt::format("* unreliable: its interval is wider than {} of the value\n",
                        report_detail::share_of(*publication.marks.unreliable));
  }
  return text + fmt::format("{} for all tables together, neighbors {}, at most {} record{} a person\n",
                            tables.cost().to_string(), to_string(publication.neighbors), publication.records_per_person,
                            publication.records_per_person == 1 ? "" : "s");
}

}  // namespace fractile
