#include "source/files/delimited_check.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

struct LineCounts {
  std::uint64_t all = 0;
  std::uint64_t blank = 0;
};

/// Of text that begins and ends with a line, where lines end in LF.
LineCounts counts_of(std::string_view lines) {
  constexpr std::size_t most_at_once = 255;  // as far as a byte counts: bytes are added up many at once
  if (lines.empty()) return {};
  LineCounts counts;
  counts.all = counts.blank = lines.front() == '\n' ? 1 : 0;
  for (std::size_t at = 1; at < lines.size(); at += most_at_once) {
    const std::size_t end = std::min(at + most_at_once, lines.size());
    std::uint8_t all = 0;
    std::uint8_t blank = 0;
    for (std::size_t i = at; i < end; ++i) {
      const bool ends = lines[i] == '\n';
      const bool begins = lines[i - 1] == '\n';
      all = static_cast<std::uint8_t>(all + ends);
      blank = static_cast<std::uint8_t>(blank + (ends & begins));
    }
    counts.all += all;
    counts.blank += blank;
  }
  return counts;
}

}  // namespace

DelimitedCheck::DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name)
    : shape_(std::move(shape)), line_ends_(line_ends), display_name_(display_name) {}

void DelimitedCheck::refuse(std::uint64_t line, const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::data, display_name_ + ": line " + std::to_string(line) + " " + what, hint);
}

void DelimitedCheck::check_length() const {
  if (length_ > longest_record) {
    refuse(record_line_, "is longer than 2,000,000 bytes", "look for a missing line end or an unclosed quote");
  }
}

/// Whether all these bytes stand outside quotes, on lines that end in LF.
bool DelimitedCheck::is_plain(std::string_view bytes) const {
  const bool outside = place_ != Place::quoted && place_ != Place::quote_seen && place_ != Place::behind_quotes;
  return outside && !carriage_return_ && bytes.find('"') == std::string_view::npos &&
         bytes.find('\r') == std::string_view::npos;
}

/// As see_byte() for all bytes up to the last line end; returns what follows it.
std::string_view DelimitedCheck::see_plain_lines(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return bytes;
    length_ += end;
    end_line(LineEnd::lf);
    bytes.remove_prefix(end + 1);
    if (line_end_ == LineEnd::lf && bytes.size() <= longest_record) return see_short_lines(bytes);
  }
}

/// The same from the beginning of a line behind the header, where no line is too long.
std::string_view DelimitedCheck::see_short_lines(std::string_view bytes) {
  const std::string_view lines = bytes.substr(0, bytes.rfind('\n') + 1);
  const LineCounts counts = counts_of(lines);
  line_ += counts.all;
  record_line_ = line_;
  records_ += shape_.has_one_column ? counts.all : counts.all - counts.blank;
  bytes.remove_prefix(lines.size());
  return bytes;
}

void DelimitedCheck::see(std::string_view bytes) {
  if (is_plain(bytes)) bytes = see_plain_lines(bytes);
  for (const char byte : bytes) see_byte(byte);
  check_length();
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
  if (byte == '"') place_ = Place::quote_seen;
  if (line_ends_ == LineEndsInCells::refused && (byte == '\n' || byte == '\r')) {
    refuse(quote_line_, "has a quoted cell that holds a line end",
           "close the quote; or, if cells may hold line ends, do not declare that records stand on single lines");
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
  return true;
}

void DelimitedCheck::see_after_quote(char byte) {
  if (byte == '"' && place_ == Place::quote_seen && tail_.empty()) {  // doubled
    place_ = Place::quoted;
    return;
  }
  if (ends_cell(byte)) return;
  if (shape_.delimiter.starts_with(tail_)) return;  // the delimiter's first bytes
  if (byte != ' ') {
    refuse(line_, "has text behind a quoted cell", "quotes inside quoted cells must be doubled");
  }
  tail_.clear();
  place_ = Place::behind_quotes;
}

void DelimitedCheck::see_bare(char byte) {
  if (byte == '"' && (place_ == Place::cell_start || place_ == Place::blank)) {
    place_ = Place::quoted;
    quote_line_ = line_;
    tail_.clear();
    return;
  }
  if (byte == '"' && place_ == Place::blanks) {
    refuse(line_, "has a quoted cell behind several blanks", "remove the blanks, or the quotes");
  }
  if (ends_cell(byte)) return;
  const bool still_blank = byte == ' ' && place_ != Place::bare;
  const Place blank = place_ == Place::cell_start ? Place::blank : Place::blanks;
  place_ = still_blank ? blank : Place::bare;
}

void DelimitedCheck::end_line(LineEnd end) {
  check_length();
  if (!header_seen_) {
    header_seen_ = true;
    line_end_ = end;
  } else {
    if (end != line_end_) {
      refuse(line_, "does not end as the header line does (LF, CR LF or CR)",
             "end all lines in the same way, e.g. with dos2unix");
    }
    if (length_ > 0 || shape_.has_one_column) ++records_;
  }
  record_line_ = ++line_;
  length_ = 0;
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
  return records_ + (header_seen_ && length_ > 0 ? 1 : 0);
}

}  // namespace fractile::source_detail
