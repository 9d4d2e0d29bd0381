#include "report/text/text_columns.hpp"

#include <algorithm>

#include "exact/lists.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

Row shown(Row row) {
  for (std::string& cell : row) cell = shown_text(cell);
  return row;
}

}  // namespace

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string aligned(const std::vector<Row>& cells, std::size_t left) {
  const std::vector<Row> rows = mapped(cells, shown);
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      text += (i == 0 ? "" : "  ") + (i < left ? row[i] + space : space + row[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);  // no blanks at the ends of lines; a line break stays
    text += "\n";
  }
  return text;
}

}  // namespace fractile::report_detail
