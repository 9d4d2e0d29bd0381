#include "source/text/header_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "fractile/error.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && (status == std::errc() || status == std::errc::result_out_of_range);
}

/// The place of the quote that opens the cell which begins at `begin`: there, or after one blank. npos if it is not quoted.
std::size_t opening_quote(std::string_view line, std::size_t begin, std::string_view delimiter) {
  const bool has_blank = delimiter != " " && line.substr(begin).starts_with(' ');
  const std::size_t first = begin + (has_blank ? 1 : 0);
  return first < line.size() && line[first] == '"' ? first : std::string_view::npos;
}

struct NameCell {
  std::string name;
  std::size_t behind;  // the place after the name and its quotes
};

/// The quoted cell whose quote is at this place; nothing if it is not closed.
std::optional<NameCell> quoted_cell(std::string_view line, std::size_t quote) {
  NameCell cell;
  for (std::size_t at = quote + 1;; ++at) {
    const std::size_t next = line.find('"', at);
    if (next == std::string_view::npos) return std::nullopt;
    cell.name += line.substr(at, next - at);
    at = next + 1;
    cell.behind = at;
    if (at == line.size() || line[at] != '"') return cell;
    cell.name += '"';
  }
}

/// The names by the grammar of records, which DelimitedCheck has.
std::vector<std::string> split(std::string_view header, std::string_view delimiter, const std::string& source) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t quote = opening_quote(header, begin, delimiter);
    std::optional<NameCell> quoted;
    if (quote != std::string_view::npos) {
      quoted = quoted_cell(header, quote);
      if (!quoted) {
        throw Error(ErrorCode::data,
                    source + ": the header line has a quote without its end, or a column name that holds a line end",
                    "write each column name on one line, with quotes inside it doubled");
      }
    }
    const std::size_t end = std::min(header.find(delimiter, quoted ? quoted->behind : begin), header.size());
    cells.push_back(quoted ? quoted->name : std::string(trim(header.substr(begin, end - begin))));
    if (end == header.size()) return cells;
    begin = end + delimiter.size();
  }
}

std::size_t count_outside_quotes(std::string_view header, char delimiter) {
  bool inside = false;
  std::size_t count = 0;
  for (const char c : header) {
    if (c == '"') inside = !inside;
    if (c == delimiter && !inside) ++count;
  }
  return count;
}

/// The length of a UTF-8 sequence, by its first byte; 0 for a byte that begins no sequence.
std::size_t sequence_length(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

std::string_view first_line_of(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(0, text.find_first_of("\r\n"));
}

std::string delimiter_of(std::string_view header) {
  constexpr std::array<char, 4> candidates{',', '\t', ';', '|'};
  const auto* best =
      std::ranges::max_element(candidates, {}, [&](char candidate) { return count_outside_quotes(header, candidate); });
  return std::string(1, *best);
}

std::vector<std::string> column_names(std::string_view header, std::string_view delimiter, const std::string& source) {
  if (!is_utf8(header) || header.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::data, source + " is not UTF-8 text",
                {"say what it is: ", Field("encoding").text("latin1"),
                 ", windows-1252 or utf-16, or convert it, e.g. with iconv -t UTF-8"});
  }
  if (trim(header).empty()) {
    throw Error(ErrorCode::data, source + ": the first line is blank; it must hold the column names",
                "add a header line");
  }
  std::vector<std::string> names = split(header, delimiter, source);
  DelimitedCheck check({std::string(delimiter), 0}, LineEndsInCells::allowed, source);
  check.see(header);
  check.finish();
  if (std::ranges::all_of(names, is_number)) {
    throw Error(ErrorCode::data, source + ": the first line holds numbers, not column names", "add a header line");
  }
  const std::set<std::string> spelled(names.begin(), names.end());
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].empty()) continue;
    names[k] = "column" + std::to_string(k);
    while (spelled.contains(names[k])) names[k] += '_';
  }
  return names;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[k]); };
    const std::size_t length = sequence_length(byte(at));
    if (length == 0 || at + length > text.size()) return false;
    for (std::size_t k = at + 1; k < at + length; ++k) {
      if ((byte(k) & 0xC0) != 0x80) return false;
    }
    if (length > 2) {  // overlong forms, surrogates, beyond U+10FFFF
      const std::uint8_t lead = byte(at);
      const std::uint8_t second = byte(at + 1);
      if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return false;
      if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return false;
    }
    at += length;
  }
  return true;
}

}  // namespace fractile::source_detail
