#include <algorithm>

#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/shown_text.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

std::string kind_in_words(const TableColumn& column) {
  if (!column.cells->read_as) return column.type == "VARCHAR" ? "text" : "nothing";
  switch (*column.cells->read_as) {
    case ValueKind::number:
      return "numbers";
    case ValueKind::date:
      return "dates";
    case ValueKind::timestamp:
      return "dates or times";
    case ValueKind::instant:
      return "times in UTC";
  }
  return "";
}

/// "3, 17", or "b.csv:3, c.csv:17" for several files. If there are further rows, `more` follows.
std::string rows_in_words(const ColumnCells& cells, const char* separator, const char* more) {
  std::string text;
  for (std::size_t k = 0; k < cells.unreadable_rows.size(); ++k) {
    if (k > 0) text += separator;
    if (k < cells.unreadable_files.size()) text += cells.unreadable_files[k] + ":";
    text += std::to_string(cells.unreadable_rows[k]);
  }
  return cells.unreadable > cells.unreadable_rows.size() ? text + more : text;
}

bool were_checked(const std::vector<TableColumn>& columns) {
  return std::ranges::any_of(columns, [](const TableColumn& column) { return column.cells.has_value(); });
}

Row heading(bool checked, const char* read_as, const char* rows) {
  Row row{"column", "type"};
  if (checked) row.insert(row.end(), {read_as, "read", "missing", "unreadable", rows});
  return row;
}

Row row_of(const TableColumn& column, const char* separator, const char* more) {
  Row row{column.name, column.type};
  if (!column.cells) return row;
  const ColumnCells& cells = *column.cells;
  row.insert(row.end(), {kind_in_words(column), std::to_string(cells.read), std::to_string(cells.missing),
                         std::to_string(cells.unreadable), rows_in_words(cells, separator, more)});
  return row;
}

void write(Writer& json, const ColumnCells& cells, const std::string& read_as) {
  member(json, "read_as", read_as);
  member(json, "read", cells.read);
  member(json, "missing", cells.missing);
  member(json, "unreadable", cells.unreadable);
  report_detail::list(json, "unreadable_rows", cells.unreadable_rows, [&](std::uint64_t row) { json.Uint64(row); });
  if (!cells.unreadable_files.empty()) report_detail::list(json, "unreadable_files", cells.unreadable_files);
}

}  // namespace

std::string to_table(const std::vector<TableColumn>& columns) {
  constexpr std::size_t words = 3;  // columns of words, to the left
  std::vector<Row> rows{heading(were_checked(columns), "read as", "in rows")};
  for (const TableColumn& column : columns) rows.push_back(row_of(column, ", ", ", ..."));
  std::string text = aligned(rows, words);
  std::string foreign;  // columns of numbers that are written otherwise
  for (const TableColumn& column : columns) {
    if (column.cells && column.cells->read == 0 && column.cells->read_as == ValueKind::number)
      foreign += (foreign.empty() ? "" : ", ") + shown_text(column.name);
  }
  if (!foreign.empty()) {
    text += fmt::format(
        "\nNo number can be read as it is written, in {}:\n"
        "say which character is the decimal point and which one separates thousands, or remove currencies and other "
        "signs.\n",
        foreign);
  }
  return text;
}

std::string to_csv(const std::vector<TableColumn>& columns) {
  std::string text = csv_line(heading(were_checked(columns), "read_as", "unreadable_rows"));
  for (const TableColumn& column : columns) text += csv_line(row_of(column, " ", ""));
  return text;
}

std::string to_json(const std::vector<TableColumn>& columns) {
  Document document;
  Writer& json = document.json();
  objects(json, "columns", columns, [&](const TableColumn& column) {
    member(json, "name", column.name);
    member(json, "type", column.type);
    if (column.cells) write(json, *column.cells, kind_in_words(column));
  });
  return document.text();
}

}  // namespace fractile
