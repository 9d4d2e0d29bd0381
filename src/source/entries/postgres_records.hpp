// The rows of a table on a server, as a stream of columns; and what is said when a server fails.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/postgres.hpp"
#include "source/engine/streamed_table.hpp"
#include "source/entries/postgres_copy.hpp"
#include "source/entries/postgres_table.hpp"

namespace fractile::source_detail {

/// Before a row is read: what the server says is about the query and the catalog alone.
Error refused_by_server(const postgres::Failure& failure, const std::string& shown);
/// For failures after rows were read: only the class of the error, which SQL's standard lists.
Error failed_on_server(const postgres::Failure& failure, const std::string& shown);
/// A server that violates the protocol.
Error unreadable_from_server(const std::string& shown);

/// A new connection, without any query. Throws postgres::Failure.
std::unique_ptr<postgres::Connection> connect_to(const postgres::Address& address);

/// Begins a transaction that reads one snapshot and writes nothing.
inline constexpr const char* begin_reading =
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; "
    "SET LOCAL standard_conforming_strings = on; SET LOCAL client_encoding = 'UTF8'; "
    "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; "
    "SET LOCAL enable_tidscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off";

/// As the engine calls a column.
StreamedColumn streamed(const PostgresColumn& column);

class PostgresRecords final : public RecordStream {
 public:
  /// Reads the table of this name, as long as it is the one at `path` and has these columns. `pulse` is called every so often; it
  /// may be empty.
  PostgresRecords(const postgres::Address& address, std::string table, std::string path,
                  std::vector<PostgresColumn> columns, std::function<void()> pulse);
  ~PostgresRecords() override;

  void start(const std::vector<std::size_t>& columns) override;
  std::size_t next() override;
  ColumnView column(std::size_t place) const override { return block_[place]; }

 private:
  const postgres::Address& address_;
  std::string table_;
  std::string path_;
  std::vector<PostgresColumn> columns_;
  std::function<void()> pulse_;
  std::unique_ptr<postgres::Connection> connection_;  // while rows may come
  std::optional<PostgresCopy> copy_;
  std::vector<ColumnView> block_;
  std::size_t rows_ = 0;  // of the block
};

}  // namespace fractile::source_detail
