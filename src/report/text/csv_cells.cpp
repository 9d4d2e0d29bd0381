#include "report/text/csv_cells.hpp"

#include "report/text/shown_text.hpp"

namespace fractile::report_detail {

std::string csv_cell(const std::string& bytes) {
  std::string text = utf8_text(bytes);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += csv_cell(cell);
    line += ',';
  }
  if (!line.empty()) line.pop_back();
  return line + '\n';
}

}  // namespace fractile::report_detail
