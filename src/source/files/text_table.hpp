// Files of delimited text as a table of the engine, read on as many threads as there are: we cut them between records and find their cells.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "source/engine/streamed_table.hpp"
#include "source/files/input_file.hpp"
#include "source/text/delimited_check.hpp"
#include "source/text/delimited_pieces.hpp"

namespace fractile::source_detail {

/// Its columns are c0, c1, ..., all of text. A query over it fails where DelimitedCheck refuses the text, and as DelimitedRecords says; with one
/// thread the records keep their order, and that of the files. Thread-safe.
class TextTable final : public EngineTable {
 public:
  /// `files`, of which there is one at least, must outlive this. `piece`: how many bytes a thread takes at a time.
  TextTable(std::span<const InputFile> files, DelimitedShape shape, LineEndsInCells line_ends,
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
  /// Where a record stands that a reading on one thread has handed over, the last one that was begun; `record`: its number, from 1.
  struct Place {
    std::size_t file;      ///< which of the files
    std::uint64_t record;  ///< its number there, from 1
  };
  Place place_of(std::uint64_t record) const;
  /// In which of the files a reading has met text that is no UTF-8, the last one that did.
  std::size_t file_of_other_text() const { return file_of_other_text_; }
  /// How many bytes of the files the last reading has taken, and how many there are.
  std::uint64_t bytes_taken() const { return bytes_taken_; }
  std::uint64_t bytes() const;
  /// So small that a second thread would find nothing to do.
  bool is_of_one_piece() const;

 private:
  struct OneFile;
  class Reading;
  class Stream;
  std::unique_ptr<TableReading> begin() override;

  std::span<const InputFile> files_;
  DelimitedShape shape_;
  LineEndsInCells line_ends_;
  std::size_t piece_;
  std::string function_;
  mutable std::atomic<std::uint64_t> records_ = 0;
  mutable std::atomic<bool> was_read_whole_ = false;
  mutable std::vector<std::atomic<std::uint64_t>> records_of_;  // of each file, in the last reading that was begun
  mutable std::atomic<std::uint64_t> bytes_taken_ = 0;
  mutable std::atomic<std::size_t> file_of_other_text_ = 0;
};

}  // namespace fractile::source_detail
