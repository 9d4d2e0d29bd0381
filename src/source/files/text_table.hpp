// Files of delimited text as a table of the engine, read on all threads. This code, not the engine, cuts the files between records
// and finds the cells.
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

/// Its columns are c0, c1, ..., all of text. A query over it fails where DelimitedCheck or DelimitedRecords refuses the text. With
/// one thread, the records keep their order and that of the files. Thread-safe.
class TextTable final : public EngineTable {
 public:
  /// `files`, at least one, must outlive this object. `piece`: the number of bytes that a thread takes at a time.
  TextTable(std::span<const InputFile> files, DelimitedShape shape, LineEndsInCells line_ends,
            std::size_t piece = DelimitedPieces::usual_size);

  /// The function's name in connections.
  const std::string& function() const { return function_; }
  /// Names of these functions begin with this, in any letter case.
  static constexpr const char* prefix = "fractile_text_";
  static std::string column_name(std::size_t number) { return "c" + std::to_string(number); }

  /// Begins a reading without the engine.
  std::unique_ptr<TableReading> read() const;
  /// Whether a reading has seen every record since the last call.
  bool was_read_whole() const;
  /// The place of a record of the last reading, which must have been on one thread; `record`: its number, from 1.
  struct Place {
    std::size_t file;      ///< its index among the files
    std::uint64_t record;  ///< its number there, from 1
  };
  Place place_of(std::uint64_t record) const;
  /// The index of the file in which a reading last met text that is not UTF-8.
  std::size_t file_of_other_text() const { return file_of_other_text_; }
  /// The number of bytes of the files that the last reading has read; below, their total size.
  std::uint64_t bytes_taken() const { return bytes_taken_; }
  std::uint64_t bytes() const;
  /// Whether the files are so small that a second thread would have no work.
  bool is_of_one_piece() const;

 private:
  struct OneFile;
  class Reading;
  class Stream;
  std::unique_ptr<TableReading> begin() override { return read(); }

  std::span<const InputFile> files_;
  DelimitedShape shape_;
  LineEndsInCells line_ends_;
  std::size_t piece_;
  std::string function_;
  mutable std::atomic<bool> was_read_whole_ = false;
  mutable std::vector<std::atomic<std::uint64_t>> records_of_;  // by file, in the last reading
  mutable std::atomic<std::uint64_t> bytes_taken_ = 0;
  mutable std::atomic<std::size_t> file_of_other_text_ = 0;
};

}  // namespace fractile::source_detail
