#include "requests/csv_text.hpp"

#include <algorithm>

#include "fractile/error.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

bool CsvRecords::take_line_end() {
  if (are_done()) return true;
  const std::string_view rest = text_.substr(at_);
  const std::size_t size = rest.starts_with('\n') ? 1 : rest.starts_with("\r\n") ? 2 : 0;
  at_ += size;
  if (size > 0) ++line_;
  return size > 0;
}

/// Reads a cell from its first quote on. Returns nothing if the closing quote is missing, or is followed by more than the cell's end.
std::optional<std::string> CsvRecords::quoted_cell() {
  std::string cell;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') ++line_;
    if (text_[at_] != '"') {
      cell += text_[at_];
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      cell += text_[++at_];
    } else {
      ++at_;
      const std::string_view rest = text_.substr(at_);
      const bool is_end = rest.empty() || rest.starts_with(',') || rest.starts_with('\n') || rest.starts_with("\r\n");
      return is_end ? std::optional(cell) : std::nullopt;
    }
  }
  return {};
}

std::optional<std::string> CsvRecords::plain_cell() {
  const std::size_t begin = at_;
  for (; at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == '"') return {};
    if (text_.substr(at_).starts_with("\r\n")) break;
  }
  return std::string(text_.substr(begin, at_ - begin));
}

std::optional<std::vector<std::string>> CsvRecords::next() {
  std::vector<std::string> cells;
  for (;;) {
    const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
    std::optional<std::string> cell = is_quoted ? quoted_cell() : plain_cell();
    if (!cell) {
      at_ = text_.size();
      return {};
    }
    cells.push_back(*std::move(cell));
    if (take_line_end()) return cells;
    ++at_;  // skip a comma
  }
}

namespace {

[[noreturn]] void refuse(const std::string& text, const char* why) {
  usage("the list '" + text + "' has " + why,
        "write one comma between two names, and quotes around a name with commas");
}

/// The end of the item with which `text` begins.
std::size_t end_of_item(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') is_quoted = !is_quoted;
    if (text[at] == ',' && !is_quoted) return at;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> names_in(const std::string& text) {
  if (text.find(',') == std::string::npos && !text.starts_with('"')) return {text};
  std::vector<std::string> names;
  std::string_view rest = text;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = end_of_item(rest);
    is_last = end == rest.size();
    const std::string_view item = without_spaces(rest.substr(0, end));
    if (item.empty()) refuse(text, "an empty item");
    CsvRecords record(item);
    std::optional<std::vector<std::string>> cells = record.next();
    if (!cells || cells->size() != 1 || !record.are_done()) refuse(text, "quotes that are not around an item");
    if (cells->front().empty()) refuse(text, "an empty item");
    names.push_back(std::move(cells->front()));
    rest.remove_prefix(is_last ? end : end + 1);
  }
  return names;
}

std::string text_of_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    const bool is_plain = name.find_first_of("\",\r\n") == std::string::npos && without_spaces(name) == name;
    if (is_plain) {
      text += name;
      continue;
    }
    text += '"';
    for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
    text += '"';
  }
  return text;
}

}  // namespace fractile::requests
