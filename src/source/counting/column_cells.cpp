#include "source/counting/column_cells.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>

#include "libraries/fmt.hpp"
#include "source/counting/counting.hpp"

namespace fractile::source_detail {
namespace {

/// The kinds as which a cell can be read.
constexpr std::array kinds{ValueKind::number, ValueKind::timestamp, ValueKind::instant};
constexpr std::size_t no_kind = kinds.size();

/// A lattice for cell_state_expression(), on which doubles hold all whole numbers.
Lattice lattice_of(ValueKind kind) { return Lattice::regular(0, 1, 1, kind); }

bool is_text(const Column& column) { return numeric_of(column.type) == Numeric::text; }

/// The index in `kinds` as which every cell that is not missing is read, in a column that is not text.
std::size_t kind_of(const Column& column) {
  if (column.unread_digits > 0) return no_kind;
  const auto time = time_kind_of(column.type);
  if (time) return *time == ValueKind::instant ? 2 : 1;
  return numeric_of(column.type) == Numeric::none ? no_kind : 0;
}

/// SQL of a cell's CellState; for text, its state as a number.
std::string state_expression(const Column& column) {
  const bool is_number = is_text(column) || kind_of(column) == 0;
  return cell_state_expression(column, lattice_of(is_number ? ValueKind::number : ValueKind::timestamp));
}

/// Counts the cells of a column.
class Tally {
 public:
  explicit Tally(const Column& column) : is_text_(is_text(column)), kind_(kind_of(column)) {
    if (time_kind_of(column.type) == ValueKind::date) time_ = ValueKind::date;
  }

  bool reads_text() const { return is_text_; }
  void add(CellState state, std::optional<std::string_view> text, std::uint64_t row) {
    if (state == CellState::missing) {
      ++missing_;
      return;
    }
    const std::size_t kind = is_text_ ? kind_of_text(state, text) : kind_;
    ++cells_.at(kind);
    for (std::size_t other = 0; other < kinds.size(); ++other) {
      std::vector<std::uint64_t>& rows = others_.at(other);
      if (other != kind && rows.size() < ColumnCells::most_rows) rows.push_back(row);
    }
  }

  ColumnCells finish() const {
    ColumnCells cells;
    cells.missing = missing_;
    const std::uint64_t present = std::accumulate(cells_.begin(), cells_.end(), std::uint64_t{0});
    const auto most = std::max_element(cells_.begin(), cells_.begin() + no_kind);
    cells.read = *most > 0 ? *most : present;
    cells.unreadable = present - cells.read;
    if (*most == 0) return cells;
    const auto kind = static_cast<std::size_t>(most - cells_.begin());
    cells.read_as = kind == 1 ? time_ : kinds.at(kind);
    cells.unreadable_rows = others_.at(kind);
    return cells;
  }

 private:
  static std::size_t kind_of_text(CellState state, std::optional<std::string_view> text) {
    if (state != CellState::no_number || !text) return 0;
    if (cell_ticks(ValueKind::timestamp, *text)) return 1;
    return cell_ticks(ValueKind::instant, *text) ? 2 : no_kind;
  }

  bool is_text_;
  std::size_t kind_;
  ValueKind time_ = ValueKind::timestamp;
  std::uint64_t missing_ = 0;
  std::array<std::uint64_t, kinds.size() + 1> cells_{};  // the numbers of cells of each kind, and of no kind
  // For each kind, the first records whose cells are not of it.
  std::array<std::vector<std::uint64_t>, kinds.size()> others_{};
};

/// What is asked for each column: the cells' state and, for text, the cell if it is not a number.
struct Asked {
  std::string list;
  std::vector<CellType> types;

  void add(const std::string& expression, CellType type) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", expression);
    types.push_back(type);
  }
};

Asked asked_of(const std::vector<Column>& columns) {
  Asked asked;
  for (const Column& column : columns) {
    const std::string state = state_expression(column);
    asked.add(state, CellType::integer);
    if (!is_text(column)) continue;
    asked.add(fmt::format("CASE WHEN {} = {} THEN {} END", state, static_cast<int>(CellState::no_number),
                          number_expression(column, lattice_of(ValueKind::timestamp), Unreadable::missing)),
              CellType::text);
  }
  if (columns.empty()) asked.add("CAST(0 AS BIGINT)", CellType::integer);
  return asked;
}

/// Reads the columns in one pass, and appends what they hold. Returns the number of records.
std::uint64_t read_some(const Connection& connection, const Relation& relation, const std::vector<Column>& columns,
                        std::vector<ColumnCells>& cells, const std::function<void()>& on_progress) {
  std::vector<Tally> tallies(columns.begin(), columns.end());
  const Asked asked = asked_of(columns);
  ResultStream records = connection.stream("SELECT " + asked.list + " FROM " + relation.from(columns), asked.types);
  std::uint64_t before = 0;
  while (const auto chunk = records.next()) {
    std::size_t at = 0;
    for (Tally& tally : tallies) {
      const auto states = chunk->column(at++).numbers<std::int64_t>();
      std::optional<ColumnView> texts;
      if (tally.reads_text()) texts.emplace(chunk->column(at++));
      for (std::size_t row = 0; row < chunk->rows(); ++row) {
        std::optional<std::string_view> text;
        if (texts && !texts->is_null(row)) text = texts->text(row);
        tally.add(static_cast<CellState>(states[row]), text, before + row + 1);
      }
    }
    before += chunk->rows();
    if (on_progress) on_progress();
  }
  for (const Tally& tally : tallies) cells.push_back(tally.finish());
  return before;
}

}  // namespace

std::uint64_t read_cells(const Connection& connection, const Relation& relation, const std::vector<Column>& columns,
                         std::vector<ColumnCells>& cells, const std::function<void()>& on_progress) {
  constexpr std::size_t most_at_once = 32;  // the engine's time to bind a query grows with the square of its columns
  cells.clear();
  if (columns.empty()) return read_some(connection, relation, columns, cells, on_progress);
  std::uint64_t records = 0;
  for (std::size_t first = 0; first < columns.size(); first += most_at_once) {
    const std::size_t last = std::min(columns.size(), first + most_at_once);
    const auto at = [&](std::size_t i) { return columns.begin() + static_cast<std::ptrdiff_t>(i); };
    records = read_some(connection, relation, {at(first), at(last)}, cells, on_progress);
  }
  return records;
}

std::vector<std::string> keys_of_records(const Connection& connection, const Relation& json, std::size_t most) {
  ResultStream rows = connection.query(
      fmt::format("SELECT DISTINCT key FROM (SELECT unnest(json_keys(json)) AS key FROM {}) WHERE key <> '' AND NOT "
                  "contains(key, chr(0)) ORDER BY key LIMIT {}",
                  json.from(std::vector<Column>{}), most),
      {CellType::text});
  std::vector<std::string> keys;
  while (const auto chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) keys.emplace_back(chunk->column(0).text(row));
  }
  return keys;
}

}  // namespace fractile::source_detail
