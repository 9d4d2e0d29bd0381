// A text file is looked through before its records are counted, for what the engine would pass over in silence: a truncated gzip
// file, of which DuckDB 1.5 reads what there is, and malformed delimited text.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/input_file.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// How many records there are. Throws `data` where TextStream::next() does, and for text that is not as DelimitedCheck has it.
std::uint64_t check_delimited(const InputFile& file, const DelimitedShape& shape, LineEndsInCells line_ends,
                              const std::function<void()>& on_progress);

/// What the values of a JSON file stand in. Syntax alone tells.
enum class JsonForm {
  array,  ///< the first byte that is not blank is `[`: all records stand in one array
  lines,  ///< every line that is not blank is one object: a record
  values  ///< records one after another, with blanks or nothing between
};

/// What a JSON file says before its records.
struct JsonHead {
  JsonForm form;      ///< `array` or `values`, by the first byte that is not blank
  std::string bytes;  ///< the first ones, where a byte order mark stands
};

/// Damage is no matter here: what cannot be read fails when records are.
JsonHead json_head(const InputFile& file);

/// Whether the records of `values` are `lines`, which the engine reads with many threads; a file that it can read in both ways has the same
/// records in both. Throws `data` where TextStream::next() does. on_text(), which may be empty, is called with how many bytes of the file
/// have been taken.
bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress,
                      const std::function<void(std::size_t taken)>& on_text = {});

/// Files of JSON, which are looked through before the engine reads them.
class JsonTexts {
 public:
  /// The files must outlive this.
  explicit JsonTexts(const std::vector<InputFile>& files);

  /// Whether the records of all are lines, as check_json_lines() has it, which says what throws. Thread-safe.
  bool check_lines(const std::function<void()>& on_progress);
  /// Which share of the files' bytes the last call of it has taken.
  double share_checked() const;

 private:
  std::span<const InputFile> files_;
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t> bytes_taken_ = 0;
};

}  // namespace fractile::source_detail
