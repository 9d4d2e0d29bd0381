// Cells in the format of RFC 4180.
#pragma once

#include <string>
#include <vector>

namespace fractile::report_detail {

/// The cell in UTF-8, quoted if necessary. Nothing else is changed, since programs compare keys. `fractile` itself escapes what it prints
/// on a terminal.
std::string csv_cell(const std::string& bytes);
/// Cells separated by commas, and the end of the line.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace fractile::report_detail
