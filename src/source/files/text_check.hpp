// Checks a whole file of text, for faults that a query might never meet (malformed delimited text, of which it reads a part) or that
// the engine would silently ignore (a truncated gzip file of JSON, of which DuckDB 1.5 reads what is there).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "source/files/input_file.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// Returns the number of records. Throws `data` as TextStream::next() does, and for text that DelimitedCheck refuses.
std::uint64_t check_delimited(const InputFile& file, const DelimitedShape& shape, LineEndsInCells line_ends,
                              const std::function<void()>& on_progress);

/// How the records of a JSON file are arranged, by syntax alone.
enum class JsonForm {
  array,  ///< the first byte that is not blank is `[`: all records are in one array
  lines,  ///< every line that is not blank is one object: a record
  values  ///< records one after another, with blanks or nothing between them
};

/// What precedes the records of a JSON file.
struct JsonHead {
  JsonForm form;      ///< `array` or `values`, by the first byte that is not blank
  std::string bytes;  ///< the first bytes, where a byte order mark would be
};

/// Ignores damage: files that cannot be read fail when their records are read.
JsonHead json_head(const InputFile& file);

/// Whether the records of a file of the form `values` are `lines`, which the engine reads with many threads. A file that it can
/// read in both ways has the same records in both. Throws `data` as TextStream::next() does. on_text(), which may be empty, is
/// called with the number of the file's bytes that have been read.
bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress,
                      const std::function<void(std::size_t taken)>& on_text = {});

/// Checks files of JSON before the engine reads them.
class JsonTexts {
 public:
  /// The files must outlive this.
  explicit JsonTexts(const std::vector<InputFile>& files);

  /// Whether the records of all files are lines, by check_json_lines(), whose errors it throws. Thread-safe.
  bool check_lines(const std::function<void()>& on_progress);
  /// The share of the files' bytes that the last call of check_lines() has read.
  double share_checked() const;

 private:
  std::span<const InputFile> files_;
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t> bytes_taken_ = 0;
};

}  // namespace fractile::source_detail
