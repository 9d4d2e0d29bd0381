#include "report/text/csv_cells.hpp"

#include <string_view>
#include <utility>

#include "report/text/shown_text.hpp"

namespace fractile::report_detail {

namespace {

/// Appends a cell in UTF-8.
void append_cell(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += c;
    line += c;
  }
  line += '"';
}

}  // namespace

void append_csv_line(std::string& text, const std::vector<std::string>& cells) {
  bool is_first = true;
  for (const std::string& cell : cells) {
    if (!std::exchange(is_first, false)) text += ',';
    is_utf8(cell) ? append_cell(text, cell) : append_cell(text, utf8_text(cell));
  }
  text += '\n';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  append_csv_line(line, cells);
  return line;
}

}  // namespace fractile::report_detail
