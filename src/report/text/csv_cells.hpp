// Cells in the format of RFC 4180.
#pragma once

#include <string>
#include <vector>

namespace fractile::report_detail {

/// Cells separated by commas, and the end of the line. A cell is in UTF-8, and quoted if necessary. Nothing else is changed, since
/// programs compare keys. `fractile` itself escapes what it prints on a terminal.
std::string csv_line(const std::vector<std::string>& cells);
/// The same at the end of a text.
void append_csv_line(std::string& text, const std::vector<std::string>& cells);

}  // namespace fractile::report_detail
