// What is declared to be missing: -9, NA, a dot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// Microseconds since 1970 of a text that is declared to be missing in a column of times; nothing for a text that is no such time.
std::optional<std::int64_t> missing_moment(ValueKind column, std::string_view text);

/// SQL of the column's cells, NULL where a cell is one of `missing`: a number or a time by its value where both are such, else a text exactly.
/// Never fails.
std::string blanked_cell(const Column& column, const std::vector<std::string>& missing);

/// Throws `usage` for a text that is empty, not UTF-8 or named twice, and for too many.
void check_missing(const std::vector<std::string>& missing);

}  // namespace fractile::source_detail
