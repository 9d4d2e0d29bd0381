// A table of the engine whose records come from elsewhere, in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// What a column of a streamed table holds, and so how the engine calls it. Decimals come as whole numbers of 10^-scale, days and
/// moments those since 1970, the least and the largest for infinities.
enum class StreamedType {
  boolean,
  int16,
  int32,
  int64,
  float32,
  float64,
  decimal,
  days,
  microseconds,
  utc_microseconds,
  text
};

struct StreamedColumn {
  std::string name;
  StreamedType type;
  int precision = 0;  ///< of decimals, at most 18
  int scale = 0;
};

/// What a stream throws for a text that is not UTF-8: the engine then fails in words that say so, and where.
struct NotUtf8 {
  std::uint64_t line;  ///< of the text file
};

/// Where records come from.
class RecordStream {
 public:
  RecordStream() = default;
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;
  virtual ~RecordStream() = default;

  /// Before the first block: which columns are wanted. May throw.
  virtual void start(const std::vector<std::size_t>& columns) = 0;
  /// How many records the next block has, 2,048 at most; 0 at the end. May throw.
  virtual std::size_t next() = 0;
  /// A column of the block, by its place among those that are wanted: whole numbers (also of booleans), doubles or texts. It holds until
  /// next() is called again.
  virtual ColumnView column(std::size_t place) const = 0;
};

/// One reading of a table by the engine.
class TableReading {
 public:
  TableReading() = default;
  TableReading(const TableReading&) = delete;
  TableReading& operator=(const TableReading&) = delete;
  virtual ~TableReading() = default;

  /// How many threads may do it at once.
  virtual std::size_t most_threads() const = 0;
  /// What one of them takes, in that thread; each record comes in one of the streams. May throw.
  virtual std::unique_ptr<RecordStream> stream() = 0;
};

/// Lives longer than the connection that it was added to.
class EngineTable {
 public:
  explicit EngineTable(std::vector<StreamedColumn> columns) : columns_(std::move(columns)) {}
  EngineTable(const EngineTable&) = delete;
  EngineTable& operator=(const EngineTable&) = delete;
  virtual ~EngineTable() = default;

  /// As a function of SQL without arguments.
  void add_to(const EngineApi& api, EngineConnection* connection, const std::string& name);
  /// The first exception of a reading, if there was one: the engine only knows that the query failed.
  void rethrow() const;

 private:
  class Reader;
  class Part;
  /// May throw.
  virtual std::unique_ptr<TableReading> begin() = 0;

  static void bind(EngineBinding* binding);
  static void start(EngineStart* start);
  static void start_part(EngineStart* start);
  static void fill(EngineCall* call, EngineChunk* out);
  void fail(std::exception_ptr failure);

  std::vector<StreamedColumn> columns_;
  mutable std::mutex failing_;
  std::exception_ptr failure_;
};

/// A table that comes once: it serves one query, on one thread.
class StreamedTable final : public EngineTable {
 public:
  StreamedTable(std::vector<StreamedColumn> columns, RecordStream& stream)
      : EngineTable(std::move(columns)), stream_(stream) {}

 private:
  std::unique_ptr<TableReading> begin() override;

  RecordStream& stream_;
  bool has_begun_ = false;
};

}  // namespace fractile::source_detail
