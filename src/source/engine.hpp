// The engine: DuckDB, found at run time and spoken to through ADBC. One connection to an in-memory database that keeps
// to this machine. Failures carry a kind, never the engine's words about rows: those may quote cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "source/arrow_abi.hpp"

namespace fractile::source_detail {

/// What the engine could not do. Told from its messages, of which nothing else is kept.
enum class FailureKind {
  statement,          ///< the SQL does not parse or bind; `detail` is the engine's sentence, made before rows are read
  not_a_number,       ///< a conversion failed
  long_line,          ///< a text line above the engine's limit
  not_utf8,           ///< bytes that are not UTF-8
  unclosed_quote,     ///< a quoted cell without its end
  column_count,       ///< a text line with more or fewer cells than the header
  malformed,          ///< the file is not of its format, or is truncated
  missing_file,       ///< the SQL names a file that is not there
  missing_extension,  ///< the SQL needs what is not built in
  memory,             ///< the engine ran out of memory
  other
};

struct EngineFailure : std::runtime_error {
  EngineFailure(FailureKind what_kind, std::optional<std::uint64_t> at_line, std::string statement_detail)
      : std::runtime_error("the engine failed"), kind(what_kind), line(at_line), detail(std::move(statement_detail)) {}
  FailureKind kind;
  std::optional<std::uint64_t> line;  ///< of the text file, from 1, header included
  std::string detail;                 ///< only of FailureKind::statement
};

/// Reads kind and line out of an engine's message; keeps its first line only for a statement.
EngineFailure classify_failure(std::string_view message);

std::string quote_identifier(std::string_view name);
std::string quote_literal(std::string_view text);

/// The batches of one query's result, in turn.
class ResultStream {
 public:
  ResultStream(ResultStream&&) noexcept;
  ResultStream& operator=(ResultStream&&) = delete;
  ~ResultStream();

  /// The next batch; an empty handle at the end. Throws EngineFailure.
  ArrowHandle<ArrowArray> next();
  /// Arrow format string of a column. Throws Error(internal) when there is no such column.
  std::string_view format(std::size_t column) const;

 private:
  friend class Connection;
  struct State;
  explicit ResultStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Connection {
 public:
  /// `library` as in TableOptions. Error(usage) when the engine is not found or cannot be used.
  static Connection open(const std::string& library);
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  /// Starts a query. Throws EngineFailure.
  ResultStream query(const std::string& sql) const;
  /// Runs a statement to its end. Throws EngineFailure.
  void run(const std::string& sql) const;

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fractile::source_detail
