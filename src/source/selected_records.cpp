#include "source/selected_records.hpp"

#include <fmt/core.h>

#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fractile/error.hpp"
#include "source/keyed_counts.hpp"
#include "source/persons.hpp"

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

/// Empty, or nothing but white space.
bool names_nobody(std::string_view person) { return person.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos; }

using KeyNumbers = std::unordered_map<std::string_view, std::uint32_t>;

KeyNumbers numbers_of(const std::vector<std::string>& keys) {
  KeyNumbers numbers;
  numbers.reserve(keys.size());
  for (const std::string& key : keys) numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()));
  return numbers;
}

void check_keys(const std::vector<std::string>& keys) {
  if (keys.size() > most_keys) {
    throw Error(ErrorCode::usage, fmt::format("{} keys are more than {}", keys.size(), most_keys),
                "release fewer groups at a time");
  }
  KeyNumbers seen;
  seen.reserve(keys.size());
  for (const std::string& key : keys) {
    if (key.empty()) throw Error(ErrorCode::usage, "a key is empty", "every group needs a key with something in it");
    if (!seen.emplace(key, 0).second) {
      throw Error(ErrorCode::usage, fmt::format("the key '{}' stands twice", key), "write every key once");
    }
  }
}

/// Decides which records count, and where.
class Selector {
 public:
  Selector(const SelectedColumns& columns, const Lattice& lattice, const RecordSelection& selection, RandomBits& bits)
      : has_person_(columns.person.has_value()),
        has_key_(columns.key.has_value()),
        lattice_(lattice),
        groups_(has_key_ ? selection.keys.size() : 1),
        keys_(numbers_of(selection.keys)),
        samples_(selection.records_per_person, bits) {}

  /// Columns: the number; the person, if there is one; the key, if there is one.
  template <class Number>
  void add_chunk(const Chunk& chunk) {
    place<Number>(chunk.column(0));
    const ColumnView persons = chunk.column(has_person_ ? 1 : 0);
    const ColumnView keys = chunk.column(chunk.columns() - 1);
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      const Position position = positions_[row];
      const std::string_view person = has_person_ ? text_at(persons, row) : std::string_view();
      const bool is_nobodys = has_person_ && names_nobody(person);
      any_missing_ = any_missing_ || position == nowhere;
      any_nobody_ = any_nobody_ || is_nobodys;
      if (position == nowhere || is_nobodys) continue;
      const std::optional<std::uint32_t> key = has_key_ ? key_at(keys, row) : std::uint32_t{0};
      if (key) add(person, {position, *key});
    }
  }

  SelectedProfiles finish() {
    samples_.for_each_kept([this](const KeyedRecord& record) { counts_.add(record); });
    return {counts_.finish(groups_, lattice_.size()), any_missing_, any_nobody_};
  }

 private:
  static constexpr Position nowhere = ~Position{0};

  /// The position of each number of the chunk; `nowhere` for those that are NULL or NaN.
  template <class Number>
  void place(const ColumnView& column) {
    const std::span<const Number> numbers = column.numbers<Number>();
    positions_.resize(numbers.size());
    if (!column.any_null() && !any_nan(numbers)) return lattice_.positions_of(numbers, positions_);
    const auto is_missing = [&](std::size_t i) { return column.is_null(i) || is_nan(numbers[i]); };
    std::vector<Number> all(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_missing(i)) all[i] = 0;
    }
    lattice_.positions_of(all, positions_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_missing(i)) positions_[i] = nowhere;
    }
  }

  /// Nothing when the record's key is not listed; no key is empty.
  std::optional<std::uint32_t> key_at(const ColumnView& keys, std::size_t row) const {
    const auto found = keys_.find(text_at(keys, row));
    if (found == keys_.end()) return {};
    return found->second;
  }

  void add(std::string_view person, const KeyedRecord& record) {
    if (has_person_) {
      samples_.add(person, record);
    } else {
      counts_.add(record);
    }
  }

  bool has_person_;
  bool has_key_;
  const Lattice& lattice_;
  std::size_t groups_;
  KeyNumbers keys_;
  PersonSamples samples_;
  KeyedCounts counts_;
  std::vector<Position> positions_;  // of the chunk
  bool any_missing_ = false;
  bool any_nobody_ = false;
};

Cells cells_of(const Relation& relation, const SelectedColumns& columns, const Lattice& lattice) {
  const bool is_integer = numeric_of(columns.number.type) == Numeric::integer;
  std::vector<Column> read{columns.number};
  Cells cells{{number_expression(columns.number, lattice)}, {is_integer ? CellType::integer : CellType::real}, {}};
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
  Selector selector(columns, lattice, selection, bits);
  std::mutex selecting;  // the engine's threads read at once, and take turns here
  const auto select = [&](const Chunk& chunk) {
    const std::lock_guard lock(selecting);
    if (cells.types[0] == CellType::integer) {
      selector.add_chunk<std::int64_t>(chunk);
    } else {
      selector.add_chunk<double>(chunk);
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
