// Cells as RFC 4180 has them.
#pragma once

#include <string>
#include <vector>

namespace fractile::report_detail {

/// Quoted where it must be.
std::string csv_cell(const std::string& text);
/// Cells with commas between them, and the line's end.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace fractile::report_detail
