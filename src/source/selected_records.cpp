#include "source/selected_records.hpp"

#include <fmt/core.h>

#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "fractile/error.hpp"
#include "source/record_selector.hpp"

namespace fractile {
namespace source_detail {
namespace {

constexpr std::size_t most_keys = 100'000;

/// A column as exact text.
std::string text_expression(const Column& column) {
  return "CAST(" + quote_identifier(column.engine_name) + " AS VARCHAR)";
}

/// NULL is read as empty.
std::string_view text_at(const ColumnView& column, std::size_t row) {
  return column.is_null(row) ? std::string_view() : column.text(row);
}

void check_keys(const std::vector<std::string>& keys) {
  if (keys.size() > most_keys) {
    throw Error(ErrorCode::usage, fmt::format("{} keys are more than {}", keys.size(), most_keys),
                "release fewer groups at a time");
  }
  std::unordered_set<std::string_view> seen;
  seen.reserve(keys.size());
  for (const std::string& key : keys) {
    if (key.empty()) throw Error(ErrorCode::usage, "a key is empty", "every group needs a key with something in it");
    if (!seen.insert(key).second) {
      throw Error(ErrorCode::usage, fmt::format("the key '{}' stands twice", key), "write every key once");
    }
  }
}

Cells cells_of(const Relation& relation, const SelectedColumns& columns, const Lattice& lattice) {
  std::vector<Column> read{columns.number};
  Cells cells{{number_expression(columns.number, lattice)}, {reading_of(columns.number, lattice.kind()).type}, {}};
  for (const std::optional<Column>& column : {columns.person, columns.key}) {
    if (!column) continue;
    read.push_back(*column);
    cells.expressions.push_back(text_expression(*column));
    cells.types.push_back(CellType::text);
  }
  cells.relation = relation.from(read);
  return cells;
}

}  // namespace

SelectedProfiles count_selected(const Connection& connection, const Relation& relation, const SelectedColumns& columns,
                                const Lattice& lattice, const RecordSelection& selection, RandomBits& bits,
                                const std::function<void()>& on_progress) {
  const Cells cells = cells_of(relation, columns, lattice);
  const CellReading reading = reading_of(columns.number, lattice.kind());
  RecordSelector selector(lattice, selection, bits);
  TimeCells times;
  std::mutex selecting;  // the engine's threads read at once, and take turns here
  const auto select = [&](const Chunk& chunk) {
    const std::lock_guard lock(selecting);
    const ColumnView numbers = times.numbers(chunk.column(0), reading, lattice.kind());
    const ColumnView persons = chunk.column(columns.person ? 1 : 0);
    const ColumnView keys = chunk.column(chunk.columns() - 1);
    const auto person_at = [&](std::size_t row) { return text_at(persons, row); };
    const auto key_at = [&](std::size_t row) { return text_at(keys, row); };
    if (reading.type == CellType::real) {
      selector.add<double>(numbers, person_at, key_at);
    } else {
      selector.add<std::int64_t>(numbers, person_at, key_at);
    }
  };
  const std::uint64_t rows = connection.for_each_chunk(cells, select, on_progress);
  SelectedProfiles selected = selector.finish();
  selected.rows = rows;
  return selected;
}

std::uint64_t first_row_of_nobody(const Connection& connection, const Relation& relation, const Column& person) {
  const std::string others = relation.shape() ? ", *" : "";
  ResultStream persons = connection.query(
      "SELECT " + text_expression(person) + others + " FROM " + relation.from(person), {CellType::text});
  std::uint64_t number = 0;
  while (const std::optional<Chunk> chunk = persons.next()) {
    const ColumnView cells = chunk->column(0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      ++number;
      if (names_nobody(text_at(cells, row))) return number;
    }
  }
  throw Error(ErrorCode::internal, "the table changed while it was read");
}

}  // namespace source_detail

void RecordSelection::validate() const {
  if (!person.empty() && records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record", "write --records-per-person 1 or more");
  }
  if (by.empty() != keys.empty()) {
    throw Error(ErrorCode::usage, by.empty() ? "keys without the column that holds them" : "groups without their keys",
                "write both, for example --by region --keys north,south");
  }
  source_detail::check_keys(keys);
}

}  // namespace fractile
