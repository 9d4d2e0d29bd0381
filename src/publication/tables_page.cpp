#include "publication/tables_page.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libraries/fmt.hpp"
#include "publication/level_cells.hpp"
#include "report/release/cells.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/release_figure.hpp"
#include "report/release/statistics_words.hpp"

namespace fractile::publication_detail {
namespace {

using namespace report_detail;

constexpr std::size_t most_columns = 12;  // columns of values that fit the width of a page
constexpr std::size_t most_drawn = 36;    // cells of a level that fit in one figure
constexpr const char* no_cell = "–";

/// Looks up a table's released cells.
class Cells {
 public:
  Cells(const PublishedTables& tables, std::size_t table)
      : publication_(tables.publication), table_(publication_.tables[table]) {
    for (const PublishedLevel* const level : fractile::levels_of(tables)) {
      if (level->table != table) continue;
      levels_.push_back(level);
      auto& cells = cells_[table_.levels[level->level]];
      for (Cell& cell : cells_of(tables, *level)) {
        const GroupKey key = cell.group.key;
        cells.emplace(key, std::move(cell));
      }
    }
  }

  const Publication& publication() const { return publication_; }
  const PublicationTable& table() const { return table_; }
  const std::vector<const PublishedLevel*>& levels() const { return levels_; }
  /// The headings of a cell's numbers: of its quantiles and of the statistics beside them.
  Row headings(const Page& page) const {
    Row headings;
    for (const Rational& quantile : levels_.front()->release.query.quantiles)
      headings.push_back(report_detail::share_of(quantile));
    for (const auto& each : cells_.begin()->second.begin()->second.beside)
      headings.push_back(statistic_in_words(page, each, levels_.front()->release.source));
    return headings;
  }
  const KeyLevel& columns_of(const PublishedLevel& level) const { return table_.levels[level.level]; }
  bool has(const KeyLevel& level) const { return cells_.contains(level); }

  std::string label(const Page& page, std::size_t column, const std::string& key) const {
    return page.typed(label_of(publication_, table_.by[column], key));
  }

  /// The word for all keys of a column; it differs from every label of the column, and from its word for other keys.
  std::string all_of(std::size_t column) const {
    const auto column_keys = std::ranges::find(publication_.keys, table_.by[column], &KeyColumn::column);
    std::vector<std::string> keys = column_keys == publication_.keys.end() ? Row{} : column_keys->keys;
    if (!table_.others.empty()) keys.push_back(table_.others[column]);
    const auto is_label = [&](const std::string& word) {
      return std::ranges::any_of(
          keys, [&](const std::string& key) { return label_of(publication_, table_.by[column], key) == word; });
    };
    std::string word = "all";
    while (is_label(word)) word += " together";
    return word;
  }

  /// A number of the cell with these keys, one per column of the level. A dash if no such cell is listed.
  CellTable::Cell number(const KeyLevel& level, const std::vector<std::string>& keys, std::size_t place) {
    const auto& cells = cells_.at(level);
    const auto cell = cells.find(keys.empty() ? GroupKey() : GroupKey(keys));
    if (cell == cells.end()) {
      has_gaps_ = true;
      return {{no_cell, ""}};
    }
    if (cell->second.is_hidden) {
      has_hidden_ = true;
      return {{hidden, ""}, {}, {}, hidden};
    }
    const Release::Group& group = cell->second.group;
    const std::size_t quantiles = group.indices.size();
    CellTable::Cell shown = place < quantiles
                                ? value_cell(levels_.front()->release, group, place)  // all levels have its lattice
                                : statistic_cell(cell->second.beside.at(place - quantiles));
    shown.mark = cell->second.marks.at(place);
    if (!shown.mark.empty()) {
      has_marks_ = true;
      shown.sign = " *";
    }
    return shown;
  }

  // Whether the numbers shown so far included dashes, marks or hidden cells.
  bool has_gaps() const { return has_gaps_; }
  bool has_marks() const { return has_marks_; }
  bool has_hidden() const { return has_hidden_; }

 private:
  const Publication& publication_;
  const PublicationTable& table_;
  std::vector<const PublishedLevel*> levels_ = {};
  std::map<KeyLevel, std::map<GroupKey, Cell>> cells_ = {};
  bool has_gaps_ = false;
  bool has_marks_ = false;
  bool has_hidden_ = false;
};

/// A line or column of two crossed key columns. It has a key, or none for the total.
struct Place {
  std::string label;
  std::optional<std::string> key;
};

/// Which key column makes the rows, and which the columns.
struct Crossing {
  std::size_t down;
  std::size_t across;
  std::vector<Place> lines;
  std::vector<Place> columns;
};

/// The keys that the finest level's cells have in a column, in their order, and the total if a level has it.
std::vector<Place> places(const Page& page, const Cells& cells, std::size_t column, bool has_total) {
  std::vector<Place> places;
  for (const Release::Group& group : cells.levels().front()->release.groups) {
    const std::string& key = group.key[column];
    if (std::ranges::find(places, key, &Place::key) == places.end())
      places.push_back({cells.label(page, column, key), key});
  }
  if (has_total) places.push_back({cells.all_of(column), {}});
  return places;
}

/// How the two key columns are crossed; nothing if one line per cell is easier to read.
std::optional<Crossing> crossing_of(const Page& page, const Cells& cells) {
  if (!page.has_figures() || cells.table().by.size() != 2) return {};
  const std::vector<Place> first = places(page, cells, 0, cells.has({1}) || cells.has({}));
  const std::vector<Place> second = places(page, cells, 1, cells.has({0}) || cells.has({}));
  if (second.size() <= most_columns) return Crossing{0, 1, first, second};
  if (first.size() <= most_columns) return Crossing{1, 0, second, first};
  return {};
}

CellTable::Cell crossed_cell(Cells& cells, const Crossing& crossing, const Place& line, const Place& column,
                             std::size_t place) {
  const std::optional<std::string>& first = crossing.down == 0 ? line.key : column.key;
  const std::optional<std::string>& second = crossing.down == 0 ? column.key : line.key;
  KeyLevel level;
  std::vector<std::string> keys;
  if (first) {
    level.push_back(0);
    keys.push_back(*first);
  }
  if (second) {
    level.push_back(1);
    keys.push_back(*second);
  }
  return cells.has(level) ? cells.number(level, keys, place) : CellTable::Cell{""};
}

/// A table of rows by columns, with these numbers of each cell.
CellTable crossed(const Page& page, Cells& cells, const Crossing& crossing, const std::vector<std::size_t>& numbers,
                  const std::string& name, const std::string& caption) {
  CellTable table{TableHead{name, caption, 1}, {}, {page.typed(cells.table().by[crossing.down])}, {}};
  const Row headings = cells.headings(page);
  for (const Place& column : crossing.columns) {
    if (numbers.size() > 1) table.groups.push_back({column.label, numbers.size()});
    for (const std::size_t i : numbers) table.headings.push_back(numbers.size() > 1 ? headings[i] : column.label);
  }
  for (const Place& line : crossing.lines) {
    CellTable::Line& row = table.lines.emplace_back(CellTable::Line{{line.label}, {}, !line.key});
    for (const Place& column : crossing.columns) {
      for (const std::size_t i : numbers) row.cells.push_back(crossed_cell(cells, crossing, line, column, i));
    }
  }
  return table;
}

/// A table with one line per cell, level by level, the keys first.
CellTable listed(const Page& page, Cells& cells, const std::string& name, const std::string& caption) {
  const std::vector<std::string>& by = cells.table().by;
  CellTable table{TableHead{name, caption, by.size()}, {}, {}, {}};
  for (const std::string& column : by) table.headings.push_back(page.typed(column));
  if (by.empty()) {
    table.head.left = 1;
    table.headings.emplace_back();
  }
  const Row headings = cells.headings(page);
  table.headings.insert(table.headings.end(), headings.begin(), headings.end());
  for (const PublishedLevel* level : cells.levels()) {
    const KeyLevel& columns = cells.columns_of(*level);
    for (const Release::Group& group : level->release.groups) {
      CellTable::Line line{{}, {}, columns.size() < by.size()};
      for (std::size_t column = 0; column < by.size(); ++column) {
        const auto place = std::ranges::find(columns, column);
        line.names.push_back(
            place == columns.end()
                ? cells.all_of(column)
                : cells.label(page, column, group.key[static_cast<std::size_t>(place - columns.begin())]));
      }
      if (by.empty()) line.names.emplace_back("everyone");
      for (std::size_t i = 0; i < headings.size(); ++i)
        line.cells.push_back(cells.number(columns, group.key.texts(), i));
      table.lines.push_back(std::move(line));
    }
  }
  return table;
}

void say_signs(Page& page, const Cells& cells) {
  if (cells.has_marks()) page.paragraph(note_of_marks(cells.publication().marks) + ".");
  if (cells.has_hidden()) page.paragraph(note_of_hidden(cells.publication().marks) + ".");
  if (cells.has_gaps()) page.paragraph(fmt::format("{} stands where no cell was listed.", no_cell));
}

/// The level's release for a figure, with labels in place of keys, and without hidden cells.
Release drawn(const PublishedTables& tables, const PublishedLevel& level) {
  const Publication& publication = tables.publication;
  const PublicationTable& table = publication.tables[level.table];
  const KeyLevel& columns = table.levels[level.level];
  Release release = level.release;
  release.groups.clear();
  for (const Cell& cell : cells_of(tables, level)) {
    if (cell.is_hidden) continue;
    Release::Group& group = release.groups.emplace_back(cell.group);
    std::vector<std::string> labels = labels_of(publication, table, columns, group.key);
    if (!labels.empty()) group.key = GroupKey(std::move(labels));
  }
  return release;
}

}  // namespace

void show_cells(Page& page, const PublishedTables& tables, std::size_t table) {
  Cells cells(tables, table);
  const std::string name = fmt::format("table_{}", table + 1);
  const std::string whose = page.typed(cells.table().name);
  const std::string by = cells.table().by.empty() ? "" : " by " + page.typed(to_string(KeyColumns(cells.table().by)));
  const std::string small = cells.levels().front()->release.query.intervals ? ", with intervals" : "";
  const std::optional<Crossing> crossing = crossing_of(page, cells);
  const Row headings = cells.headings(page);
  const std::size_t count = headings.size();
  if (!crossing) {
    page.table(listed(page, cells, name, fmt::format("{}{}{}", whose, by, small)));
  } else if (crossing->columns.size() * count <= most_columns && count > 1) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = i;
    page.table(crossed(page, cells, *crossing, all, name, fmt::format("{}{}{}", whose, by, small)));
  } else {
    const std::size_t quantiles = cells.levels().front()->release.query.quantiles.size();
    for (std::size_t i = 0; i < count; ++i) {
      page.table(crossed(page, cells, *crossing, {i}, count == 1 ? name : fmt::format("{}_{}", name, i + 1),
                         fmt::format("{}{}: {}{}{}", whose, by, i < quantiles ? "the quantile of " : "", headings[i],
                                     i < quantiles ? small : ", with intervals")));
    }
  }
  say_signs(page, cells);
}

void draw_cells(Page& page, const PublishedTables& tables, std::size_t table) {
  if (!page.has_figures()) return;
  for (const PublishedLevel& level : tables.levels) {
    if (level.table != table || level.release.groups.size() > most_drawn) continue;
    if (level.release.query.quantiles.empty()) continue;
    const Release release = drawn(tables, level);
    if (release.groups.empty()) continue;
    draw_release(page, release, fmt::format("figure_{}_{}", table + 1, level.level + 1));
  }
}

}  // namespace fractile::publication_detail
