#include "source/counting/selected_records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/counting/shared_sample.hpp"
#include "source/counting/text_cells.hpp"

namespace fractile {
namespace source_detail {
namespace {

/// A column as exact text.
std::string text_expression(const Column& column) {
  return cell_as_text(quote_identifier(column.engine_name), column.type);
}

/// The same for keys, with 0.0 and -0.0 as one key.
std::string key_expression(const Column& column) {
  const std::string name = quote_identifier(column.engine_name);
  if (numeric_of(column.type) != Numeric::real) return text_expression(column);
  return fmt::format("CAST(CASE WHEN {0} = 0 THEN 0 ELSE {0} END AS VARCHAR)", name);
}

/// Whether numbers are requested as numbers and written as texts here: for whole numbers, the text is that of the engine.
bool comes_as_number(const Column& column) { return numeric_of(column.type) == Numeric::integer; }

std::string name_expression(const Column& column) {
  if (!comes_as_number(column)) return key_expression(column);
  return "CAST(" + quote_identifier(column.engine_name) + " AS BIGINT)";
}

/// The text of a row; empty for NULL.
std::string_view text_at(const ColumnView& column, std::size_t row) {
  return column.is_null(row) ? std::string_view() : column.text(row);
}

/// A column of a chunk that identifies persons or groups.
class NameCells {
 public:
  NameCells(const Chunk& chunk, std::size_t column, const std::vector<CellType>& types)
      : cells_(chunk.column(column)), type_(types[column]) {}

  /// The text of a row; empty for NULL. Valid until the next call.
  std::string_view at(std::size_t row) {
    if (type_ != CellType::integer) return text_at(cells_, row);
    if (cells_.is_null(row)) return {};
    const auto end = std::to_chars(digits_.begin(), digits_.end(), cells_.numbers<std::int64_t>()[row]).ptr;
    return {digits_.data(), static_cast<std::size_t>(end - digits_.data())};
  }

 private:
  ColumnView cells_;
  CellType type_;
  std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits_{};
};

/// Whether 32-bit numbers are requested as such and widened here, which is faster than the engine's cast.
bool come_short(const SelectedColumns& columns, const CellReading& reading) {
  return columns.number.type == "INTEGER" && !columns.per_person && reading.type == CellType::integer && !reading.unit;
}

PersonsNumbers numbers_of(const SelectedColumns& columns, const Lattice& lattice, Unreadable unreadable) {
  const Column& number = columns.number;
  if (columns.per_person) return persons_numbers(number, lattice, unreadable, *columns.per_person);
  return {number_expression(number, lattice, unreadable), reading_of(number, lattice.kind(), unreadable)};
}

/// One of the columns that a pass counts.
struct SelectedColumn {
  const SelectedColumns& columns;
  const Lattice& lattice;            // the selector's lattice before it was converted to units of the column
  RecordSelector* selector;          // null: the records are sampled together with those of other columns
  const Lattice* weights = nullptr;  // the grid of weights, like `lattice`; null without weights
};

/// The places, in a chunk, of the cells that a column needs.
struct Places {
  std::size_t number;
  std::size_t person;
  std::vector<std::size_t> keys;
  CellReading reading;
  bool is_short;  // whether the numbers have 32 bits
  std::size_t weight = 0;
  CellReading weight_reading = {};
};

/// Collects the cells that a pass reads, column by column.
class CellsOfAll {
 public:
  CellsOfAll(const Relation& relation, std::span<const SelectedColumn> selected, Unreadable unreadable) {
    for (const SelectedColumn& each : selected) {
      const SelectedColumns& columns = each.columns;
      auto [expression, reading] = numbers_of(columns, each.lattice, unreadable);
      const bool is_short = come_short(columns, reading);
      const std::size_t number = is_short ? add_short(columns.number)
                                          : add(columns.per_person == PerPerson::count
                                                    ? TextCell::presence(columns.number)
                                                    : TextCell::number(columns.number, each.lattice, unreadable),
                                                std::move(expression), reading.type);
      Places at{number, columns.person ? add_name(*columns.person) : 0, {}, reading, is_short};
      for (const Column& key : columns.keys) at.keys.push_back(add_name(key));
      if (each.weights) std::tie(at.weight, at.weight_reading) = add_number(*columns.weight, *each.weights, unreadable);
      places.push_back(std::move(at));
    }
    cells.relation = relation.from(read_);
  }

  Cells cells;
  std::vector<TextCell> texts;  // the same cells, if the relation is read here
  std::vector<Places> places;

 private:
  std::size_t add(TextCell text, std::string expression, CellType type) {
    const Column& column = text.column;
    if (std::ranges::find(read_, column.engine_name, &Column::engine_name) == read_.end()) read_.push_back(column);
    for (std::size_t i = 0; i < cells.types.size(); ++i) {
      if (cells.expressions[i] == expression && cells.types[i] == type) return i;
    }
    cells.expressions.push_back(std::move(expression));
    cells.types.push_back(type);
    texts.push_back(std::move(text));
    return cells.types.size() - 1;
  }
  std::pair<std::size_t, CellReading> add_number(const Column& column, const Lattice& lattice, Unreadable unreadable) {
    const CellReading reading = reading_of(column, lattice.kind(), unreadable);
    return {add(TextCell::number(column, lattice, unreadable), number_expression(column, lattice, unreadable),
                reading.type),
            reading};
  }
  std::size_t add_short(const Column& column) {
    return add(TextCell::name(column), "CAST(" + quote_identifier(column.engine_name) + " AS INTEGER)",
               CellType::short_integer);
  }
  std::size_t add_name(const Column& column) {
    return add(TextCell::name(column), name_expression(column),
               comes_as_number(column) ? CellType::integer : CellType::text);
  }

  std::vector<Column> read_;
};

/// Whether a key, and the engine's text for it, are the same value of this type.
bool is_same_value(const std::string& key, const std::string& value, const std::string& type) {
  const Numeric numeric = numeric_of(type);
  if (numeric == Numeric::none) return type != "BOOLEAN" || lower_case(key) == value;
  try {
    const Rational typed = Rational::parse(key);
    const Rational read = Rational::parse(value);
    return numeric == Numeric::real || typed == read;
  } catch (const Error&) {  // its message would quote the key, which may be a line of a file
    return false;
  }
}

[[noreturn]] void refuse_key(std::size_t number, const Column& column, const std::string& what) {
  throw Error(ErrorCode::usage,
              fmt::format("key {} is {} column '{}', which is {}", number + 1, what, column.name, column.full_type),
              "write each key once, as a value of that type", "keys");
}

std::vector<std::string> texts_of_type(const Session& connection, const Column& column,
                                       const std::vector<std::string>& keys) {
  constexpr std::size_t at_once = 1000;
  const Column value{"key", "value", column.type, column.full_type};
  std::vector<std::string> values;
  std::unordered_set<std::string_view> seen;
  for (std::size_t from = 0; from < keys.size(); from += at_once) {
    std::string list;
    const std::size_t end = std::min(keys.size(), from + at_once);
    for (std::size_t k = from; k < end; ++k) {
      if (keys[k].find('\0') != std::string::npos) refuse_key(k, column, "no value of");
      list += (list.empty() ? "" : ", ") + quote_literal(keys[k]);
    }
    ResultStream read = connection.query(fmt::format("SELECT {} FROM (SELECT TRY_CAST(unnest([{}]) AS {}) AS value)",
                                                     key_expression(value), list, column.full_type),
                                         {CellType::text});
    while (const std::optional<Chunk> chunk = read.next()) {
      for (std::size_t row = 0; row < chunk->rows(); ++row) {
        const std::string text(text_at(chunk->column(0), row));
        const std::size_t number = values.size();
        if (text.empty() || !is_same_value(keys.at(number), text, column.type))
          refuse_key(number, column, "no value of");
        values.push_back(text);
      }
    }
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!seen.insert(values[k]).second) refuse_key(k, column, "the same as another one in");
  }
  return values;
}

}  // namespace

bool holds_texts(const Column& column) {
  return column.full_type.empty() || column.type == "VARCHAR" || column.type == "JSON";
}

GroupKeys keys_of_type(const Session& connection, const Column& column, const RecordSelection& selection,
                       std::size_t k) {
  if (holds_texts(column)) return selection.keys;
  std::vector<std::string> keys = selection.keys.list(k);
  const std::string other = selection.others.empty() ? std::string() : selection.others[k];
  const auto at = std::ranges::find(keys, other);
  const auto place = at - keys.begin();
  const bool has_other = !other.empty() && at != keys.end();
  if (has_other) keys.erase(at);
  std::vector<std::string> typed = texts_of_type(connection, column, keys);
  if (has_other) typed.insert(typed.begin() + place, other);
  return selection.keys.with_list(k, std::move(typed));
}

UnitLattice units_of(const Column& number, const ColumnToCount& asked) {
  const std::optional<PerPerson>& how = asked.selection.per_person;
  return how ? values_counted_on(number, asked.lattice, *how) : counted_on(number, asked.lattice);
}

WeightGrid weights_on(const Column& column, const RecordWeights& weights) {
  UnitLattice grid = counted_on(column, weights.grid());  // in the units of the column
  return {std::move(grid.counted_on), weights.least_units_of_record() + static_cast<std::uint32_t>(grid.left_out),
          weights.most_units_of_record()};
}

std::vector<Column> columns_with_missing(const SelectedColumns& columns) {
  std::vector<Column> all{columns.number};
  for (const std::optional<Column>* beside : {&columns.person, &columns.weight}) {
    if (*beside) all.push_back(**beside);
  }
  return all;
}

bool hide_keys(const std::vector<SelectedColumns>& all, const std::vector<std::string>& missing) {
  const auto looks_at = [](const SelectedColumns& columns, const Column& key) {
    return std::ranges::any_of(columns_with_missing(columns),
                               [&](const Column& column) { return column.engine_name == key.engine_name; });
  };
  const auto hides_keys_of = [&](const SelectedColumns& columns) {
    return std::ranges::any_of(columns.keys, [&](const Column& key) {
      const auto looks = [&](const SelectedColumns& other) { return looks_at(other, key); };
      return !looks(columns) && std::ranges::any_of(all, looks);
    });
  };
  return !missing.empty() && std::ranges::any_of(all, hides_keys_of);
}

void require_shown_keys(const std::vector<SelectedColumns>& all, const std::vector<std::string>& missing) {
  if (!hide_keys(all, missing)) return;
  throw Error(
      ErrorCode::usage,
      "one sample of each person's records cannot read a column in two ways: as listed keys, and as counted values, "
      "persons or weights of which some texts are declared missing",
      {"count a copy of it, ", Field("sql").text("SELECT *, age AS age_in_years FROM input"), ", or leave ",
       Field("missing"), " out"},
      "missing");
}

namespace {

/// The cells of a chunk, as selectors read them.
class ChunkCells {
 public:
  ChunkCells(const Chunk& chunk, const Places& at, const std::vector<CellType>& types, bool has_weights)
      : numbers(chunk.column(at.number)), reading(at.reading), persons_(chunk, at.person, types) {
    if (at.is_short) widen();
    keys_.reserve(at.keys.size());
    for (const std::size_t key : at.keys) keys_.emplace_back(chunk, key, types);
    if (has_weights) weights.emplace(WeightCells{chunk.column(at.weight), at.weight_reading});
  }

  std::string_view person_at(std::size_t row) { return persons_.at(row); }
  std::string_view key_at(std::size_t column, std::size_t row) { return keys_[column].at(row); }

  ColumnView numbers;
  CellReading reading;
  std::optional<WeightCells> weights;

 private:
  void widen() {
    const std::span<const std::int32_t> narrow = numbers.numbers<std::int32_t>();
    widened_.assign(narrow.begin(), narrow.end());
    numbers = {widened_.data(), numbers.validity(), numbers.rows()};
  }

  NameCells persons_;
  std::vector<NameCells> keys_;
  std::vector<std::int64_t> widened_;  // if numbers have 32 bits
};

/// For each column, the first column whose records have the same group numbers; the column itself if it has no selector or no keys.
std::vector<std::size_t> first_with_same_groups(std::span<const SelectedColumn> selected,
                                                const std::vector<Places>& places) {
  std::vector<std::size_t> firsts;
  const auto has_groups = [&](std::size_t i) { return selected[i].selector != nullptr && !places[i].keys.empty(); };
  for (std::size_t i = 0; i < selected.size(); ++i) {
    std::size_t first = 0;
    while (first < i && !(has_groups(first) && has_groups(i) && places[first].keys == places[i].keys &&
                          selected[first].selector->has_groups_of(*selected[i].selector))) {
      ++first;
    }
    firsts.push_back(first);
  }
  return firsts;
}

/// Reads every record and adds it to the selectors; records of columns without a selector are added to the sample, in the order of its
/// columns. Throws EngineFailure.
void read_selected(const EngineOnDemand& engine, std::size_t threads, const Relation& relation,
                   std::span<const SelectedColumn> selected, SharedSample* sample, Unreadable unreadable,
                   const std::function<void()>& on_progress) {
  const CellsOfAll all(relation, selected, unreadable);
  const std::vector<std::size_t> firsts = first_with_same_groups(selected, all.places);
  const auto select = [&](const Chunk& chunk) {
    std::vector<ChunkCells> shared;
    std::vector<SharedCells> shared_cells;
    // Only for the first columns with the same group numbers.
    std::vector<std::vector<std::uint32_t>> keys(selected.size());
    for (std::size_t i = 0; i < selected.size(); ++i) {
      ChunkCells cells(chunk, all.places[i], all.cells.types, selected[i].weights != nullptr);
      RecordSelector* const selector = selected[i].selector;
      if (selector == nullptr) {
        shared_cells.push_back({cells.numbers, cells.reading, cells.weights});
        shared.push_back(std::move(cells));
        continue;
      }
      if (firsts[i] == i && !all.places[i].keys.empty()) {
        keys[i] = selector->groups().of_rows(
            chunk.rows(), [&](std::size_t column, std::size_t row) { return cells.key_at(column, row); });
      }
      selector->add(
          cells.numbers, cells.reading, [&](std::size_t row) { return cells.person_at(row); }, keys[firsts[i]],
          cells.weights);
    }
    if (shared.empty()) return;
    sample->add(
        shared_cells, [&](std::size_t row) { return shared.front().person_at(row); },
        [&](std::size_t column, std::size_t k, std::size_t row) { return shared[column].key_at(k, row); });
  };
  if (is_read_here(relation)) {
    TextReading(relation, all.texts).for_each_chunk(threads, select, on_progress);
  } else {
    engine().for_each_chunk(all.cells, select, on_progress);
  }
}

}  // namespace

ColumnTask task_of(const ColumnToCount& asked, SelectedColumns columns, std::optional<SamplingKey> key) {
  UnitLattice units = units_of(columns.number, asked);
  ColumnTask task{asked, std::move(columns), std::move(units), std::move(key), asked.selection};
  if (const std::optional<RecordWeights>& weights = asked.selection.weights) {
    task.grid = weights->grid();
    task.counted_weights = weights_on(*task.columns.weight, *weights);
  }
  return task;
}

std::vector<SelectedCounts> count_selected(const EngineOnDemand& engine, const Relation& relation,
                                           const std::vector<ColumnTask>& tasks, std::uint32_t threads,
                                           std::uint64_t held, Unreadable unreadable,
                                           const std::function<void()>& on_progress) {
  const auto shared = static_cast<std::size_t>(std::ranges::count_if(tasks, &ColumnTask::is_shared));
  const std::size_t parts = tasks.size() - shared + (shared > 0 ? 1 : 0);
  const std::uint64_t of_each = held == 0 ? 0 : std::max<std::uint64_t>(1, held / parts);
  std::deque<RecordSelector> selectors;
  std::vector<SharedColumn> shared_columns;
  std::vector<SelectedColumn> selected;
  for (const ColumnTask& task : tasks) {
    RecordSelector* selector = nullptr;
    if (task.is_shared()) {
      shared_columns.push_back({task.units.counted_on, task.typed, task.counted_weights});
    } else {
      selector = &selectors.emplace_back(task.units.counted_on, task.typed, task.key, threads, of_each,
                                         numbers_of(task.columns, task.asked.lattice, unreadable).reading.type,
                                         task.counted_weights);
    }
    selected.push_back({task.columns, task.asked.lattice, selector, task.grid ? &*task.grid : nullptr});
  }
  std::optional<SharedSample> sample;
  if (shared > 0) {
    const ColumnTask& first = *std::ranges::find_if(tasks, &ColumnTask::is_shared);
    sample.emplace(std::move(shared_columns), *first.key, threads, of_each);
  }
  read_selected(engine, threads, relation, selected, sample ? &*sample : nullptr, unreadable, on_progress);
  std::vector<SelectedCounts> of_sample = sample ? sample->counted(on_progress) : std::vector<SelectedCounts>();
  auto next = of_sample.begin();
  return mapped(selected, [&](const SelectedColumn& each) {
    return each.selector == nullptr ? std::move(*next++) : each.selector->counted(on_progress);
  });
}

std::optional<SamplingKey> SamplingKeys::of(const RecordSelection& selection) {
  if (selection.person.empty()) return {};
  if (selection.whole_records && of_whole_records_) return of_whole_records_;
  const SamplingKey key = selection.sampling_key ? *selection.sampling_key : SamplingKey::draw(bits_);
  if (selection.whole_records) of_whole_records_ = key;
  return key;
}

void require_one_sample(const std::vector<ColumnToCount>& columns) {
  const RecordSelection* first = nullptr;
  for (const ColumnToCount& each : columns) {
    const RecordSelection& selection = each.selection;
    if (!selection.whole_records) continue;
    if (first == nullptr) first = &selection;
    if (selection.person == first->person && selection.records_per_person == first->records_per_person &&
        selection.sampling_key == first->sampling_key) {
      continue;
    }
    throw Error(ErrorCode::usage,
                "the columns of one sample of whole records do not identify and sample persons in the same way",
                "count them by the same column of persons, with the same bound and key", "person");
  }
}

void require_person_of_rows(const std::string& of_rows, const RecordSelection& selection) {
  if (of_rows.empty() || selection.person == of_rows) return;
  throw Error(ErrorCode::usage, "the query makes one row of all records that have the same '" + of_rows + "'",
              {"say that these are a person's: ", Field("person").text(of_rows)}, "person");
}

std::uint64_t first_row_of_nobody(const EngineOnDemand& engine, const Relation& relation, const Column& person) {
  std::uint64_t number = 0;
  const auto is_in = [&](const Chunk& chunk) {
    const ColumnView cells = chunk.column(0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      ++number;
      if (holds_nothing(text_at(cells, row))) return true;
    }
    return false;
  };
  if (!any_chunk(engine, relation, TextCell::name(person), text_expression(person), CellType::text, is_in))
    throw Error(ErrorCode::internal, "the table changed while it was read");
  return number;
}

}  // namespace source_detail

namespace {

/// Throws unless merged groups are possible: only values of persons are computed anew in merged groups, since everything else adds
/// up.
void require_merged(const RecordSelection& selection) {
  const MergedGroups& merged = *selection.merged;
  merged.by.validate();
  merged.keys.validate();
  const auto is_none = [&](std::uint32_t group) { return group >= merged.size(); };
  const bool are_keys = merged.by.size() == merged.keys.columns() && merged.by.empty() == merged.keys.empty();
  if (selection.per_person && !selection.by.empty() && are_keys && merged.of_key.size() == selection.keys.size() &&
      std::ranges::none_of(merged.of_key, is_none)) {
    return;
  }
  throw Error(ErrorCode::usage, "merged groups are of persons' values, and each key is in one of them");
}

}  // namespace

void RecordSelection::validate() const {
  if (records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record",
                {"write ", Field("records_per_person").number(1), " or more"}, "records_per_person");
  }
  if (per_person && person.empty()) {
    const Field field("person");
    throw Error(ErrorCode::usage, "one value per person without the column that identifies persons",
                {"name it, for example ", field.text("id")}, "per_person");
  }
  const bool is_one_group = merged ? merged->by.empty() : by.empty();
  if (per_person && is_one_group && records_per_person != 1) {
    throw Error(ErrorCode::usage, {Field("records_per_person"), ": each person has one value, whatever their records"},
                {"leave it out; with ", Field("by"), " it says in how many groups a person may count"},
                "records_per_person");
  }
  if (by.empty() != keys.empty()) {
    throw Error(ErrorCode::usage, by.empty() ? "keys without the column that holds them" : "groups without their keys",
                {"write both, for example ", Field("by").text("region"), " ", Field("keys").texts({"north", "south"})},
                by.empty() ? "keys" : "by");
  }
  by.validate();
  if (by.size() != keys.columns()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} key columns are named, but a key has {} texts", by.size(), keys.columns()),
                "write a key for each key column", "keys");
  }
  keys.validate();
  if (!others.empty() && others.size() != by.size()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} key columns are named, but {} names for all other keys", by.size(), others.size()),
                "write one for each key column, or none", "other");
  }
  if (whole_records && (person.empty() || per_person)) {
    throw Error(ErrorCode::usage, "whole records are sampled for persons, but not values that are computed from them",
                {"name ", Field("person"), ", without ", Field("per_person")}, "person");
  }
  if (merged) require_merged(*this);
  if (!weights) return;
  weights->validate();
  if (per_person) {
    throw Error(
        ErrorCode::usage,
        {Field("weight"), " does not go with ", Field("per_person"), ": a value of several records has no weight"},
        {"leave one of them out, or give each person's row a weight in ", Field("sql")}, "weight");
  }
}

void ColumnToCount::validate() const {
  selection.validate();
  const std::optional<PerPerson>& how = selection.per_person;
  if (!how || lattice.kind() == ValueKind::number) return;
  if (*how == PerPerson::min || *how == PerPerson::max || *how == PerPerson::median) return;
  const Field per_person("per_person");
  throw Error(
      ErrorCode::usage,
      {per_person.text(to_string(*how)), ": that is a number, and the bounds are ", to_string(lattice.kind()), "s"},
      {"write the bounds as numbers, or ", per_person.text("min"), ", ", per_person.text("max"), " or ",
       per_person.text("median")},
      "per_person");
}

void RecordSelection::require_public_rows() const {
  if (!selects()) return;
  if (weights) {
    throw Error(ErrorCode::usage,
                {Field("public_rows"), " does not go with ", Field("weight"), ": no rows are counted"}, "leave it out",
                "public_rows");
  }
  throw Error(ErrorCode::usage,
              {Field("public_rows"), " goes neither with ", Field("person"), " nor with ", Field("by"),
               ": how many records are kept, or are in a group, reveals more than the number of rows of the table"},
              "leave it out", "public_rows");
}

CountedColumn RecordSelection::counted(std::vector<RankProfile> profiles) const {
  const GroupKeys& groups = merged ? merged->keys : keys;
  CountedColumn counted = groups.empty() ? CountedColumn(std::move(profiles.at(0)), records_per_person)
                                         : CountedColumn(groups.all(), std::move(profiles), records_per_person);
  if (weights) return std::move(counted).weighted(*weights);
  return counted;
}

}  // namespace fractile
