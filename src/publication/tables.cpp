// Checks a publication, and makes the cells of its tables.
#include "publication/tables.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/statistics.hpp"
#include "ranks/expected_units.hpp"
#include "report/text/decimals.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse(const char* field, const std::string& what, const Words& hint) {
  throw Error(ErrorCode::usage, {Field(field), ": " + what}, hint, field);
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

QuantileQuery over_counted(const Publication& publication, const QuantileQuery& query) {
  const QuantileQuery over_rows = over_query(query, publication.sql_stability);
  return publication.weights ? over_weights(over_rows, *publication.weights) : over_rows;
}

/// Refuses names of keys, columns or tables that are empty, are not UTF-8 or appear twice.
void require_names(const char* field, const std::vector<std::string>& names, const char* what) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    if (name.empty()) refuse(field, std::string(what) + " is an empty text", "write what it is called");
    if (!is_utf8(name)) refuse(field, std::string(what) + " is not UTF-8 text", "convert it");
    if (!known.insert(name).second) {
      refuse(field, fmt::format("{} {} appears twice", what, quoted(name)), "write each once");
    }
  }
}

void require_positive(const char* field, const std::optional<Rational>& share) {
  if (share && share->sign() <= 0) refuse(field, "not above 0", {"write for example ", Field(field).number(2)});
}

void require_level(const PublicationTable& table, const KeyLevel& level) {
  const bool increases = std::ranges::adjacent_find(level, std::ranges::greater_equal()) == level.end();
  if (increases && (level.empty() || level.back() < table.by.size())) return;
  refuse("levels", "one does not name columns of the table in their order", "write places in `by`, increasing");
}

void validate_levels(const PublicationTable& table) {
  const std::size_t columns = table.by.size();
  KeyLevel all(columns);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (table.levels.empty() || table.levels.front() != all) {
    refuse("levels", "the first one is not all of the table's columns", "put the finest level first");
  }
  std::set<KeyLevel> known;
  for (const KeyLevel& level : table.levels) {
    require_level(table, level);
    if (!known.insert(level).second) refuse("levels", "one appears twice", "write each once");
  }
}

/// The keys of a column of the table, followed by the key for all others, if any.
std::vector<std::string> keys_of(const PublicationTable& table, const std::vector<const KeyColumn*>& columns,
                                 std::size_t column) {
  std::vector<std::string> keys = columns[column]->keys;
  if (!table.others.empty() && !table.others[column].empty()) keys.push_back(table.others[column]);
  return keys;
}

void validate_other(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  if (table.others.empty()) return;
  if (table.others.size() != columns.size()) {
    refuse("other",
           fmt::format("of {}, and the table has {}", report_detail::counted(table.others.size(), "column"),
                       columns.size()),
           "write what other keys are called for each column, or for none");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = table.others[i];
    if (!is_utf8(name)) refuse("other", "a key is not UTF-8 text", "convert it");
    const bool is_key = std::ranges::find(columns[i]->keys, name) != columns[i]->keys.end();
    const bool is_label = std::ranges::find(columns[i]->labels, name) != columns[i]->labels.end();
    if (!is_key && !is_label) continue;
    refuse("other",
           fmt::format("{} is already a {} of column {}", quoted(name), is_key ? "key" : "label",
                       quoted(columns[i]->column)),
           {"call all other keys something else: ", Field("other").entry(columns[i]->column, "elsewhere")});
  }
}

/// Each listed key needs a possible cell: otherwise its records would count under the key for all others.
void require_all_possible(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  for (std::size_t i = 0; i < table.others.size(); ++i) {
    if (table.others[i].empty()) continue;
    std::set<std::string> keys;
    for (const KeyTuple& cell : table.possible_cells) keys.insert(cell[i]);
    for (const std::string& key : columns[i]->keys) {
      if (keys.contains(key)) continue;
      refuse("possible",
             fmt::format("{} of column {} is in no cell, and its records would count as {}", quoted(key),
                         quoted(columns[i]->column), quoted(table.others[i])),
             "list a cell that has it, or leave it out of the keys");
    }
  }
}

void require_one_key_a_column(const PublicationTable& table) {
  for (const KeyTuple& cell : table.possible_cells) {
    if (cell.size() == table.by.size()) continue;
    refuse("possible",
           fmt::format("a cell has {}, and the table {}", report_detail::counted(cell.size(), "key"),
                       report_detail::counted(table.by.size(), "column")),
           "write one key a column");
  }
}

void validate_possible(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  require_one_key_a_column(table);
  std::vector<std::set<std::string>> known;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::vector<std::string> keys = keys_of(table, columns, i);
    known.emplace_back(keys.begin(), keys.end());
  }
  std::set<KeyTuple> cells;
  for (const KeyTuple& cell : table.possible_cells) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (known[i].contains(cell[i])) continue;
      refuse("possible", fmt::format("{} is not a key of column {}", quoted(cell[i]), quoted(columns[i]->column)),
             "list it among the keys, or leave the cell out");
    }
    if (!cells.insert(cell).second) refuse("possible", "a cell appears twice", "write each once");
  }
  if (!table.possible_cells.empty()) require_all_possible(table, columns);
}

std::size_t cell_count(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  if (!table.possible_cells.empty()) return table.possible_cells.size();
  std::size_t cells = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cells *= keys_of(table, columns, i).size();
    if (cells > Publication::most_cells) break;
  }
  return cells;
}

/// The number of cells, checked before cells are made of the keys.
std::size_t require_countable(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  const std::size_t cells = cell_count(table, columns);
  if (cells <= Publication::most_cells) return cells;
  refuse("by", fmt::format("more than {} cells", Publication::most_cells),
         "publish by fewer columns, or list the cells that are possible");
}

void require_rows_of_all(const PublicationTable& table, std::size_t cells) {
  if (table.expected_rows.empty() || table.expected_rows.size() == cells) return;
  refuse("rows",
         fmt::format("of {}, and the table has {}", report_detail::counted(table.expected_rows.size(), "cell"), cells),
         "write one number a cell, or none");
}

void validate_cells(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  validate_other(table, columns);
  validate_possible(table, columns);
  require_rows_of_all(table, require_countable(table, columns));
  std::uint64_t sum = 0;
  for (const std::uint64_t rows : table.expected_rows) {
    if (rows > RankProfile::max_records - sum)
      refuse("rows", "more than 2^48 in all", "write about how many there are");
    sum += rows;
  }
}

bool has_candidate(const Lattice& lattice, const Rational& value) {
  if (lattice.is_regular())
    return value <= lattice.upper() && ((value - lattice.lower()) / lattice.step()).is_integer();
  for (std::uint64_t i = 0; i < lattice.size(); ++i) {
    if (lattice.at(i) == value) return true;
  }
  return false;
}

void validate_counts(const PublicationTable& table) {
  for (std::size_t i = 1; i < table.below.size(); ++i) {
    if (table.below[i - 1] < table.below[i]) continue;
    refuse("below", "the values do not increase", "write the smallest first, and each once");
  }
  for (const Rational& value : table.below) {
    if (table.lattice.lower() < value && has_candidate(table.lattice, value)) continue;
    refuse("below",
           fmt::format("{} is not a possible value above the smallest", value_text(table.lattice.kind(), value)),
           {"write for example ", Field("below").number(table.lattice.text(table.lattice.size() / 2))});
  }
  if (table.mean) require_mean_of(table.lattice);
  if (!table.has_counts() && table.quantiles.empty()) {
    refuse("quantiles", "table " + quoted(table.name) + " publishes nothing",
           {"write ", Field("quantiles").text("deciles"), ", or ask for a count, a mean or shares below values"});
  }
  if (!table.counts_share) return;
  if (table.counts_share->sign() <= 0 || *table.counts_share >= Rational(1)) {
    refuse("counts_share", "not between 0 and 1", {"write for example ", Field("counts_share").number("0.2")});
  }
  if (!table.has_counts() || table.quantiles.empty()) {
    refuse("counts_share", "the table does not have both quantiles and counts, which would share a level's part",
           "leave it out: it divides a level's part between quantiles and counts");
  }
}

/// Checks whose records count and how: persons' values, and weights.
void validate_counted(const Publication& publication, const PublicationTable& table) {
  RecordSelection selection;
  selection.person = publication.person;
  selection.per_person = table.per_person;
  selection.weights = publication.weights;
  ColumnToCount{table.column, table.lattice, publication.null_policy, selection}.validate();
  if (!publication.weights) return;
  if (table.target && table.target->quantity == PublicationTarget::Quantity::interval) {
    refuse("target", "no budget is found for a width of intervals of weighted quantiles",
           "name a budget, and see with fractile plan what it is worth");
  }
  if (publication.marks.hidden) {
    refuse("hidden", "a total weight does not say how many records a cell has",
           {"leave it out; ", Field("unreliable").number("0.2"), " marks values by their intervals"});
  }
  if (table.expected_rows.empty() || publication.weights->mean) return;
  refuse("rows", "the number of units of weight of these records is not known",
         {"write below [publication] about how large their weights are on average, as is publicly known: ",
          Field("expected_weight")
              .number(((publication.weights->lower + publication.weights->upper) / Rational(2)).to_decimal()),
          "; or leave the rows out"});
}

void validate_shares(const PublicationTable& table) {
  require_positive("share", table.share);
  for (const Rational& share : table.level_shares) require_positive("level_shares", share);
  const std::size_t levels = table.drawn_levels();
  if (!table.level_shares.empty() && table.level_shares.size() != levels) {
    refuse("level_shares",
           fmt::format("{} for {} that draw{} something", report_detail::counted(table.level_shares.size(), "share"),
                       report_detail::counted(levels, "level"), levels == 1 ? "s" : ""),
           "write one a level, the finest first, then the totals in their order");
  }
  if (!table.target) return;
  if (table.share || !table.level_shares.empty()) {
    refuse("target", "a target decides the table's part of the budget", "leave out its shares");
  }
  if (table.quantiles.empty()) refuse("target", "a target is about quantiles, and there are none", "leave it out");
  if (table.target->quantity == PublicationTarget::Quantity::interval && !table.intervals) {
    refuse("target", "a target of interval_width needs intervals, and the table has none",
           {"write ", Field("intervals").number("0.95"), ", or ask for a share_error"});
  }
  if (table.target->quantity == PublicationTarget::Quantity::interval && table.target->limit >= Rational(1)) {
    refuse("target", "an interval of all of a cell's records says nothing",
           "write for example { interval_width = 0.1 }");
  }
  if (table.target->limit.sign() < 0) refuse("target", "an error below 0", "write how large it may be");
  if (table.target->quantity != PublicationTarget::Quantity::ranks && table.expected_rows.empty()) {
    refuse("target", "the number of records of a cell is not given",
           {"write about how many, for example ", Field("rows").number(1000), ", or ask for a rank_error"});
  }
}

}  // namespace

std::vector<const KeyColumn*> Publication::columns_of(const PublicationTable& table) const {
  std::vector<const KeyColumn*> columns;
  for (const std::string& name : table.by) {
    const auto at = std::ranges::find(keys, name, &KeyColumn::column);
    if (at == keys.end()) {
      const std::vector<std::string> known = mapped(keys, &KeyColumn::column);
      const std::string nearest = nearest_word(name, known);
      refuse("by", "the keys of " + quoted(name) + " are not listed",
             nearest.empty() ? "list the keys of this column, which are public" : "did you mean " + nearest + "?");
    }
    columns.push_back(&*at);
  }
  return columns;
}

void Publication::validate_keys() const {
  std::vector<std::string> columns;
  for (const KeyColumn& column : keys) {
    columns.push_back(column.column);
    if (column.keys.empty()) refuse("keys", "column " + quoted(column.column) + " has none", "list them all");
    require_names("keys", column.keys, "a key");
    if (!column.labels.empty() && column.labels.size() != column.keys.size()) {
      refuse("keys",
             fmt::format("column {} has {} and {}", quoted(column.column),
                         report_detail::counted(column.keys.size(), "key"),
                         report_detail::counted(column.labels.size(), "label")),
             "write a label for each key, or none");
    }
  }
  require_names("keys", columns, "a column");
}

void Publication::validate(const PublicationTable& table) const {
  require_names("column", {table.column}, "a column");
  require_names("by", table.by, "a column");
  const std::vector<const KeyColumn*> columns = columns_of(table);
  validate_levels(table);
  validate_cells(table, columns);
  validate_counts(table);
  validate_counted(*this, table);
  validate_shares(table);
  if (marks.hidden && !table.count) {
    refuse("hidden", "table " + quoted(table.name) + " releases no count to decide it by",
           {"write ", Field("count").blank("true"),
            " there: a mark that depends on records that were not released would leak"});
  }
  if (marks.unreliable && !table.intervals && !table.quantiles.empty()) {
    refuse("unreliable", "table " + quoted(table.name) + " has no intervals to decide it by",
           {"write ", Field("intervals").number("0.95"), " there"});
  }
  const QuantileQuery query =
      over_counted(*this, publication_detail::query_of(*this, table, table.levels.front(), budget));
  require_query(query, table.lattice);
  if (!table.by.empty()) group_query(query);
}

void Publication::validate() const {
  if (budget.measure() == Measure::approximate) {
    refuse("delta", "a publication's budget is an epsilon or a rho", "leave it out");
  }
  if (records_per_person == 0) refuse("records_per_person", "not above 0", "write 1");
  if (confidence.sign() <= 0 || confidence >= Rational(1)) {
    refuse("confidence", "not between 0 and 1", {"write for example ", Field("confidence").number("0.95")});
  }
  if (tables.empty()) refuse("table", "there is none", "write at least one");
  require_positive("unreliable", marks.unreliable);
  validate_keys();
  std::vector<std::string> names;
  std::size_t levels = 0;
  for (const PublicationTable& table : tables) {
    names.push_back(table.name);
    levels += table.levels.size();
  }
  require_names("name", names, "a table");
  if (levels > most_parts) refuse("table", fmt::format("more than {} levels in all", most_parts), "publish fewer");
  for (const PublicationTable& table : tables) validate(table);
}

KeyColumns publication_detail::columns_of(const PublicationTable& table, const KeyLevel& level) {
  return KeyColumns(mapped(level, [&](std::size_t place) { return table.by[place]; }));
}

std::vector<std::string> publication_detail::others_of(const PublicationTable& table, const KeyLevel& level) {
  std::vector<std::string> others;
  if (table.others.empty()) return others;
  for (const std::size_t place : level) others.push_back(table.others[place]);
  const bool are_none = std::ranges::all_of(others, [](const std::string& each) { return each.empty(); });
  return are_none ? std::vector<std::string>() : others;
}

std::uint32_t publication_detail::records_per_person(const Publication& publication, const PublicationTable& table,
                                                     const KeyLevel& level) {
  return table.per_person && level.empty() ? 1 : publication.records_per_person;
}

std::string publication_detail::most_of_person(const Publication& publication) {
  std::optional<std::uint32_t> records;
  std::optional<std::uint32_t> values;
  for (const PublicationTable& table : publication.tables) {
    std::optional<std::uint32_t>& most = table.per_person ? values : records;
    for (const KeyLevel& level : table.levels)
      most = std::max(most, std::optional(records_per_person(publication, table, level)));
  }
  if (records && records == values)
    return report_detail::counted(*records, "record") + " or " + (*values == 1 ? "value" : "values");
  std::vector<std::string> all;
  if (records) all.push_back(report_detail::counted(*records, "record"));
  if (values) all.push_back(report_detail::counted(*values, "value"));
  return fmt::to_string(fmt::join(all, " or "));
}

QuantileQuery publication_detail::query_of(const Publication& publication, const PublicationTable& table,
                                           const KeyLevel& level, const Budget& budget) {
  QuantileQuery query{table.quantiles, budget};
  query.neighbors = publication.neighbors;
  query.records_per_person = records_per_person(publication, table, level);
  query.mechanism = table.mechanism;
  query.rates = table.rates;
  query.base = table.base;
  query.interpolate = table.interpolate;
  query.intervals = table.intervals;
  query.names = table.quantile_names;
  return query;
}

QuantileQuery publication_detail::counted_query(const Publication& publication, const PublicationTable& table,
                                                const QuantileQuery& query) {
  const QuantileQuery counted = over_counted(publication, query);
  return table.by.empty() ? counted : group_query(counted);
}

std::uint64_t publication_detail::counted_of(const Publication& publication, std::uint64_t rows) {
  return publication.weights && rows > 0 ? expected_units(*publication.weights, rows) : rows;
}

bool publication_detail::is_beyond_saving(const PublicationTable& table, std::uint64_t rows) {
  const Rational records(rows);
  Rational before(0);
  for (const Rational& q : table.quantiles) {
    if (before < q && (q - before) * records < Rational(1)) return true;
    before = q;
  }
  return before < Rational(1) && !table.quantiles.empty() && (Rational(1) - before) * records < Rational(1);
}

std::optional<std::uint64_t> publication_detail::smallest_rows(const PublicationTable& table, const LevelCells& cells) {
  std::optional<std::uint64_t> smallest;
  for (const std::uint64_t rows : cells.expected_rows) {
    if (rows == 0 || is_beyond_saving(table, rows)) continue;
    smallest = std::min(smallest.value_or(rows), rows);
  }
  return smallest;
}

// --- Cells -----------------------------------------------------------------------------------------------------------

namespace {

/// All tuples of the keys; the last column's key changes fastest.
std::vector<KeyTuple> all_tuples(const PublicationTable& table, const std::vector<const KeyColumn*>& columns) {
  std::vector<KeyTuple> tuples{{}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::vector<std::string> keys = keys_of(table, columns, i);
    std::vector<KeyTuple> longer;
    longer.reserve(tuples.size() * keys.size());
    for (const KeyTuple& tuple : tuples) {
      for (const std::string& key : keys) {
        longer.push_back(tuple);
        longer.back().push_back(key);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

KeyTuple margin_of(const KeyTuple& cell, const KeyLevel& level) {
  KeyTuple margin;
  margin.reserve(level.size());
  for (const std::size_t column : level) margin.push_back(cell[column]);
  return margin;
}

}  // namespace

LevelCells cells_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level) {
  const std::vector<const KeyColumn*> columns = publication.columns_of(table);
  require_level(table, level);
  validate_other(table, columns);
  require_one_key_a_column(table);
  require_rows_of_all(table, require_countable(table, columns));
  const std::vector<KeyTuple> finest = table.possible_cells.empty() ? all_tuples(table, columns) : table.possible_cells;
  LevelCells result;
  std::map<KeyTuple, std::size_t> places;
  for (const KeyTuple& each : finest) {
    KeyTuple cell = margin_of(each, level);
    const auto [at, is_new] = places.try_emplace(cell, result.cells.size());
    if (is_new) result.cells.push_back(std::move(cell));
    result.of_finest.push_back(at->second);
  }
  if (table.expected_rows.empty()) return result;
  result.expected_rows.resize(result.cells.size());
  for (std::size_t i = 0; i < finest.size(); ++i) {
    result.expected_rows[result.of_finest[i]] += table.expected_rows[i];
  }
  return result;
}

}  // namespace fractile
