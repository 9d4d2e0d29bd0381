// The rows of a table on a server, as a stream of columns; and the errors when a server fails.
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

/// The error for failures before a row is read: the server's message is only about the query and the catalog.
Error refused_by_server(const postgres::Failure& failure, const std::string& shown);
/// The error for failures after rows were read: it only has the class of the server's error, from the list of SQL's standard.
Error failed_on_server(const postgres::Failure& failure, const std::string& shown);
/// The error for a server that violates the protocol.
Error unreadable_from_server(const std::string& shown);

/// A new connection, without any query. Throws postgres::Failure.
std::unique_ptr<postgres::Connection> connect_to(const postgres::Address& address);

/// Begins a transaction that reads one snapshot and writes nothing.
inline constexpr const char* begin_reading =
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; "
    "SET LOCAL standard_conforming_strings = on; SET LOCAL client_encoding = 'UTF8'; "
    "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; "
    "SET LOCAL enable_tidscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off";

/// The column as a column of a streamed table.
StreamedColumn streamed(const PostgresColumn& column);

class PostgresRecords final : public RecordStream {
 public:
  /// Reads the table of this name, if it is the one at `path` and has these columns. `pulse`, which may be empty, is called now and
  /// then.
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
  std::unique_ptr<postgres::Connection> connection_;  // open while rows may come
  std::optional<PostgresCopy> copy_;
  std::vector<ColumnView> block_;
  std::size_t rows_ = 0;  // rows in the block
};

}  // namespace fractile::source_detail
