// A text file is looked through before its records are counted, for what the engine would pass over in silence: a truncated gzip
// file, of which DuckDB 1.5 reads what there is, and malformed delimited text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "source/files/input_file.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// Error(data) for gzip that is truncated or damaged and for text that is not as DelimitedCheck has it. How many records there
/// are.
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

/// Never fails: what cannot be read fails when records are.
JsonHead json_head(const InputFile& file);

/// Error(data) for gzip that is truncated or damaged. Whether the records of `values` are `lines`, which the engine reads with many
/// threads; a file that it can read in both ways has the same records in both.
bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
