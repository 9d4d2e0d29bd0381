#include "source/entries/table_faults.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "source/counting/selected_records.hpp"
#include "source/counting/text_cells.hpp"
#include "source/engine/time_cells.hpp"
#include "source/files/countable.hpp"

namespace fractile::source_detail {
namespace {

std::string place(const std::string& display_name, const EngineFailure& failure) {
  return failure.line ? display_name + ": line " + std::to_string(*failure.line) : display_name;
}

Words drop_hint() { return {"fix the cell, or leave such records out with ", Field("null").text("drop")}; }

struct BadRow {
  std::uint64_t number;  // from 1
  CellState state;
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

}  // namespace

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
    case FailureKind::no_object:
      return {ErrorCode::data, at + ": a record of JSON is not an object, and only objects have columns",
              "write each record as an object, {\"age\": 34, \"income\": 2100}; in pandas: df.to_json(FILE, "
              "orient=\"records\")"};
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

Error worded(const EngineFailure& failure, const OpenedTable& table) {
  const auto* const text = table.has_query ? nullptr : table.relation->text();
  if (text == nullptr || failure.kind != FailureKind::not_utf8) return worded(failure, table.display_name);
  return worded(failure, table.inputs.front().files.files()[text->file_of_other_text()].display_name());
}

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

Error some_missing(const std::string& source) {
  return {ErrorCode::data, source + ": a record is empty, NULL or NaN", drop_hint()};
}

}  // namespace fractile::source_detail
