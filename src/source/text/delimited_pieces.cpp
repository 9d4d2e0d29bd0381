#include "source/text/delimited_pieces.hpp"

#include <algorithm>
#include <utility>

namespace fractile::source_detail {
namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// The place after the last line end in text without quoted cells. (If lines end with CR, a LF after it is refused on both sides of
/// a cut.)
std::size_t end_of_lines(std::string_view text, LineEnd line_end) {
  return text.rfind(line_end == LineEnd::cr ? '\r' : '\n') + 1;
}

/// Whether a quote at this place opens a cell, in text whose delimiter is one byte.
bool opens_cell(std::string_view text, std::size_t quote, char delimiter) {
  const auto begins_cell = [&](std::size_t at) {
    return at == 0 || text[at - 1] == delimiter || text[at - 1] == '\n' || text[at - 1] == '\r';
  };
  return begins_cell(quote) || (text[quote - 1] == ' ' && begins_cell(quote - 1));
}

/// The place after the quote that closes the cell, or the end of the text.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  for (;;) {
    const std::size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) return text.size();
    if (quote + 1 == text.size() || text[quote + 1] != '"') return quote + 1;
    at = quote + 2;
  }
}

std::size_t end_by_quotes(std::string_view text, char delimiter, LineEnd line_end) {
  std::size_t end = 0;
  std::size_t bare = 0;  // where the text outside quoted cells begins
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    if (quote < text.size() && !opens_cell(text, quote, delimiter)) {
      at = quote + 1;
      continue;
    }
    if (const std::size_t found = end_of_lines(text.substr(bare, quote - bare), line_end); found > 0)
      end = bare + found;
    if (quote == text.size()) break;
    at = bare = end_of_quoted(text, quote + 1);
  }
  return end;
}

/// The same byte by byte.
std::size_t end_by_grammar(std::string_view text, const std::string& delimiter, LineEnd line_end) {
  struct : CellSink {
    void cell(std::string_view /*text*/) override {}
    void end_record() override { ++records; }
    std::size_t records = 0;
  } seen;
  const std::string no_name;  // its errors are not shown
  DelimitedCheck check({delimiter, 0}, LineEndsInCells::allowed, no_name, line_end, seen);
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t before = seen.records;
    check.see_record(text.substr(at, 1));
    if (seen.records > before)
      end = line_end == LineEnd::cr ? at : at + 1;  // a CR ends a line only when the next byte is seen
  }
  return end;
}

}  // namespace

std::size_t end_of_records(std::string_view text, const std::string& delimiter, LineEnd line_end) {
  if (text.find('"') == std::string_view::npos) return end_of_lines(text, line_end);
  if (delimiter.size() == 1) return end_by_quotes(text, delimiter.front(), line_end);
  return end_by_grammar(text, delimiter, line_end);
}

DelimitedPieces::DelimitedPieces(std::function<std::string_view()> more, const DelimitedShape& shape,
                                 LineEndsInCells line_ends, const std::string& display_name, std::size_t size)
    : more_(std::move(more)), delimiter_(shape.delimiter), size_(std::max<std::size_t>(size, 1)) {
  append_to(rest_);
  if (rest_.starts_with(utf8_mark)) rest_.erase(0, utf8_mark.size());
  const std::size_t end = end_of_header();
  DelimitedCheck check(shape, line_ends, display_name);
  check.see(std::string_view(rest_).substr(0, end));
  check.finish();
  rest_.erase(0, end);
}

/// The place after the end of the header line; sets the kind of line ends.
std::size_t DelimitedPieces::end_of_header() {
  for (;;) {
    const std::size_t end = rest_.find_first_of("\r\n");
    if (end == std::string::npos || end + 1 == rest_.size()) {
      const bool is_seen = end != std::string::npos && rest_[end] == '\n';
      if (!is_seen && append_to(rest_)) continue;
    }
    if (end == std::string::npos) return rest_.size();
    if (rest_[end] == '\n') {
      line_end_ = LineEnd::lf;
      return end + 1;
    }
    line_end_ = rest_.substr(end, 2) == "\r\n" ? LineEnd::crlf : LineEnd::cr;
    return end + (line_end_ == LineEnd::cr ? 1 : 2);
  }
}

/// Appends more text; returns whether there was any.
bool DelimitedPieces::append_to(std::string& text) {
  const std::string_view more = more_();
  text += more;
  has_ended_ = more.empty();
  return !has_ended_;
}

/// Fills `text` with records and returns their end; further bytes that were read follow after it.
std::size_t DelimitedPieces::fill(std::string& text) {
  for (std::size_t seen = size_;; seen += std::max(size_, seen)) {
    while (!has_ended_ && text.size() < seen) append_to(text);
    if (text.size() <= seen && has_ended_) return text.size();
    if (const std::size_t end = end_of_records(std::string_view(text).substr(0, seen), delimiter_, line_end_); end > 0)
      return end;
    if (seen > longest_record + size_ + 2) return text.size();  // a record of this length is refused
  }
}

bool DelimitedPieces::next(DelimitedPiece& piece) {
  const std::lock_guard lock(mutex_);
  std::swap(piece.text, rest_);
  rest_.clear();
  try {
    const std::size_t end = fill(piece.text);
    rest_.assign(piece.text, end);
    piece.text.resize(end);
  } catch (...) {
    has_ended_ = true;
    throw;
  }
  piece.line = line_;
  line_ += static_cast<std::uint64_t>(std::ranges::count(piece.text, line_end_ == LineEnd::cr ? '\r' : '\n'));
  return !piece.text.empty();
}

}  // namespace fractile::source_detail
