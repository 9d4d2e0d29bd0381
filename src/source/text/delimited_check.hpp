// Checks delimited text against RFC 4180 before the engine reads it. The engine silently accepts a quote that is never closed, a
// line above its limit, and records lost between its buffers. Here each of these is an error, or shows in the number of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"

namespace fractile::source_detail {

inline constexpr std::size_t longest_record = 2'000'000;  // bytes without the line end; the engine has the same limit

/// What the header line determines about the records after it.
struct DelimitedShape {
  std::string delimiter;
  /// The number of cells of each record; 0: any number. With one column, a blank line is a record with an empty cell.
  std::size_t columns;

  bool has_one_column() const { return columns == 1; }
};

/// Whether a quoted cell may hold a line end.
enum class LineEndsInCells { allowed, refused };

/// How all lines end: like the header line.
enum class LineEnd { none, lf, crlf, cr };

/// Receives the cells of records.
class CellSink : Uncopied {
 public:
  virtual ~CellSink() = default;
  /// The record's next cell, without its quotes.
  virtual void cell(std::string_view text) = 0;
  virtual void end_record() = 0;
};

/// Reads the text piece by piece. A quote at the beginning of a cell, or after one blank there, opens a quoted cell. A quote that
/// is not doubled closes it; after that quote, there may only be blanks up to a delimiter or the end of the line. Elsewhere, a
/// quote is an ordinary byte. All lines must end as the header line does: with LF, CR LF or CR. Records must have as many cells as
/// the header; the engine alone would ignore further empty cells.
class DelimitedCheck {
 public:
  DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name);
  /// Begins at a line after the header, whose line end is given. `cells` must outlive this object.
  DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name, LineEnd line_end,
                 CellSink& cells);

  /// Throws `data`, with the line, for a record that is longer or has more or fewer cells, another line end, text after a quoted
  /// cell, a quote after several blanks, and a line end in a quoted cell if these are refused.
  void see(std::string_view bytes);
  /// The same up to the end of the record, after LF or CR LF, if it is in `bytes`. Returns the number of bytes read.
  std::size_t see_record(std::string_view bytes);
  /// To be called at the end of the text. Returns the number of records, without the header. Throws `data` for a quote that is
  /// never closed, with its line, and as see() does.
  std::uint64_t finish();

 private:
  enum class Place { cell_start, blank, blanks, bare, quoted, quote_seen, behind_quotes };

  bool is_plain(std::string_view bytes) const;
  std::string_view see_plain_lines(std::string_view bytes);
  std::string_view see_short_lines(std::string_view bytes);
  void see_byte(char byte);
  void see_quoted(char byte);
  void see_after_quote(char byte);
  void see_bare(char byte);
  void end_line(LineEnd end);
  void end_record();
  [[noreturn]] void refuse_text_behind_quotes() const;
  void check_behind_quotes() const;
  void check_length() const;
  void check_cells(std::uint64_t line, std::size_t cells) const;
  std::size_t cells_of(std::string_view plain_line) const;
  bool ends_cell(char byte);
  void hand_over_cell();
  [[noreturn]] void refuse(std::uint64_t line, const std::string& what, const Words& hint) const;

  DelimitedShape shape_;
  LineEndsInCells line_ends_;
  const std::string& display_name_;
  Place place_ = Place::cell_start;
  LineEnd line_end_ = LineEnd::none;  // of the header line
  bool carriage_return_ = false;      // whether the byte before was CR, outside quotes
  std::string tail_;                  // the last bytes of the cell, at most as many as the delimiter has
  std::size_t length_ = 0;            // of the record so far
  std::size_t delimiters_ = 0;        // in the record so far
  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 1;  // where the record begins
  std::uint64_t quote_line_ = 1;   // where the quote was opened
  std::uint64_t records_ = 0;
  bool header_seen_ = false;
  CellSink* cells_ = nullptr;  // null unless cells are read
  std::string cell_;           // the current cell so far, for cells_
};

}  // namespace fractile::source_detail
