#include "report/text/csv_cells.hpp"

#include <algorithm>

#include "report/text/shown_text.hpp"

namespace fractile::report_detail {

namespace {

bool stands_as_it_is(const std::string& cell) {
  return std::ranges::all_of(cell, [](char c) { return c >= ' ' && c < '\x7F' && c != ',' && c != '"'; });
}

}  // namespace

std::string csv_cell(const std::string& bytes) {
  if (stands_as_it_is(bytes)) return bytes;  // most cells
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
