#include "source/text/delimited_check.hpp"

#include <algorithm>
#include <utility>

namespace fractile::source_detail {
DelimitedCheck::DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name)
    : shape_(std::move(shape)), line_ends_(line_ends), display_name_(display_name) {}

DelimitedCheck::DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name,
                               LineEnd line_end, CellSink& cells)
    : DelimitedCheck(std::move(shape), line_ends, display_name) {
  line_end_ = line_end;
  header_seen_ = true;
  cells_ = &cells;
}

void DelimitedCheck::refuse(std::uint64_t line, const std::string& what, const Words& hint) const {
  throw Error(ErrorCode::data, display_name_ + ": line " + std::to_string(line) + " " + what, hint);
}

void DelimitedCheck::check_length() const {
  if (length_ > longest_record) {
    refuse(record_line_, "is longer than 2,000,000 bytes", "look for a missing line end or an unclosed quote");
  }
}

void DelimitedCheck::check_cells(std::uint64_t line, std::size_t cells) const {
  if (shape_.columns == 0 || cells == shape_.columns) return;
  const char* const likely =
      cells == shape_.columns + 1
          ? "; a file of R's write.table has no name above its row names: write it with row.names = FALSE"
      : cells > shape_.columns ? "; if the first line is a title and not the header, remove it"
                               : "; remove notes below the table";
  refuse(line, "has more or fewer cells than the header", {"fix the line, or pass ", Field("delimiter"), likely});
}

std::size_t DelimitedCheck::cells_of(std::string_view plain_line) const {
  const std::string& delimiter = shape_.delimiter;
  if (delimiter.size() == 1) {
    return 1 + static_cast<std::size_t>(std::ranges::count(plain_line, delimiter.front()));
  }
  std::size_t cells = 1;
  for (std::size_t at = 0; (at = plain_line.find(delimiter, at)) != std::string_view::npos; at += delimiter.size())
    ++cells;
  return cells;
}

/// Whether all these bytes are outside quotes, on lines that end with LF.
bool DelimitedCheck::is_plain(std::string_view bytes) const {
  const bool outside = place_ != Place::quoted && place_ != Place::quote_seen && place_ != Place::behind_quotes;
  return outside && !carriage_return_ && bytes.find('"') == std::string_view::npos &&
         bytes.find('\r') == std::string_view::npos;
}

/// Reads all bytes up to the last line end, with the effect of see_byte(); returns what follows it.
std::string_view DelimitedCheck::see_plain_lines(std::string_view bytes) {
  while (line_end_ != LineEnd::lf || length_ > 0 || bytes.size() > longest_record) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return bytes;
    for (const char byte : bytes.substr(0, end + 1)) see_byte(byte);
    bytes.remove_prefix(end + 1);
  }
  return see_short_lines(bytes);
}

/// The same when `bytes` begin at the start of a line after the header, and no line in them is too long. Each line is checked as a
/// whole.
std::string_view DelimitedCheck::see_short_lines(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return bytes;
    if (end > 0) check_cells(line_, cells_of(bytes.substr(0, end)));
    if (end > 0 || shape_.has_one_column()) ++records_;
    record_line_ = ++line_;
    bytes.remove_prefix(end + 1);
  }
}

void DelimitedCheck::see(std::string_view bytes) {
  if (is_plain(bytes)) bytes = see_plain_lines(bytes);
  for (const char byte : bytes) see_byte(byte);
  check_length();
}

std::size_t DelimitedCheck::see_record(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    see_byte(bytes[at]);
    if (bytes[at] == '\n' && length_ == 0) return at + 1;
  }
  check_length();
  return bytes.size();
}

void DelimitedCheck::hand_over_cell() {
  if (cells_ == nullptr) return;
  cells_->cell(cell_);
  cell_.clear();
}

void DelimitedCheck::see_byte(char byte) {
  if (place_ == Place::quoted) return see_quoted(byte);
  if (carriage_return_) {
    carriage_return_ = false;
    if (byte == '\n') return end_line(LineEnd::crlf);
    end_line(LineEnd::cr);
  }
  if (byte == '\n') return end_line(LineEnd::lf);
  if (byte == '\r') {
    carriage_return_ = true;
    return;
  }
  ++length_;
  if (place_ == Place::quote_seen || place_ == Place::behind_quotes) return see_after_quote(byte);
  see_bare(byte);
}

void DelimitedCheck::see_quoted(char byte) {
  ++length_;
  if (byte == '"') {
    place_ = Place::quote_seen;
  } else if (cells_ != nullptr) {
    cell_ += byte;
  }
  if (line_ends_ == LineEndsInCells::refused && (byte == '\n' || byte == '\r')) {
    refuse(quote_line_, "has a quoted cell that holds a line end",
           "close the quote; or, if cells may hold line ends, do not declare that records are single lines");
  }
  if (byte != '\n') return;
  ++line_;
  check_length();
}

/// Whether the byte completes the delimiter; then the next one begins a cell.
bool DelimitedCheck::ends_cell(char byte) {
  const std::string& delimiter = shape_.delimiter;
  if (tail_.size() == delimiter.size()) tail_.erase(0, 1);
  tail_ += byte;
  if (tail_ != delimiter) return false;
  tail_.clear();
  place_ = Place::cell_start;
  ++delimiters_;
  return true;
}

void DelimitedCheck::see_after_quote(char byte) {
  if (byte == '"' && place_ == Place::quote_seen && tail_.empty()) {  // a doubled quote
    place_ = Place::quoted;
    if (cells_ != nullptr) cell_ += byte;
    return;
  }
  if (ends_cell(byte)) return hand_over_cell();
  if (shape_.delimiter.starts_with(tail_)) return;                   // the delimiter's first bytes
  if (byte != ' ' || tail_.size() > 1) refuse_text_behind_quotes();  // also after part of a delimiter
  tail_.clear();
  place_ = Place::behind_quotes;
}

void DelimitedCheck::see_bare(char byte) {
  if (byte == '"' && (place_ == Place::cell_start || place_ == Place::blank)) {
    place_ = Place::quoted;
    quote_line_ = line_;
    tail_.clear();
    cell_.clear();  // drops the blank before the quote
    return;
  }
  if (byte == '"' && place_ == Place::blanks) {
    refuse(line_, "has a quoted cell after several blanks", "remove the blanks, or the quotes");
  }
  if (cells_ != nullptr) cell_ += byte;
  if (ends_cell(byte)) {
    if (cells_ != nullptr) cell_.resize(cell_.size() - shape_.delimiter.size());
    return hand_over_cell();
  }
  const bool still_blank = byte == ' ' && place_ != Place::bare;
  const Place blank = place_ == Place::cell_start ? Place::blank : Place::blanks;
  place_ = still_blank ? blank : Place::bare;
}

void DelimitedCheck::refuse_text_behind_quotes() const {
  refuse(line_, "has text after a quoted cell", "quotes inside quoted cells must be doubled");
}

/// At the end of a line, an incomplete delimiter after a quoted cell is text, and refused.
void DelimitedCheck::check_behind_quotes() const {
  if ((place_ == Place::quote_seen || place_ == Place::behind_quotes) && !tail_.empty()) refuse_text_behind_quotes();
}

void DelimitedCheck::end_record() {
  if (length_ > 0) check_cells(record_line_, delimiters_ + 1);
  if (length_ == 0 && !shape_.has_one_column()) return;
  ++records_;
  hand_over_cell();
  if (cells_ != nullptr) cells_->end_record();
}

void DelimitedCheck::end_line(LineEnd end) {
  check_length();
  check_behind_quotes();
  if (!header_seen_) {
    header_seen_ = true;
    line_end_ = end;
  } else {
    if (end != line_end_) {
      refuse(line_, "does not end as the header line does (LF, CR LF or CR)",
             "end all lines in the same way, e.g. with dos2unix");
    }
    end_record();
  }
  record_line_ = ++line_;
  length_ = delimiters_ = 0;
  place_ = Place::cell_start;
  tail_.clear();
}

std::uint64_t DelimitedCheck::finish() {
  if (place_ == Place::quoted) {
    refuse(quote_line_, "has a quoted cell without its end", "quotes inside quoted cells must be doubled");
  }
  if (carriage_return_) {
    carriage_return_ = false;
    end_line(LineEnd::cr);
  }
  check_length();
  check_behind_quotes();
  if (header_seen_ && length_ > 0) end_record();
  return records_;
}

}  // namespace fractile::source_detail
