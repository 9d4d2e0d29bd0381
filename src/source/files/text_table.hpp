// A file of delimited text as a table of the engine, read on as many threads as there are: we cut it between records and find its cells.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "source/engine/streamed_table.hpp"
#include "source/files/input_file.hpp"
#include "source/text/delimited_check.hpp"
#include "source/text/delimited_pieces.hpp"

namespace fractile::source_detail {

/// Its columns are c0, c1, ..., all of text. A query over it fails where DelimitedCheck refuses the text, and as DelimitedRecords says; with one
/// thread the records keep their order. Thread-safe.
class TextTable final : public EngineTable {
 public:
  /// `file` must outlive this. `piece`: how many bytes a thread takes at a time.
  TextTable(const InputFile& file, DelimitedShape shape, LineEndsInCells line_ends,
            std::size_t piece = DelimitedPieces::usual_size);

  /// By which name connections are to have it.
  const std::string& function() const { return function_; }
  /// Names of functions begin so, in whatever letter case.
  static constexpr const char* prefix = "fractile_text_";
  static std::string column_name(std::size_t number) { return "c" + std::to_string(number); }

  /// Whether a reading has seen every record since this was asked for last.
  bool was_read_whole() const;
  /// How many records the last such reading has handed over.
  std::uint64_t records() const { return records_; }
  /// So small that a second thread would find nothing to do.
  bool is_of_one_piece() const;

 private:
  class Reading;
  class Stream;
  std::unique_ptr<TableReading> begin() override;

  const InputFile& file_;
  DelimitedShape shape_;
  LineEndsInCells line_ends_;
  std::size_t piece_;
  std::string function_;
  mutable std::atomic<std::uint64_t> records_ = 0;
  mutable std::atomic<bool> was_read_whole_ = false;
};

}  // namespace fractile::source_detail
