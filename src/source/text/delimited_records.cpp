#include "source/text/delimited_records.hpp"

#include <algorithm>
#include <cstring>

#include "source/engine/streamed_table.hpp"
#include "source/text/header_line.hpp"

namespace fractile::source_detail {
namespace {

bool is_ascii(std::string_view text) {
  constexpr std::uint64_t high = 0x8080808080808080;
  std::uint64_t any = 0;
  std::size_t at = 0;
  for (; at + sizeof any <= text.size(); at += sizeof any) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    any |= eight;
  }
  for (; at < text.size(); ++at) any |= static_cast<unsigned char>(text[at]);
  return (any & high) == 0;
}

/// Copies at most 12 bytes, in a few moves.
void copy_short(std::string_view text, char* to) {
  const std::size_t size = text.size();
  const auto move = [&](auto part) {  // moves the first bytes and the last bytes
    std::memcpy(&part, text.data(), sizeof part);
    std::memcpy(to, &part, sizeof part);
    std::memcpy(&part, text.data() + size - sizeof part, sizeof part);
    std::memcpy(to + size - sizeof part, &part, sizeof part);
  };
  if (size >= 8) return move(std::uint64_t{0});
  if (size >= 4) return move(std::uint32_t{0});
  if (size >= 2) return move(std::uint16_t{0});
  if (size == 1) *to = text.front();
}

}  // namespace

EngineText engine_text(std::string_view text) {
  EngineText cell{static_cast<std::uint32_t>(text.size()), {}, nullptr};
  if (text.size() > EngineText::longest_inside) {
    std::memcpy(cell.prefix, text.data(), sizeof cell.prefix);
    cell.bytes = text.data();
  } else {
    copy_short(text, reinterpret_cast<char*>(&cell) + offsetof(EngineText, prefix));
  }
  return cell;
}

DelimitedRecords::DelimitedRecords(const DelimitedShape& shape, LineEndsInCells line_ends, LineEnd line_end,
                                   const std::string& display_name, const std::vector<std::size_t>& wanted)
    : shape_(shape),
      line_ends_(line_ends),
      line_end_(line_end),
      display_name_(display_name),
      places_(shape.columns, unwanted),
      columns_(wanted.size()) {
  for (std::size_t k = 0; k < wanted.size(); ++k) places_.at(wanted[k]) = k;
  for (const char byte : {'\r', '\n', shape.delimiter.front()}) ends_cell_[static_cast<unsigned char>(byte)] = true;
}

void DelimitedRecords::begin(std::string_view records, std::uint64_t line) {
  records_ = records;
  line_ = line;
  at_ = 0;
  is_ascii_ = is_ascii(records);
}

void DelimitedRecords::clear() {
  rows_ = 0;
  own_texts_.clear();
  for (Column& column : columns_) {
    column.cells.clear();
    column.validity.clear();
  }
}

std::size_t DelimitedRecords::next(std::size_t most) {
  clear();
  while (rows_ < most && at_ < records_.size()) {
    if (!read_plain()) read_by_grammar();
  }
  return rows_;
}

ColumnView DelimitedRecords::column(std::size_t place, std::size_t from, std::size_t rows) const {
  const Column& column = columns_[place];
  return {column.cells.data() + from, column.validity.data() + from / word, rows};
}

void DelimitedRecords::require_utf8(std::string_view text) const {
  if (is_utf8(text)) return;
  const std::string_view before = records_.substr(0, at_);
  const auto lines = std::ranges::count(before, line_end_ == LineEnd::cr ? '\r' : '\n');
  throw NotUtf8{line_ + static_cast<std::uint64_t>(lines)};
}

/// `is_kept`: whether the text stays valid as long as the records that are read.
void DelimitedRecords::add_wanted(std::size_t place, std::string_view text, bool is_kept) {
  if (!is_ascii_) require_utf8(text);
  Column& column = columns_[place];
  if (rows_ % word == 0) column.validity.push_back(0);
  column.validity.back() |= std::uint64_t{!text.empty()} << (rows_ % word);
  if (!is_kept && text.size() > EngineText::longest_inside) text = own_texts_.emplace_back(text);
  column.cells.push_back(engine_text(text));
}

void DelimitedRecords::cell(std::string_view text) { add_cell(text, false); }

void DelimitedRecords::end_record() {
  ++rows_;
  cells_ = 0;
}

/// Whether a line ends at this place, with the common line end. No line ends at the end of the records.
bool DelimitedRecords::is_line_end(std::size_t at) const {
  if (at >= records_.size()) return false;
  switch (line_end_) {
    case LineEnd::lf:
      return records_[at] == '\n';
    case LineEnd::crlf:
      return records_[at] == '\r' && at + 1 < records_.size() && records_[at + 1] == '\n';
    default:
      return records_[at] == '\r' && (at + 1 == records_.size() || records_[at + 1] != '\n');
  }
}

/// The end of the quoted cell that begins at this place: after its closing quote. npos unless a delimiter or a line end follows
/// immediately.
std::size_t DelimitedRecords::end_of_quoted(std::size_t at) {
  const std::size_t begin = at + 1;
  bool has_doubled = false;
  std::size_t close = begin;
  for (;;) {
    close = records_.find('"', close);
    if (close == std::string_view::npos) return close;
    if (close + 1 == records_.size() || records_[close + 1] != '"') break;
    has_doubled = true;
    close += 2;
  }
  const bool ends_here =
      close + 1 < records_.size() && (records_[close + 1] == shape_.delimiter.front() || is_line_end(close + 1));
  if (!ends_here) return std::string_view::npos;
  const std::string_view text = records_.substr(begin, close - begin);
  if (line_ends_ == LineEndsInCells::refused && text.find_first_of("\r\n") != std::string_view::npos)
    return std::string_view::npos;
  if (!has_doubled) {
    add_cell(text, true);
    return close + 1;
  }
  std::string own;
  for (std::size_t k = 0; k < text.size(); ++k) {
    own += text[k];
    if (text[k] == '"') ++k;
  }
  add_cell(own, false);
  return close + 1;
}

/// Reads the record if it is plain; otherwise changes nothing and returns false.
bool DelimitedRecords::read_plain() {
  if (shape_.delimiter.size() != 1) return false;
  const char delimiter = shape_.delimiter.front();
  const std::size_t line_end_size = line_end_ == LineEnd::crlf ? 2 : 1;
  std::size_t at = at_;
  if (is_line_end(at)) {
    if (shape_.has_one_column()) {
      add_cell({}, true);
      end_record();
    }
    at_ = at + line_end_size;
    return true;
  }
  for (;;) {
    const std::size_t begin = at;
    const char first = at < records_.size() ? records_[at] : '\n';
    if (first == '"') {
      at = end_of_quoted(at);
      if (at == std::string_view::npos) break;
    } else {
      if (first == ' ' && delimiter != ' ') {
        const std::size_t bare = records_.find_first_not_of(' ', at);
        if (bare != std::string_view::npos && records_[bare] == '"') break;
      }
      while (at < records_.size() && !ends_cell_[static_cast<unsigned char>(records_[at])]) ++at;
      if (at == records_.size()) break;
      add_cell(records_.substr(begin, at - begin), true);
    }
    if (records_[at] == delimiter) {
      ++at;
      continue;
    }
    const bool is_whole = is_line_end(at) && cells_ == shape_.columns && at - at_ <= longest_record;
    if (!is_whole) break;
    end_record();
    at_ = at + line_end_size;
    return true;
  }
  take_back();
  return false;
}

/// Drops the cells of a record that has not ended.
void DelimitedRecords::take_back() {
  cells_ = 0;
  for (Column& column : columns_) {
    if (column.cells.size() == rows_) continue;
    column.cells.pop_back();
    if (rows_ % word == 0) {
      column.validity.pop_back();
    } else {
      column.validity.back() &= ~(std::uint64_t{1} << (rows_ % word));
    }
  }
}

/// Reads the record with DelimitedCheck; if lines end with CR, reads all remaining records.
void DelimitedRecords::read_by_grammar() {
  DelimitedCheck check(shape_, line_ends_, display_name_, line_end_, *this);
  at_ += check.see_record(records_.substr(at_));
  if (at_ == records_.size()) check.finish();
}

}  // namespace fractile::source_detail
