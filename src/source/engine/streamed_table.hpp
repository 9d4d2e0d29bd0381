// A table of the engine whose records come, in blocks, from outside the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exact/uncopied.hpp"
#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// The types of columns of a streamed table. Decimals are whole numbers of 10^-scale. Days and moments count from 1970, with the
/// least and the largest number for infinities.
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
  int precision = 0;  ///< for decimals, at most 18
  int scale = 0;
};

/// What a stream throws for a text that is not UTF-8. The engine then fails with a message that says so, and where.
struct NotUtf8 {
  std::uint64_t line;  ///< of the text file
};

/// A source of records.
class RecordStream : Uncopied {
 public:
  virtual ~RecordStream() = default;

  /// Called before the first block, with the wanted columns. May throw.
  virtual void start(const std::vector<std::size_t>& columns) = 0;
  /// Reads the next block and returns its number of records, at most 2,048; 0 at the end. May throw.
  virtual std::size_t next() = 0;
  /// A column of the block, by its place among the wanted columns: whole numbers (also for booleans), doubles or texts. Valid until
  /// next() is called again.
  virtual ColumnView column(std::size_t place) const = 0;
};

/// One reading of a table by the engine.
class TableReading : Uncopied {
 public:
  virtual ~TableReading() = default;

  /// The largest number of threads that may read at once.
  virtual std::size_t most_threads() const = 0;
  /// A stream for the calling thread; each record comes in exactly one of the streams. May throw.
  virtual std::unique_ptr<RecordStream> stream() = 0;
};

/// It must outlive the connection to which it was added.
class EngineTable : Uncopied {
 public:
  explicit EngineTable(std::vector<StreamedColumn> columns) : columns_(std::move(columns)) {}
  virtual ~EngineTable() = default;

  /// Registers the table as a function of SQL without arguments.
  void add_to(const EngineApi& api, EngineConnection* connection, const std::string& name);
  /// Throws the first exception of a reading, if there was one: the engine only reports that the query failed.
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

/// A table that can be read once, by one query, on one thread.
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
