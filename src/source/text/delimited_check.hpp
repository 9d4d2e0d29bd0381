// Delimited text as RFC 4180 has it, looked through before the engine reads it. The engine passes over a quote that is never
// closed, a line above its limit and records lost between its buffers in silence; here each of them is an error, or shows in
// the number of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fractile/error.hpp"

namespace fractile::source_detail {

inline constexpr std::size_t longest_record = 2'000'000;  // bytes without its line end, the engine's own limit

/// What the header line says of the records behind it.
struct DelimitedShape {
  std::string delimiter;
  std::size_t
      columns;  ///< cells of each record; 0: of any number. With one, a blank line is a record with an empty cell.

  bool has_one_column() const { return columns == 1; }
};

/// Whether a quoted cell may hold a line end.
enum class LineEndsInCells { allowed, refused };

/// How all lines end, as the header line does.
enum class LineEnd { none, lf, crlf, cr };

/// Takes what records hold.
class CellSink {
 public:
  CellSink() = default;
  CellSink(const CellSink&) = delete;
  CellSink& operator=(const CellSink&) = delete;
  virtual ~CellSink() = default;
  /// The record's next cell, without its quotes.
  virtual void cell(std::string_view text) = 0;
  virtual void end_record() = 0;
};

/// Takes the text piece by piece. A quote opens a quoted cell at the beginning of a cell, or behind one blank there; it is
/// closed by a quote that is not doubled, behind which stand only blanks, a delimiter or the end of the line. Elsewhere a quote is
/// a byte like others. All lines must end as the header line does: LF, CR LF or CR. Records have as many cells as the header; the
/// engine alone would pass over empty ones behind them.
class DelimitedCheck {
 public:
  DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name);
  /// From the beginning of a line behind the header, which ended so. `cells` outlives this.
  DelimitedCheck(DelimitedShape shape, LineEndsInCells line_ends, const std::string& display_name, LineEnd line_end,
                 CellSink& cells);

  /// Throws `data`, with the line: for a longer record, one of more or fewer cells, another line end, text behind a quoted cell, a quote
  /// behind several blanks, or a line end in a quoted cell where those are refused.
  void see(std::string_view bytes);
  /// The same up to the end of the record, if it is seen: behind LF or CR LF. How many bytes that were.
  std::size_t see_record(std::string_view bytes);
  /// At the end of the text. Returns the number of records, without the header. Throws `data` for a quote that is never closed, with its
  /// line, and as see() does.
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
  bool carriage_return_ = false;      // was the byte before, outside quotes
  std::string tail_;                  // of the cell: as many bytes as the delimiter has, at most
  std::size_t length_ = 0;            // of the record so far
  std::size_t delimiters_ = 0;        // in the record so far
  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 1;  // where the record begins
  std::uint64_t quote_line_ = 1;   // where the quote was opened
  std::uint64_t records_ = 0;
  bool header_seen_ = false;
  CellSink* cells_ = nullptr;  // of a reader
  std::string cell_;           // for it, so far
};

}  // namespace fractile::source_detail
