#include "source/text/header_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "fractile/error.hpp"

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

/// The end of the cell that begins at `begin`: the next delimiter outside quotes, or the end of the line.
std::size_t cell_end(std::string_view line, std::size_t begin, std::string_view delimiter, bool& inside_quotes) {
  inside_quotes = false;
  for (std::size_t at = begin; at < line.size(); ++at) {
    if (line[at] == '"') inside_quotes = !inside_quotes;
    if (!inside_quotes && line.substr(at).starts_with(delimiter)) return at;
  }
  return line.size();
}

std::string unquote(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string name;
  for (std::size_t at = 1; at + 1 < cell.size(); ++at) {
    name += cell[at];
    if (cell[at] == '"' && cell[at + 1] == '"' && at + 2 < cell.size()) ++at;  // a doubled quote means one
  }
  return name;
}

std::vector<std::string> split(std::string_view header, std::string_view delimiter, const std::string& source) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0;;) {
    bool unclosed = false;
    const std::size_t end = cell_end(header, begin, delimiter, unclosed);
    if (unclosed) {
      throw Error(ErrorCode::data,
                  source + ": the header line has a quote without its end, or a column name that holds a line end",
                  "write each column name on one line, with quotes inside it doubled");
    }
    cells.push_back(unquote(header.substr(begin, end - begin)));
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
  if (std::ranges::all_of(names, is_number)) {
    throw Error(ErrorCode::data, source + ": the first line holds numbers, not column names", "add a header line");
  }
  const std::vector<std::string> spelled = names;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!spelled[k].empty()) continue;
    names[k] = "column" + std::to_string(k);
    while (std::ranges::find(spelled, names[k]) != spelled.end()) names[k] += '_';
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
