#include "source/counting/column_cells.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>

#include "libraries/fmt.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/text_cells.hpp"

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

constexpr std::string_view digits = "0123456789";

/// Without blanks, and without a currency or a percent sign before or after the number. Letters count as such behind a blank only: "A12" may
/// be a code.
std::string_view without_signs(std::string_view text) {
  constexpr std::array<std::string_view, 6> signs{"$",        "%",        "\xE2\x82\xAC",
                                                  "\xC2\xA3", "\xC2\xA5", "\xC2\xA0"};  // with euro, pound, yen
  const auto trim = [&] {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
  };
  trim();
  for (const std::string_view sign : signs) {
    if (text.starts_with(sign)) text.remove_prefix(sign.size());
    if (text.ends_with(sign)) text.remove_suffix(sign.size());
    trim();
  }
  constexpr std::size_t longest_currency = 3;
  const auto is_currency = [](std::string_view word) {
    return !word.empty() && word.size() <= longest_currency &&
           word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
  };
  if (const std::size_t at = text.find(' '); at != std::string_view::npos && is_currency(text.substr(0, at)))
    text.remove_prefix(at + 1);
  if (const std::size_t at = text.rfind(' '); at != std::string_view::npos && is_currency(text.substr(at + 1)))
    text.remove_suffix(text.size() - at);
  trim();
  return text;
}

/// Whether a text that is no number as it stands is one for people: with a decimal comma, separators of thousands, or a currency.
bool is_number_for_people(std::string_view text) {
  text = without_signs(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = std::min(text.find_first_not_of(digits), text.size());
  if (whole == 0) return false;
  const bool may_be_grouped = whole <= 3 && text.front() != '0';
  const std::size_t first = whole;
  text.remove_prefix(first);
  char separator = '\0';
  const auto is_group = [&] {
    if (text.size() < 4 || (text.size() > 4 && digits.find(text[4]) != std::string_view::npos)) return false;
    const bool is_separator =
        separator == '\0' ? std::string_view(".,' ").find(text[0]) != std::string_view::npos : text[0] == separator;
    return is_separator && text.substr(1, 3).find_first_not_of(digits) == std::string_view::npos;
  };
  while (may_be_grouped && is_group()) {
    separator = text[0];
    text.remove_prefix(4);
  }
  if (text.empty()) return true;
  const bool is_decimal = (text[0] == ',' || text[0] == '.') && text[0] != separator && text.size() > 1;
  return is_decimal && text.substr(1).find_first_not_of(digits) == std::string_view::npos;
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
    if (kind == no_kind && is_text_ && text && is_number_for_people(*text)) ++numbers_for_people_;
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
    if (*most == 0 && 2 * numbers_for_people_ > present) {
      cells.read_as = ValueKind::number;
      cells.read = 0;
      cells.unreadable = present;
      cells.unreadable_rows = others_.front();
      return cells;
    }
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
  std::uint64_t numbers_for_people_ = 0;                 // among the cells of no kind
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

/// Reads the columns in one pass, and appends what they hold.
void read_some(const EngineOnDemand& engine, const Relation& relation, const std::vector<Column>& columns,
               std::vector<ColumnCells>& cells, const std::function<void()>& on_progress) {
  std::vector<Tally> tallies(columns.begin(), columns.end());
  std::uint64_t before = 0;
  const auto read_all = [&](auto&& chunks) {
    while (const auto chunk = chunks.next()) {
      std::size_t at = 0;
      for (Tally& tally : tallies) {
        const auto states = chunk->column(at++).template numbers<std::int64_t>();
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
  };
  if (is_read_here(relation)) {
    std::vector<TextCell> asked;
    for (const Column& column : columns) {
      asked.push_back(TextCell::state(column, lattice_of(ValueKind::number)));
      asked.push_back(TextCell::number(column, lattice_of(ValueKind::timestamp), Unreadable::missing));
    }
    const TextReading reading(relation, std::move(asked));
    read_all(reading.part());
  } else {
    const Asked asked = asked_of(columns);
    read_all(engine().stream("SELECT " + asked.list + " FROM " + relation.from(columns), asked.types));
  }
  for (const Tally& tally : tallies) cells.push_back(tally.finish());
}

}  // namespace

void read_cells(const EngineOnDemand& engine, const Relation& relation, const std::vector<Column>& columns,
                std::vector<ColumnCells>& cells, const std::function<void()>& on_progress) {
  constexpr std::size_t most_at_once = 32;  // the engine's time to bind a query grows with the square of its columns
  cells.clear();
  if (columns.empty() || is_read_here(relation)) return read_some(engine, relation, columns, cells, on_progress);
  for (std::size_t first = 0; first < columns.size(); first += most_at_once) {
    const std::size_t last = std::min(columns.size(), first + most_at_once);
    const auto at = [&](std::size_t i) { return columns.begin() + static_cast<std::ptrdiff_t>(i); };
    read_some(engine, relation, {at(first), at(last)}, cells, on_progress);
  }
}

std::vector<std::string> keys_of_records(const Session& connection, const Relation& json, std::size_t most) {
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
