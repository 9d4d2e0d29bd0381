#include <algorithm>
#include <cctype>

#include "libraries/fmt.hpp"
#include "report/text/page.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

/// Escapes what would act on a terminal, since a receipt may hold any text.
std::string clean(const std::string& words) { return shown_text(words); }

std::string underlined(const std::string& words, char line) {
  const std::string title = clean(words);
  return title + "\n" + std::string(width_of(title), line) + "\n";
}

std::string piped(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "|";
    for (const std::string& cell : rows[i]) text += " " + cell + " |";
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t j = 0; j < rows[i].size(); ++j) text += j == 0 ? " :--- |" : " ---: |";
    text += "\n";
  }
  return text;
}

/// The headings in one row. The heading of a group precedes that of each of its columns.
Row plain_headings(const CellTable& table) {
  Row headings = table.headings;
  std::size_t column = table.head.left;
  for (const CellTable::Group& group : table.groups) {
    for (std::size_t i = 0; i < group.columns; ++i, ++column)
      headings[column] = group.heading + (headings[column].empty() ? "" : ", " + headings[column]);
  }
  return headings;
}

}  // namespace

std::string wrapped(const std::string& words, const std::string& first, const std::string& indent) {
  constexpr std::size_t width = 96;
  std::string lines;
  std::string line = first;
  bool begun = false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (begun && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line = indent;
      begun = false;
    }
    line += (begun ? " " : "") + word;
    begun = true;
    at = end + 1;
  }
  return lines + line + "\n";
}

std::vector<Row> plain_rows(const CellTable& table) {
  std::vector<Row> rows{plain_headings(table)};
  for (const CellTable::Line& line : table.lines) {
    Row& row = rows.emplace_back(line.names);
    for (const CellTable::Cell& cell : line.cells) {
      const std::string small = small_print(cell);
      row.push_back(with_separators(cell.value.text) + cell.sign + (small.empty() ? "" : " (" + small + ")"));
    }
  }
  return rows;
}

std::string small_print(const CellTable::Cell& cell) {
  std::string text;
  for (const CellTable::Number& each : cell.beside) text += (text.empty() ? "" : " to ") + with_separators(each.text);
  return text;
}

std::vector<Row> number_rows(const CellTable& table) {
  const std::size_t names = table.head.left;
  std::vector<std::size_t> beside(table.headings.size() - names);  // how many numbers accompany a column's values
  std::vector<bool> marked(beside.size());
  for (const CellTable::Line& line : table.lines) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      beside[i] = std::max(beside[i], line.cells[i].beside.size());
      if (!line.cells[i].mark.empty()) marked[i] = true;
    }
  }
  const Row headings = plain_headings(table);
  std::vector<Row> rows{Row(headings.begin(), headings.begin() + static_cast<std::ptrdiff_t>(names))};
  for (std::size_t i = 0; i < beside.size(); ++i) {
    rows[0].push_back(headings[names + i]);
    for (std::size_t j = 0; j < beside[i]; ++j) rows[0].push_back(headings[names + i] + " " + table.beside.at(j));
    if (marked[i]) rows[0].push_back(headings[names + i] + " mark");
  }
  for (const CellTable::Line& line : table.lines) {
    Row& row = rows.emplace_back(line.names);
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      const CellTable::Cell& cell = line.cells[i];
      row.push_back(cell.value.read);
      for (std::size_t j = 0; j < beside[i]; ++j) row.push_back(j < cell.beside.size() ? cell.beside[j].read : "");
      if (marked[i]) row.push_back(cell.mark);
    }
  }
  return rows;
}

std::string with_separators(const std::string& text) {
  constexpr std::size_t fewest_digits = 5;
  const std::size_t begin = text.starts_with("-") ? 1 : 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  std::size_t rest = end;
  if (rest + 1 < text.size() && text[rest] == '.')
    rest = std::min(text.find_first_not_of("0123456789", rest + 1), text.size());
  if (end - begin < fewest_digits || (rest < text.size() && text[rest] != ' ')) return text;
  std::string grouped = text;
  for (std::size_t at = end; at > begin + 3; at -= 3) grouped.insert(at - 3, ",");
  return grouped;
}

void ProsePage::title(const std::string& words) {
  text_ = markdown_ ? "# " + clean(words) + "\n" : underlined(words, '=');
}

void ProsePage::section(const std::string& words) {
  text_ += "\n" + (markdown_ ? "## " + clean(words) + "\n" : underlined(words, '-'));
  if (!markdown_) between_ = false;
}

void ProsePage::paragraph(const std::string& words) { add(wrapped(clean(words))); }

void ProsePage::list(const std::vector<std::string>& items) {
  std::string lines;
  for (const std::string& item : items) lines += wrapped(clean(item), "* ", "  ");
  add(lines);
}

void ProsePage::glossary(const std::vector<std::pair<std::string, std::string>>& words) {
  std::vector<std::string> items;
  items.reserve(words.size());
  for (const auto& [word, meaning] : words) {
    items.push_back(markdown_ ? fmt::format("**{}**: {}", word, meaning) : fmt::format("{}: {}", word, meaning));
  }
  list(items);
}

void ProsePage::table(const TableHead& head, const std::vector<Row>& rows) {
  std::vector<Row> cells = rows;
  for (Row& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = clean(i < head.left ? row[i] : with_separators(row[i]));
  }
  add(markdown_ ? piped(cells) : aligned(cells));
}

/// Typed text, escaped so that it means nothing to Markdown.
std::string ProsePage::typed(const std::string& words) const {
  std::string shown = shown_text(words);
  if (!markdown_) return shown;
  std::string escaped;
  for (const char c : shown) {
    if (std::ispunct(static_cast<unsigned char>(c)) != 0) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void ProsePage::add(const std::string& block) {
  text_ += (between_ ? "\n" : "") + block;
  between_ = true;
}

}  // namespace fractile::report_detail
