// What the engine passes over in silence: DuckDB 1.5 reads a truncated gzip file as far as it goes, and drops a last
// line that is longer than its buffers. Both would lose records, so text is looked through before it is counted.
#pragma once

#include <cstddef>
#include <functional>

#include "source/input_file.hpp"

namespace fractile::source_detail {

inline constexpr std::size_t longest_line = 2'000'000;  // bytes, the engine's own limit

/// Error(data) for gzip that is truncated or damaged, and, in delimited text, for a line above longest_line.
void check_text(const InputFile& file, bool is_delimited, const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
