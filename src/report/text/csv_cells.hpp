// Cells as RFC 4180 has them.
#pragma once

#include <string>
#include <vector>

namespace fractile::report_detail {

/// UTF-8, quoted where it must be. Nothing else is changed: programs compare keys, and `fractile` escapes what it prints
/// on a terminal.
std::string csv_cell(const std::string& bytes);
/// Cells with commas between them, and the line's end.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace fractile::report_detail
