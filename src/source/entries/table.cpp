#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "ranks/position_counters.hpp"
#include "source/counting/column_cells.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/selected_records.hpp"
#include "source/counting/text_cells.hpp"
#include "source/engine/engine.hpp"
#include "source/files/columns.hpp"
#include "source/files/countable.hpp"
#include "source/files/input_files.hpp"
#include "source/files/missing_cells.hpp"
#include "source/files/nameless_file.hpp"
#include "source/files/query_relation.hpp"
#include "source/files/relation.hpp"
#include "source/files/text_check.hpp"
#include "source/text/encoding.hpp"

namespace fractile {

using namespace source_detail;

namespace {

/// Gives the connection to the first caller, on any thread.
class FirstConnection {
 public:
  void put(Session connection) {
    const std::lock_guard lock(mutex_);
    connection_.emplace(std::move(connection));
  }
  std::optional<Session> take() const {
    const std::lock_guard lock(mutex_);
    std::optional<Session> taken;
    if (connection_) taken.emplace(std::move(*connection_));
    connection_.reset();
    return taken;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Session> connection_;
};

/// An opened table.
struct OpenedTable {
  std::string library;
  std::uint32_t threads;
  std::uint64_t memory;
  std::string display_name;  // of the file or the query
  std::string engine;
  std::vector<Input> inputs;  // with their relations
  std::uint32_t stability;    // declared for the query and not checked; 0: none is declared
  LineEndsInCells line_ends;  // in delimited text
  Unreadable unreadable;
  std::vector<std::string> missing;
  bool has_query = false;
  std::optional<Relation> relation;  // the query's, if there is one; otherwise the file's
  FirstConnection first_connection;
  // The share read so far.
  std::shared_ptr<std::atomic<double>> engine_share = std::make_shared<std::atomic<double>>(0);

  /// Whether the engine groups rows by person. It then holds all groups in memory, and when threads reach its memory limit, it does
  /// not always report that.
  bool groups_in_engine() const { return relation && !relation->person_of_rows().empty(); }

  /// How messages name a row of a reading on one thread: its number, from 1, in its file.
  std::string row(std::uint64_t number) const {
    if (has_query) return "the query: result row " + std::to_string(number);
    const auto place = relation->place_of(number);
    if (!place) return display_name + ": row " + std::to_string(number);
    return file(*place) + ": row " + std::to_string(place->record);
  }
  const std::string& file(const TextTable::Place& place) const {
    return inputs.front().files.files()[place.file].display_name();
  }
};

enum class Order { any, of_file };

/// `threads` as in TableOptions.
void set_order(const Session& connection, Order order, std::uint32_t threads) {
  const std::uint32_t wanted = order == Order::any ? threads : 1;
  connection.run(wanted == 0 ? "RESET threads" : "SET threads = " + std::to_string(wanted));
  connection.run(order == Order::any ? "SET preserve_insertion_order = false" : "RESET preserve_insertion_order");
}

Session connect(const std::string& library, Order order, std::uint32_t threads, std::uint64_t memory) {
  Session connection = Session::open(library);
  if (memory > 0) connection.run("SET memory_limit = '" + std::to_string(memory / 2) + "B'");
  set_order(connection, order, threads);
  return connection;
}

/// One thread for a small text, which is read before a second thread has begun.
std::uint32_t threads_for(const OpenedTable& source) {
  const auto is_small = [](const Input& input) {
    return input.relation->text() != nullptr && input.relation->text()->is_of_one_piece();
  };
  return std::ranges::all_of(source.inputs, is_small) ? 1 : source.threads;
}

/// Every pass has a separate connection, since a failed scan may leave the engine unusable. The first pass uses the connection that
/// opened the table.
Session unwatched(const OpenedTable& source, Order order, std::uint64_t memory) {
  std::optional<Session> first = source.first_connection.take();
  if (first) {
    set_order(*first, order, threads_for(source));
    return std::move(*first);
  }
  Session connection = connect(source.library, order, threads_for(source), memory);
  for (const Input& input : source.inputs) input.relation->add_to(connection);
  for (const std::string& statement : source.relation->setup()) connection.run(statement);
  return connection;
}

bool is_delimited(const Input& input) { return input.relation->text() != nullptr; }

/// The same, with a report of the share read if only the engine knows it.
Session connect(const OpenedTable& source, Order order, std::uint64_t memory) {
  Session connection = unwatched(source, order, memory);
  *source.engine_share = 0;
  if (std::ranges::none_of(source.inputs, is_delimited)) connection.share_to(source.engine_share);
  return connection;
}

/// The same when it is first called.
EngineOnDemand connecting(const OpenedTable& source, Order order, std::uint64_t memory) {
  return [&source, order, memory, made = std::make_shared<std::optional<Session>>()]() -> const Session& {
    if (!*made) made->emplace(connect(source, order, memory));
    return **made;
  };
}

/// Runs a pass within the memory limit. The engine's need of memory depends on the records, but the success of a release must not.
/// So if the limit is too low for the engine, the pass is repeated without one.
template <class Pass>
auto within_memory(const OpenedTable& source, Pass pass) {
  if (source.groups_in_engine()) return pass(std::uint64_t{0});
  try {
    return pass(source.memory);
  } catch (const EngineFailure& failure) {
    if (failure.kind != FailureKind::memory || source.memory == 0) throw;
  }
  return pass(std::uint64_t{0});
}

std::string place(const std::string& display_name, const EngineFailure& failure) {
  return failure.line ? display_name + ": line " + std::to_string(*failure.line) : display_name;
}

/// An error with our message, since the engine's message may quote cells.
Error worded(const EngineFailure& failure, const std::string& display_name) {
  const std::string at = place(display_name, failure);
  switch (failure.kind) {
    case FailureKind::statement:
      return {ErrorCode::usage, display_name + " was refused: " + failure.detail, "correct the query", "sql"};
    case FailureKind::not_a_number:
      return {ErrorCode::data, at + ": a value could not be converted",
              "in the query, write TRY_CAST(... AS DOUBLE) for cells that may hold no number"};
    case FailureKind::out_of_range:
      return {ErrorCode::data, at + ": a number does not fit its type",
              "in the query, widen it first, CAST(x AS DOUBLE) * 100000, or write TRY(...) for NULL in its place"};
    case FailureKind::long_line:
      return {ErrorCode::data, at + " is longer than 2,000,000 bytes",
              "look for a missing line end or an unclosed quote"};
    case FailureKind::not_utf8:
      return {ErrorCode::data,
              at + " is not UTF-8 text",
              {"convert the file, e.g. with iconv -t UTF-8, or say of CSV or TSV what it is: ",
               Field("encoding").text("latin1"), ", windows-1252 or utf-16"}};
    case FailureKind::long_record:
      return {ErrorCode::data, at + ": a record is longer than 16 MiB", "check that every record is closed"};
    case FailureKind::unclosed_quote:
      return {ErrorCode::data, at + " has a quoted cell without its end", "quotes inside quoted cells must be doubled"};
    case FailureKind::column_count:
      return {ErrorCode::data,
              at + " has more or fewer cells than the header",
              {"fix the line, or pass ", Field("delimiter")}};
    case FailureKind::twin_keys:
      return {ErrorCode::data, at + ": a record has a key twice, and the key is read",
              "write each key of a record once"};
    case FailureKind::malformed:
      if (display_name == query_name) {
        return {ErrorCode::data, at + ": a function refused the value that it met, or a file is damaged",
                "write TRY(f(x)) for NULL in its place, or check the files"};
      }
      return {ErrorCode::data,
              at + " is truncated or not of its format",
              {"check the file, or pass ", Field("input_format").text("csv"), ", tsv, parquet or json"}};
    case FailureKind::missing_file:
      return {ErrorCode::data, display_name + " names a file that does not exist", "check the paths in the query"};
    case FailureKind::missing_extension:
      return {ErrorCode::usage, display_name + " needs an extension of the engine; none is loaded or fetched",
              "read local CSV, JSON or Parquet files"};
    case FailureKind::memory:
      return {ErrorCode::data,
              display_name + ": the engine ran out of memory",
              {"read fewer columns, allow more by ", Field("memory"), ", or use a machine with more memory"}};
    default:
      return {ErrorCode::data, at + " could not be read", "check that the file is whole and of its format"};
  }
}

/// The same for a pass over the table; adds the place in the file for text that is not UTF-8.
Error worded(const EngineFailure& failure, const OpenedTable& table) {
  const auto* const text = table.has_query ? nullptr : table.relation->text();
  if (text == nullptr || failure.kind != FailureKind::not_utf8) return worded(failure, table.display_name);
  return worded(failure, table.inputs.front().files.files()[text->file_of_other_text()].display_name());
}

Words drop_hint() { return {"fix the cell, or leave such records out with ", Field("null").text("drop")}; }

struct BadRow {
  std::uint64_t number;  // from 1
  CellState state;
};

/// A column to count, and what is refused in it: NULL and NaN, cells that are not numbers.
struct Asked {
  const Column& column;
  const Lattice& lattice;
  bool missing_too;
  Unreadable unreadable;
  bool whatever_it_holds = false;  ///< whether only the presence of something in a cell matters

  bool refuses(CellState state) const {
    if (state == CellState::number) return false;
    if (state == CellState::inexact) return unreadable == Unreadable::error;
    return missing_too || (state == CellState::no_number && unreadable == Unreadable::error);
  }
};

/// The first row that cannot be counted. Throws EngineFailure.
std::optional<BadRow> first_bad_row(const EngineOnDemand& engine, const Relation& relation, const Asked& asked) {
  std::uint64_t row_number = 0;
  CellState state = CellState::number;
  const auto is_bad = [&](CellState found) {
    ++row_number;
    state = found;
    return asked.refuses(state);
  };
  const auto any_bad_state = [&](const Chunk& chunk) {
    return std::ranges::any_of(chunk.column(0).numbers<std::int64_t>(),
                               [&](std::int64_t number) { return is_bad(static_cast<CellState>(number)); });
  };
  const auto any_bad_cell = [&](const Chunk& chunk) {
    const ColumnView cells = chunk.column(0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      const bool is_there = !cells.is_null(row);
      const bool is_read = asked.whatever_it_holds || (is_there && cell_ticks(asked.lattice.kind(), cells.text(row)));
      if (is_bad(!is_there ? CellState::missing : is_read ? CellState::number : CellState::no_number)) return true;
    }
    return false;
  };
  const CellReading reading = reading_of(asked.column, asked.lattice.kind(), Unreadable::error);
  bool any = false;
  if (asked.whatever_it_holds) {
    any = any_chunk(engine, relation, TextCell::presence(asked.column), presence_expression(asked.column),
                    CellType::integer, any_bad_cell);
  } else if (reading.type == CellType::text) {
    any = any_chunk(engine, relation, TextCell::number(asked.column, asked.lattice, Unreadable::error),
                    number_expression(asked.column, asked.lattice, Unreadable::error), reading.type, any_bad_cell);
  } else {
    any = any_chunk(engine, relation, TextCell::state(asked.column, asked.lattice),
                    cell_state_expression(asked.column, asked.lattice), CellType::integer, any_bad_state);
  }
  if (!any) return std::nullopt;
  return BadRow{row_number, state};
}

/// The error for a cell that is not a time of the lattice's kind. For delimited text, the hint is a query that reads other forms of
/// dates.
Error no_time(const std::string& at, ValueKind kind, const Column& column, bool is_delimited) {
  if (kind == ValueKind::instant) {
    return {ErrorCode::data,
            at + "not a time with Z or an offset from UTC",
            {"write 2024-01-31T17:00:00Z or 2024-01-31T18:00:00+01:00, or leave such records out with ",
             Field("unreadable").text("missing")}};
  }
  return {ErrorCode::data,
          at + "not a date, with or without a time, and without an offset from UTC",
          {"write 2024-01-31 or 2024-01-31T17:00:00 (cells with an offset need bounds in UTC: 2024-01-01T00:00:00Z), ",
           is_delimited ? Words{"read dates that are written otherwise by a query: ",
                                Field("sql").text(other_dates_query(column)), ", "}
                        : Words{},
           "or leave such records out with ", Field("unreadable").text("missing")}};
}

/// The hint for a cell that is not a number. For delimited text, the style of numbers can be declared.
Words number_hint(bool is_delimited) {
  const Words otherwise{"leave such records out with ",
                        Field("unreadable").text("missing"),
                        ", say what counts as missing: ",
                        Field("missing").texts({"NA"}),
                        ", or, for a column of dates, write dates: ",
                        Field("bounds").pair("2020-01-01", "2026-01-01"),
                        " ",
                        Field("step").text("1d")};
  if (!is_delimited) {
    return {"fix the cell (a decimal point, no separators between thousands, no signs such as $ or %), ", otherwise};
  }
  return {"fix the cell (no signs such as $ or %), say how numbers are written: ",
          Field("decimal").text(","),
          " ",
          Field("thousands").text("."),
          ", ",
          otherwise};
}

/// `is_delimited`: the cells are those of delimited text, without a query.
Error worded(const BadRow& bad, const OpenedTable& table, const Asked& asked, bool is_delimited) {
  const std::string at = table.row(bad.number) + ", column '" + asked.column.name + "': ";
  const ValueKind kind = asked.lattice.kind();
  if (bad.state == CellState::no_number && kind != ValueKind::number) {
    return no_time(at, kind, asked.column, is_delimited);
  }
  switch (bad.state) {
    case CellState::missing:
      return {ErrorCode::data, at + "empty, NULL or NaN", drop_hint()};
    case CellState::inexact:
      return {ErrorCode::data,
              at + "a whole number above 2^53 that no double holds",
              {"read such numbers exactly with ", Field("sql").text("SELECT CAST(... AS BIGINT) AS x FROM input")}};
    default:
      return {ErrorCode::data, at + "not a number", number_hint(is_delimited)};
  }
}

bool counts_in_engine(const Column& column, const Lattice& lattice, Counting counting) {
  const bool can = engine_can_count(column, lattice);
  if (counting == Counting::push_down && !can) {
    throw Error(ErrorCode::usage, "the engine counts only whole numbers, on lattices that span at most 4,096 of them",
                "count by stream");
  }
  return can && counting != Counting::stream;
}

std::string engine_version(const Session& connection) {
  ResultStream result = connection.query("SELECT version()", {CellType::text});
  return "DuckDB " + std::string(result.next().value().column(0).text(0));
}

void check_options(const TableOptions& options) {
  if (options.file.empty() && !options.more_files.empty()) {
    throw Error(ErrorCode::usage, "further files of a table are named, but no first file", "name it");
  }
  if (options.file.empty() && options.sql.empty()) {
    throw Error(ErrorCode::usage, "neither a file nor a query is given", "name a file, or - for standard input");
  }
  if (options.threads > TableOptions::most_threads) {
    throw Error(
        ErrorCode::usage,
        std::to_string(options.threads) + " threads are more than " + std::to_string(TableOptions::most_threads),
        "ask for 0, as many as the machine runs at once");
  }
  options.numbers.validate();
  if (!options.numbers.is_plain() && !options.sql.empty()) {
    throw Error(ErrorCode::usage, "how numbers are written is declared, and a query reads them as texts",
                {"leave it out, and write in ", Field("sql"), ": replace(income, ',', '.')"});
  }
  if (options.memory != 0 && options.memory < TableOptions::least_memory) {
    throw Error(ErrorCode::usage, "less memory than 100 MB", "allow more, or 0 for as much as there is");
  }
}

/// Sets the relations of `source`.
void open_relation(const EngineOnDemand& engine, const TableOptions& options, OpenedTable& source) {
  source.has_query = !options.sql.empty();
  if (source.has_query) {
    source.relation = open_query(engine(), options, source.inputs);
    return;
  }
  Input& input = source.inputs.front();
  input.relation =
      Relation::of_files(engine, input.files, input.format, options.delimiter, source.line_ends, options.numbers);
  source.relation = input.relation;
}

/// Throws `usage` for what only CSV and TSV have.
void refuse_options_of_text(const TableOptions& options) {
  const auto refuse = [](bool is_declared, const std::string& what) {
    if (!is_declared) return;
    throw Error(ErrorCode::usage, what + " declared, but no CSV or TSV is read", "leave the declaration out");
  };
  refuse(options.single_line_records, "single-line records are");
  refuse(!options.numbers.is_plain(), "how numbers are written is");
  refuse(!options.encoding.empty(), "an encoding is");
}

/// Throws unless options about delimited text are used with such a text.
void require_delimited(const TableOptions& options, const std::vector<Input>& inputs) {
  const auto is_delimited = [](const Input& input) { return input.relation->shape().has_value(); };
  if (std::ranges::none_of(inputs, is_delimited)) refuse_options_of_text(options);
}

/// Why a pass failed: runs one ordered pass per column to find out. Returns `otherwise` if they find nothing.
Error explain(const OpenedTable& source, const Relation& relation, const std::vector<Asked>& all, Error otherwise) {
  try {
    for (const Asked& asked : all) {
      const std::optional<BadRow> bad = within_memory(source, [&](std::uint64_t memory) {
        return first_bad_row(connecting(source, Order::of_file, memory), relation, asked);
      });
      if (bad) return worded(*bad, source, asked, relation.shape().has_value());
    }
    return otherwise;
  } catch (const EngineFailure& failure) {
    return worded(failure, source);
  }
}

void require_unchanged(const OpenedTable& source) {
  for (const Input& input : source.inputs) input.files.require_unchanged();
}

/// Checks delimited text: the files that no reading has seen as a whole, or all files after a failed pass. So faults of the text
/// are reported first, with their first line.
void check_texts(const OpenedTable& source, bool has_failed, const std::function<void()>& on_progress) {
  for (const Input& input : source.inputs) {
    const auto* const text = input.relation->text();
    if (text == nullptr || (text->was_read_whole() && !has_failed)) continue;
    for (const InputFile& file : input.files.files())
      check_delimited(file, *input.relation->shape(), source.line_ends, on_progress);
  }
}

/// The result of a pass, if the files are unchanged since they were opened. If a file was changed meanwhile, this is reported in
/// place of other failures.
template <class Pass>
auto while_unchanged(const OpenedTable& source, const std::function<void()>& on_progress, Pass pass) {
  try {
    bool has_failed = true;
    try {
      auto made = pass();
      has_failed = false;
      check_texts(source, has_failed, on_progress);
      require_unchanged(source);
      return made;
    } catch (const Error&) {
      require_unchanged(source);
      if (has_failed) check_texts(source, has_failed, on_progress);
      throw;
    }
  } catch (const Error&) {
    require_unchanged(source);
    throw;
  }
}

/// The relation that a pass reads, after JSON is checked for faults that the engine would ignore. `counted`: the columns to which
/// declared missing values apply.
Relation look_through(const OpenedTable& source, std::vector<Column> counted,
                      const std::function<void()>& on_progress) {
  *source.engine_share = 0;
  Relation relation = *source.relation;
  for (const Input& input : source.inputs) {
    if (!input.relation->json_form()) continue;
    const bool lines = input.relation->check_json_lines(on_progress);
    if (!source.has_query && lines) relation = input.relation->on_lines();
  }
  return relation.without(std::move(counted), source.missing);
}

Counted count(const OpenedTable& source, const Relation& relation, const Column& column, const Lattice& lattice,
              bool in_engine, std::uint64_t memory, const std::function<void()>& on_progress) {
  if (is_read_here(relation))
    return count_text(relation, column, lattice, source.unreadable, source.threads, on_progress);
  const Session connection = connect(source, Order::any, memory);
  const NumberQuery query{number_expression(column, lattice, source.unreadable), relation.from(column),
                          reading_of(column, lattice.kind(), source.unreadable)};
  if (in_engine) return count_by_engine(connection, query, lattice, on_progress);
  return count_by_stream(connection, query, lattice, source.threads, on_progress);
}

std::optional<Column> optional_column(const OpenedTable& source, const std::string& name) {
  if (name.empty()) return {};
  return source.relation->column(name, source.display_name);
}

/// Throws for a column of persons if a row may come from several persons; and if each row is one person's, unless it is the column
/// of these persons.
void require_persons(const OpenedTable& source, const RecordSelection& selection) {
  require_person_of_rows(source.relation->person_of_rows(), selection);
  if (source.stability == 0 || selection.person.empty()) return;
  throw Error(ErrorCode::usage, "a person's column goes with row-wise queries only, not with a declared stability",
              {"leave ", Field("person"), " out: ", Field("sql_stability"),
               " says how many rows one record changes; or leave that out, if the query is row-wise"},
              "person");
}

/// The selection with its keys as texts of their columns. Throws `data` for a column of persons that does not distinguish them
/// reliably.
RecordSelection with_typed_keys(const OpenedTable& source, const RecordSelection& selection) {
  if (const auto person = optional_column(source, selection.person)) require_identifier(*person, source.display_name);
  RecordSelection typed = selection;
  std::optional<Session> connection;
  try {
    for (std::size_t k = 0; k < selection.by.size(); ++k) {
      const Column by = source.relation->column(selection.by[k], source.display_name);
      if (holds_texts(by)) continue;
      if (!connection) connection.emplace(Session::open(source.library));
      typed.keys = keys_of_type(*connection, by, typed, k);
    }
  } catch (const EngineFailure& failure) {
    throw worded(failure, source);
  }
  return typed;
}

/// Throws unless a count of the file's records only reveals how many rows a table has.
void require_rows(const OpenedTable& source, const RecordSelection& selection) {
  if (source.has_query) {
    throw Error(ErrorCode::usage, "how many rows a query's result has is not public", "leave it out", "public_rows");
  }
  selection.require_public_rows();
}

/// The error for a record without a person, whose number an ordered pass finds.
Error explain_nobody(const OpenedTable& source, const Relation& relation, const Column& person) {
  try {
    const std::uint64_t row = within_memory(source, [&](std::uint64_t memory) {
      return first_row_of_nobody(connecting(source, Order::of_file, memory), relation, person);
    });
    return {ErrorCode::data, source.row(row) + ", column '" + person.name + "': empty or NULL", drop_hint()};
  } catch (const EngineFailure& failure) {
    return worded(failure, source);
  }
}

/// All cells of a column. Throws EngineFailure.
std::vector<std::string> texts_of(const EngineOnDemand& engine, const Relation& relation, const Column& column,
                                  const OpenedTable& table) {
  std::vector<std::string> texts;
  const auto add = [&](const Chunk& chunk) {
    const ColumnView cells = chunk.column(0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      if (cells.is_null(row)) {
        throw Error(ErrorCode::data, table.row(texts.size() + 1) + ", column '" + column.name + "': empty",
                    "fill the cell");
      }
      texts.emplace_back(cells.text(row));
    }
    return false;
  };
  any_chunk(engine, relation, TextCell::name(column), "CAST(" + quote_identifier(column.engine_name) + " AS VARCHAR)",
            CellType::text, add);
  return texts;
}

Error some_missing(const std::string& source) {
  return {ErrorCode::data, source + ": a record is empty, NULL or NaN", drop_hint()};
}

RankProfile profile_of_column(const OpenedTable& table, const std::string& column_name, const Lattice& lattice,
                              NullPolicy null_policy, Counting counting, const std::function<void()>& on_progress) {
  const Column column = table.relation->numeric_column(column_name, lattice.kind(), table.display_name);
  const UnitLattice units = counted_on(column, lattice);
  const bool in_engine = counts_in_engine(column, units.counted_on, counting);
  const bool missing_too = null_policy == NullPolicy::error;
  const std::string& source = table.display_name;
  const std::vector<Asked> asked{{column, lattice, missing_too, table.unreadable}};
  const Relation relation = look_through(table, {column}, on_progress);
  try {
    Counted counted = within_memory(table, [&](std::uint64_t memory) {
      return count(table, relation, column, units.counted_on, in_engine, memory, on_progress);
    });
    if (!counted.any_missing || !missing_too) return units.back_on(lattice, std::move(counted.profile));
  } catch (const EngineFailure& failure) {
    throw explain(table, relation, asked, worded(failure, table));
  }
  throw explain(table, relation, asked, some_missing(source));
}

Column number_column(const OpenedTable& table, const ColumnToCount& asked) {
  if (const auto& how = asked.selection.per_person) {
    Column column = table.relation->column(asked.column, table.display_name);
    if (has_values(column, *how)) return column;
  }
  return table.relation->numeric_column(asked.column, asked.lattice.kind(), table.display_name);
}

SelectedColumns columns_of(const OpenedTable& table, const ColumnToCount& asked) {
  SelectedColumns columns{
      number_column(table, asked), optional_column(table, asked.selection.person), {}, asked.selection.per_person};
  for (const std::string& name : asked.selection.by.names()) {
    columns.keys.push_back(table.relation->column(name, table.display_name));
  }
  const std::optional<RecordWeights>& weights = asked.selection.weights;
  if (weights) columns.weight = table.relation->numeric_column(weights->column, ValueKind::number, table.display_name);
  return columns;
}

/// Throws if there can be more units of weight than a release takes: as many as it takes records. This is checked before a record
/// is read.
void require_countable_units(const OpenedTable& table, const RecordWeights& weights) {
  const auto records =
      sum_over<std::uint64_t>(table.inputs, [](const Input& input) { return input.relation->most_records(); });
  const std::uint64_t units = weights.most_units_of_record();
  if (records <= RankProfile::max_records / units) return;
  throw Error(ErrorCode::data,
              table.display_name + " may hold more than " + std::to_string(RankProfile::max_records / units) +
                  " records, and no more of " + std::to_string(units) + " units of weight each can be counted",
              {"write a coarser ", Field("weight_step"), ", or unpack the file"}, "weight_step");
}

std::vector<ColumnTask> tasks_of(const OpenedTable& table, const std::vector<ColumnToCount>& columns,
                                 RandomBits& bits) {
  require_one_sample(columns);
  SamplingKeys keys(bits);
  return mapped(columns, [&](const ColumnToCount& asked) {
    ColumnTask task = task_of(asked, columns_of(table, asked), keys.of(asked.selection));
    task.typed = with_typed_keys(table, asked.selection);
    return task;
  });
}

/// Counts all tasks in one reading.
std::vector<SelectedCounts> selected_records(const OpenedTable& table, const std::vector<ColumnTask>& tasks,
                                             const Relation& relation, const std::function<void()>& on_progress) {
  return within_memory(table, [&](std::uint64_t memory) {
    return held_or_spooled(table.memory, [&](std::uint64_t held) {
      return count_selected(connecting(table, Order::any, memory), relation, tasks, table.threads, held,
                            table.unreadable, on_progress);
    });
  });
}

/// The requirements on every cell of the task's columns of numbers.
std::vector<Asked> asked_of(const OpenedTable& table, const ColumnTask& task) {
  std::vector<Asked> all{{task.columns.number, task.asked.lattice, task.missing_too(), table.unreadable,
                          task.columns.per_person == PerPerson::count}};
  if (task.grid) all.push_back({*task.columns.weight, *task.grid, task.missing_too(), table.unreadable, false});
  return all;
}

/// The columns of persons and keys, whose cells may hold anything except text that is not UTF-8. Only delimited text has lines that
/// are named.
std::vector<Asked> names_of(const OpenedTable& table, const ColumnTask& task) {
  std::vector<Asked> all;
  if (std::ranges::none_of(table.inputs, is_delimited)) return all;
  const auto add = [&](const Column& column) {
    all.push_back({column, task.asked.lattice, false, Unreadable::missing, true});
  };
  if (task.columns.person) add(*task.columns.person);
  for (const Column& key : task.columns.keys) add(key);
  return all;
}

/// Returns the profiles of a column, once.
using ProfilesLater = std::function<std::vector<RankProfile>()>;

ProfilesLater later(KeyedCounts counts, const ColumnTask& task) {
  return [counts = std::make_shared<KeyedCounts>(std::move(counts)), units = task.units, lattice = task.asked.lattice] {
    std::vector<RankProfile> profiles = counts->finish();
    for (RankProfile& profile : profiles) profile = units.back_on(lattice, std::move(profile));
    return profiles;
  };
}

/// Counts all tasks in one reading.
std::vector<ProfilesLater> counted_together(const OpenedTable& table, const std::vector<ColumnTask>& tasks,
                                            const std::function<void()>& on_progress) {
  std::vector<Column> counted;
  std::vector<Asked> all_asked;
  for (const ColumnTask& task : tasks) {
    for (Column& column : columns_with_missing(task.columns)) counted.push_back(std::move(column));
    for (const Asked& each : asked_of(table, task)) all_asked.push_back(each);
  }
  for (const ColumnTask& task : tasks) {
    for (const Asked& each : names_of(table, task)) all_asked.push_back(each);
  }
  const Relation relation = look_through(table, std::move(counted), on_progress);
  std::vector<ProfilesLater> all;
  try {
    std::vector<SelectedCounts> selected = selected_records(table, tasks, relation, on_progress);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const ColumnTask& task = tasks[i];
      if (task.missing_too() && selected[i].any_nobody) {
        throw explain_nobody(table, relation, *task.columns.person);
      }
      if (task.missing_too() && selected[i].any_missing) {
        throw explain(table, relation, asked_of(table, task), some_missing(table.display_name));
      }
      all.push_back(later(std::move(selected[i].counts), task));
    }
  } catch (const EngineFailure& failure) {
    throw explain(table, relation, all_asked, worded(failure, table));
  }
  return all;
}

std::uint64_t counted_rows(const OpenedTable& table, const std::function<void()>& on_progress) {
  const Relation relation = look_through(table, {}, on_progress);
  try {
    if (is_read_here(relation)) {
      return TextReading(relation, {})
          .for_each_chunk(
              table.threads, [](const Chunk&) {}, on_progress);
    }
    return within_memory(table, [&](std::uint64_t memory) {
      const Session connection = connect(table, Order::any, memory);
      ResultStream result =
          connection.query("SELECT count(*) FROM " + relation.from(std::vector<Column>{}), {CellType::integer});
      return static_cast<std::uint64_t>(result.next().value().column(0).numbers<std::int64_t>()[0]);
    });
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
}

/// Whether there is a single column without a selection, and its counts need little memory or there is no memory limit.
bool is_counted_alone(const OpenedTable& table, const std::vector<ColumnToCount>& columns) {
  if (columns.size() != 1 || columns.front().selection.selects()) return false;
  return table.memory == 0 || columns.front().lattice.size() <= most_counters;
}

/// Counts all columns; a single column without a selection is counted by the engine if possible.
std::vector<ProfilesLater> counted_profiles(const OpenedTable& table, const std::vector<ColumnToCount>& columns,
                                            RandomBits& bits, const std::function<void()>& on_progress) {
  std::vector<ProfilesLater> all;
  if (is_counted_alone(table, columns)) {
    const auto& [column, lattice, null_policy, selection, public_rows] = columns.front();
    const auto profile = std::make_shared<RankProfile>(
        profile_of_column(table, column, lattice, null_policy, Counting::automatic, on_progress));
    all.emplace_back([profile] {
      std::vector<RankProfile> profiles;
      profiles.push_back(std::move(*profile));
      return profiles;
    });
    return all;
  }
  const std::vector<ColumnTask> tasks = tasks_of(table, columns, bits);
  if (!hide_keys(mapped(tasks, &ColumnTask::columns), table.missing))
    return counted_together(table, tasks, on_progress);
  std::vector<ColumnTask> of_sample;
  std::ranges::copy_if(tasks, std::back_inserter(of_sample), &ColumnTask::is_shared);
  require_shown_keys(mapped(of_sample, &ColumnTask::columns), table.missing);
  std::vector<ProfilesLater> shared;
  if (!of_sample.empty()) shared = counted_together(table, of_sample, on_progress);
  auto next = shared.begin();
  for (const ColumnTask& task : tasks) {
    all.push_back(task.is_shared() ? std::move(*next++)
                                   : std::move(counted_together(table, {task}, on_progress).front()));
  }
  return all;
}

std::vector<std::vector<std::string>> texts_of(const OpenedTable& table, const std::vector<std::string>& columns) {
  const Relation relation = look_through(table, {}, {});
  try {
    std::vector<std::vector<std::string>> texts;
    for (const std::string& name : columns) {
      const Column column = relation.column(name, table.display_name);
      texts.push_back(texts_of(connecting(table, Order::of_file, table.memory), relation, column, table));
    }
    return texts;
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
}

/// The name of a type for people. For types that contain values, such as ENUM, only the bare name.
std::string shown_type(const Column& column) {
  return digits_of(column.full_type).all > 0 ? column.full_type : column.type;
}

/// All columns. Keys of JSON that the engine cannot distinguish are read in separate passes. Throws EngineFailure.
std::vector<std::vector<Column>> columns_by_passes(const OpenedTable& source,
                                                   const std::function<void()>& on_progress) {
  if (!source.relation->json_form()) return {source.relation->columns()};
  const Relation relation = look_through(source, {}, on_progress);
  const std::vector<std::string> keys = within_memory(source, [&](std::uint64_t memory) {
    return keys_of_records(connect(source, Order::any, memory), relation, Table::most_keys + 1);
  });
  if (keys.size() > Table::most_keys) {
    throw Error(ErrorCode::data, source.display_name + ": the records have more than 1,000 keys",
                {"name those to look at: ", Field("sql").text("SELECT age, income FROM input")});
  }
  std::vector<std::vector<Column>> passes;
  for (const std::string& key : keys) {
    const Column column = source.relation->column(key, source.display_name);
    const auto has_twin = [&](const std::vector<Column>& pass) {
      return std::ranges::any_of(pass, [&](const Column& other) { return lower_case(other.name) == lower_case(key); });
    };
    const auto free = std::ranges::find_if_not(passes, has_twin);
    free == passes.end() ? passes.push_back({column}) : free->push_back(column);
  }
  return passes;
}

/// Replaces row numbers by numbers within files, if these are known, and adds the names of the files.
void place_rows(const OpenedTable& table, ColumnCells& cells) {
  for (std::uint64_t& row : cells.unreadable_rows) {
    const auto place = table.relation->place_of(row);
    if (!place) return;
    row = place->record;
    cells.unreadable_files.push_back(table.file(*place));
  }
}

std::vector<TableColumn> checked(const OpenedTable& table, const std::function<void()>& on_progress) {
  std::vector<TableColumn> all;
  try {
    for (const std::vector<Column>& columns : columns_by_passes(table, on_progress)) {
      const Relation relation = look_through(table, columns, on_progress);
      std::vector<ColumnCells> cells;
      within_memory(table, [&](std::uint64_t memory) {
        return read_cells(connecting(table, Order::of_file, memory), relation, columns, cells, on_progress);
      });
      for (std::size_t k = 0; k < columns.size(); ++k) {
        place_rows(table, cells[k]);
        all.push_back({columns[k].name, shown_type(columns[k]), std::move(cells[k])});
      }
    }
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
  if (table.relation->json_form()) std::ranges::sort(all, {}, &TableColumn::name);
  return all;
}

}  // namespace

struct Table::State : OpenedTable {};

namespace {

void tell_opened(const std::vector<Input>& inputs, const OnOpened& on_opened) {
  if (on_opened) on_opened(mapped(inputs, [](const Input& input) { return input.files.opened(); }));
}

/// The share of the files' bytes that was read.
std::optional<double> share_of_text(const OpenedTable& table) {
  std::uint64_t taken = 0;
  std::uint64_t all = 0;
  for (const Input& input : table.inputs) {
    taken += input.relation->text()->bytes_taken();
    all += input.relation->text()->bytes();
  }
  if (all == 0) return {};
  return static_cast<double>(taken) / static_cast<double>(all);
}

/// The same for JSON, which is checked before the engine reads it.
double share_of_json(const OpenedTable& table) {
  double checked = 0;
  for (const Input& input : table.inputs) checked += input.relation->share_checked();
  return (checked / static_cast<double>(table.inputs.size()) + *table.engine_share) / 2;
}

}  // namespace

void TableOptions::validate() const {
  const OwnEnvironment own;
  check_options(*this);
  check_query_options(*this);
  check_missing(missing);
  static_cast<void>(encoding_named(encoding));
  if (file.empty() || format.empty()) return;
  const Format named = format_of(*this, {file});
  if (sql.empty() && named != Format::csv && named != Format::tsv) refuse_options_of_text(*this);
}

Table Table::open(const TableOptions& options, const OnOpened& on_opened) {
  const OwnEnvironment own;
  options.validate();
  auto state = std::make_unique<State>();
  state->inputs = open_inputs(options);
  tell_opened(state->inputs, on_opened);
  state->library = options.library;
  state->threads = options.threads;
  state->memory = options.memory;
  std::optional<Session> connection;
  const auto engine = [&]() -> const Session& {
    if (!connection) connection.emplace(connect(options.library, Order::of_file, options.threads, options.memory));
    return *connection;
  };
  state->stability = options.sql_stability.value_or(0);
  state->line_ends = line_ends_of(options);
  state->display_name = options.sql.empty() ? state->inputs.front().files.display_name() : query_name;
  const bool is_row_wise = !options.sql.empty() && !options.sql_stability;
  state->missing = options.missing;
  state->unreadable = is_row_wise ? Unreadable::missing : options.unreadable.value_or(Unreadable::error);
  try {
    open_relation(engine, options, *state);
  } catch (const EngineFailure& failure) {
    const bool in_query = failure.kind == FailureKind::statement || state->inputs.size() != 1;
    throw worded(failure, in_query ? state->display_name : state->inputs.front().files.display_name());
  }
  require_delimited(options, state->inputs);
  state->engine = is_read_here(*state->relation) ? "text" : engine_version(engine());
  // Memory limit, within which nothing must be read.
  const bool has_limit = state->memory > 0 && state->groups_in_engine();
  if (connection && !has_limit) state->first_connection.put(std::move(*connection));
  return Table(std::move(state));
}

Table::Table(std::unique_ptr<State> state) : state_(std::move(state)) {}
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;
Table::~Table() = default;

void Table::require_countable(const std::string& column, ValueKind kind) const {
  state_->relation->numeric_column(column, kind, state_->display_name);
}

void Table::require_countable(const std::string& column, const Lattice& lattice) const {
  const Column found = state_->relation->numeric_column(column, lattice.kind(), state_->display_name);
  static_cast<void>(counted_on(found, lattice));
}

RankProfile Table::profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy, Counting counting,
                           const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, on_progress, [&] {
    return profile_of_column(*state_, column, lattice, null_policy, counting, on_progress);
  });
}

void Table::require_countable(const std::vector<ColumnToCount>& columns) const {
  require_one_sample(columns);
  std::vector<Column> all;
  std::vector<SelectedColumns> of_sample;
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    static_cast<void>(units_of(number_column(*state_, asked), asked));
    require_persons(*state_, asked.selection);
    if (asked.public_rows) require_rows(*state_, asked.selection);
    const SelectedColumns read = columns_of(*state_, asked);
    all.push_back(read.number);
    if (read.person) all.push_back(*read.person);
    if (read.weight) {
      static_cast<void>(counted_on(*read.weight, asked.selection.weights->grid()));
      require_countable_units(*state_, *asked.selection.weights);
      all.push_back(*read.weight);
    }
    all.insert(all.end(), read.keys.begin(), read.keys.end());
    if (asked.selection.whole_records) of_sample.push_back(read);
    if (is_counted_alone(*state_, columns)) continue;
    require_spool(state_->memory, asked.selection.person.empty() ? "counts" : "persons' records");
    if (!asked.selection.selects()) continue;
    static_cast<void>(state_->relation->from(all));  // refuses columns that cannot be read at once
    static_cast<void>(with_typed_keys(*state_, asked.selection));
  }
  if (columns.size() > 1) static_cast<void>(state_->relation->from(all));
  require_shown_keys(of_sample, state_->missing);
}

std::vector<CountedColumn> Table::count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                        const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return mapped(count_apart(columns, bits, on_progress),
                [](const std::function<CountedColumn()>& column) { return column(); });
}

std::vector<std::function<CountedColumn()>> Table::count_apart(const std::vector<ColumnToCount>& columns,
                                                               RandomBits& bits,
                                                               const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    require_persons(*state_, asked.selection);
    if (asked.public_rows) require_rows(*state_, asked.selection);
  }
  return while_unchanged(*state_, on_progress, [&] {
    std::vector<std::function<CountedColumn()>> counted;
    std::vector<ProfilesLater> profiles = counted_profiles(*state_, columns, bits, on_progress);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::optional<std::uint64_t> rows;
      if (columns[i].public_rows) rows = counted_rows(*state_, {});
      counted.emplace_back(
          [selection = columns[i].selection, made = std::move(profiles[i]), stability = state_->stability, rows] {
            CountedColumn column = selection.counted(made());
            if (stability > 0) column = std::move(column).over_query(stability);
            if (rows) column = std::move(column).with_public_rows(*rows);
            return column;
          });
    }
    return counted;
  });
}

std::uint64_t Table::rows(const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  require_rows(*state_, {});
  return while_unchanged(*state_, on_progress, [&] { return counted_rows(*state_, on_progress); });
}

std::vector<std::vector<std::string>> Table::texts(const std::vector<std::string>& columns) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, {}, [&] { return texts_of(*state_, columns); });
}

void Table::require_unchanged() const { fractile::require_unchanged(*state_); }

std::optional<double> Table::share_read() const {
  const OwnEnvironment own;
  if (state_->stability > 0) return {};  // the engine may make many rows from few bytes
  const auto is_json = [](const Input& input) { return input.relation->json_form().has_value(); };
  if (std::ranges::all_of(state_->inputs, is_delimited)) return share_of_text(*state_);
  if (std::ranges::all_of(state_->inputs, is_json)) return share_of_json(*state_);
  if (std::ranges::any_of(state_->inputs, is_delimited) || std::ranges::any_of(state_->inputs, is_json)) return {};
  return *state_->engine_share;
}

std::vector<std::string> Table::files() const {
  if (state_->inputs.front().name != name_of_file) return {};
  return state_->inputs.front().files.opened().parts;
}

std::string Table::person_of_rows() const { return state_->relation->person_of_rows(); }

std::vector<TableColumn> Table::columns() const {
  if (state_->relation->json_form()) {
    throw Error(ErrorCode::usage, state_->display_name + ": JSON has no schema: its keys are in the records",
                {"add ", Field("check"), ", which reads them"});
  }
  return mapped(state_->relation->columns(), [](const Column& column) {
    return TableColumn{column.name, shown_type(column)};
  });
}

std::vector<TableColumn> Table::checked_columns(const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, on_progress, [&] { return checked(*state_, on_progress); });
}

std::string Table::engine() const { return state_->engine; }

std::string Table::reader() const {
  return is_read_here(*state_->relation) ? state_->engine : state_->engine + ": " + settings_in_words();
}

}  // namespace fractile
