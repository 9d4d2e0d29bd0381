// The engine: DuckDB, found at run time and spoken to through its C interface. One connection to an in-memory database without
// network access. Failures carry a kind, and never the engine's messages about rows, since these may quote cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// What the engine could not do, as recognized from its message. Nothing else of the message is kept.
enum class FailureKind {
  statement,          ///< the SQL does not parse or bind; `detail` is the engine's sentence, made before rows are read
  not_a_number,       ///< a conversion failed
  out_of_range,       ///< a number does not fit its type
  long_line,          ///< a text line above the engine's limit
  long_record,        ///< a JSON record above the engine's limit
  not_utf8,           ///< bytes that are not UTF-8
  unclosed_quote,     ///< a quoted cell that is not closed
  column_count,       ///< a text line with more or fewer cells than the header
  twin_keys,          ///< a JSON record has a key twice that is read
  no_object,          ///< another value of JSON stands where a record must be an object
  malformed,          ///< the file does not have its format, or is truncated; or a function of SQL refused its argument
  missing_file,       ///< the SQL names a file that is not there
  missing_extension,  ///< the SQL needs an extension
  memory,             ///< the engine ran out of memory
  other
};

struct EngineFailure : std::runtime_error {
  EngineFailure(FailureKind what_kind, std::optional<std::uint64_t> at_line, std::string statement_detail)
      : std::runtime_error("the engine failed"), kind(what_kind), line(at_line), detail(std::move(statement_detail)) {}
  FailureKind kind;
  std::optional<std::uint64_t> line;  ///< of the text file, from 1, header included
  std::string detail;                 ///< only for FailureKind::statement
};

/// When a message arose: while a statement was prepared, before the engine has seen rows, or while it ran.
enum class FailureTime { preparing, running };

/// Reads kind and line from an engine's message. Its first line is kept only for a statement that was being prepared. (When a
/// statement runs, some functions complain about their arguments, which are cells, in messages that look like those about
/// statements.)
EngineFailure classify_failure(std::string_view message, FailureTime time);

/// The settings of every connection that could affect a value: "TimeZone UTC, ...".
std::string settings_in_words();

std::string quote_identifier(std::string_view name);
std::string quote_literal(std::string_view text);

/// The type of the cells of a requested column: std::int64_t, std::int32_t, double, text in UTF-8.
enum class CellType { integer, short_integer, real, text };

/// Some records of a result, a few thousand at most; a view.
class Chunk {
 public:
  Chunk(const EngineApi& api, EngineChunk* records) : api_(&api), records_(records) {}
  /// For records that are not the engine's.
  Chunk(std::span<const ColumnView> columns, std::size_t rows) : columns_(columns), rows_(rows) {}

  std::size_t rows() const { return api_ == nullptr ? rows_ : api_->data_chunk_get_size(records_); }
  std::size_t columns() const {
    return api_ == nullptr ? columns_.size() : api_->data_chunk_get_column_count(records_);
  }
  /// Throws `internal` when there is no such column.
  ColumnView column(std::size_t number) const;

 private:
  const EngineApi* api_ = nullptr;
  EngineChunk* records_ = nullptr;
  std::span<const ColumnView> columns_;
  std::size_t rows_ = 0;
};

/// The chunks of one query's result, in turn.
class ResultStream {
 public:
  ResultStream(ResultStream&&) noexcept;
  ResultStream& operator=(ResultStream&&) = delete;
  ~ResultStream();

  /// The next chunk, valid until the one after it is asked for; nothing at the end. Throws EngineFailure.
  std::optional<Chunk> next();

 private:
  friend class Session;
  struct State;
  explicit ResultStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The cells that are read of every record.
struct Cells {
  std::vector<std::string> expressions;
  std::vector<CellType> types;  ///< type of each expression
  std::string relation;         ///< what follows FROM
};

/// A function of SQL that every connection has: whether the engine's cast may misread a text, by mark_misread().
inline constexpr const char* misread_function = "fractile_misread";

class EngineTable;

class Session {
 public:
  /// `library` as in TableOptions. The machine's settings have no effect: the time zone is UTC. Throws `usage` when the engine is
  /// not found or cannot be used.
  static Session open(const std::string& library);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  /// The whole result of a query. Its first columns must have these types, and there may be more columns; throws `internal`
  /// otherwise. Throws EngineFailure.
  ResultStream query(const std::string& sql, const std::vector<CellType>& types) const;
  /// The same for large results, whose chunks are made when they are asked for. With several threads, a failure may be reported as
  /// that of another thread, which it interrupted.
  ResultStream stream(const std::string& sql, const std::vector<CellType>& types) const;
  /// Calls take() for all records, a chunk at a time, from all of the engine's threads at once and in no order; with one thread, in
  /// the relation's order. on_progress(), which may be empty, is called on this thread only. What either function throws ends the
  /// query and is thrown here. Returns the number of records. Throws `internal` unless every record is taken exactly once. Throws
  /// EngineFailure.
  std::uint64_t for_each_chunk(const Cells& cells, std::function<void(const Chunk&)> take,
                               const std::function<void()>& on_progress) const;
  /// From now on, for_each_chunk() sets `share`, before it calls on_progress(), to the share of the tables that it has read, from 0
  /// to 1, if the engine knows it. Throws EngineFailure.
  void share_to(std::shared_ptr<std::atomic<double>> share);
  /// Runs a statement to its end. Throws EngineFailure.
  void run(const std::string& sql) const;
  /// From now on, SQL can read the table as name().
  void add(EngineTable& table, const std::string& name) const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  /// Fixes the engine's settings that could change a value.
  void fix_settings() const;

  std::unique_ptr<State> state_;
};

/// Connects when it is first called.
using EngineOnDemand = std::function<const Session&()>;

}  // namespace fractile::source_detail
