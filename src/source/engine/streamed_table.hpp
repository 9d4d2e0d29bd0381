// A table of the engine whose records come from elsewhere, once, in blocks.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// What a column of a streamed table holds, and so how the engine calls it. Of decimals come whole numbers of 10^-scale, of days and moments
/// those since 1970, the least and the largest for infinities.
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
  /// A column of the block, by its place among those that are wanted: whole numbers (also of booleans), doubles or texts.
  virtual ColumnView column(std::size_t place) const = 0;
};

/// Lives longer than the connection that it was added to, and serves one query there, on one thread.
class StreamedTable {
 public:
  StreamedTable(std::vector<StreamedColumn> columns, RecordStream& stream)
      : columns_(std::move(columns)), stream_(stream) {}

  /// As a function of SQL without arguments.
  void add_to(const EngineApi& api, EngineConnection* connection, const std::string& name);
  /// What the stream threw, if anything: the engine only knows that the query failed.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static void bind(EngineBinding* binding);
  static void start(EngineStart* start);
  static void fill(EngineCall* call, EngineChunk* out);
  std::size_t fill(const EngineApi& api, EngineChunk* out);

  std::vector<StreamedColumn> columns_;
  RecordStream& stream_;
  std::vector<std::size_t> wanted_;  // of the columns, in the order in which the engine asks for them
  std::vector<std::size_t> places_;  // of those in a chunk
  bool has_started_ = false;
  bool is_read_again_ = false;
  std::exception_ptr failure_;
};

}  // namespace fractile::source_detail
