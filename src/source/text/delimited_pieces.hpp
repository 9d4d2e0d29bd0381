// Cuts delimited text between records. Every piece can be read by itself, since the state between two records is always the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// The end of the last record in `text` whose end is in it; 0 when there is none. `text` begins with a record and continues beyond
/// its end. Records that DelimitedCheck refuses may be cut anywhere.
std::size_t end_of_records(std::string_view text, const std::string& delimiter, LineEnd line_end);

/// Whole records, one after the other, without the header line.
struct DelimitedPiece {
  std::string text;
  std::uint64_t line =
      0;  ///< The number of its first line; exact unless lines end with CR and a quoted cell holds a line end.
};

/// Thread-safety: next() may be called from any thread.
class DelimitedPieces {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 20;

  /// `more` returns the next bytes of the text, and none at its end. Reads the header line; throws as DelimitedCheck does for it,
  /// and as `more` does. `size`: the size of a piece in bytes.
  DelimitedPieces(std::function<std::string_view()> more, const DelimitedShape& shape, LineEndsInCells line_ends,
                  const std::string& display_name, std::size_t size = usual_size);

  LineEnd line_end() const { return line_end_; }
  /// The next records, `size` bytes unless a record is longer or they are the last; false after the last ones. A record beyond
  /// longest_record, which is too long to be cut, begins a piece. Throws as `more` does; then there are no further pieces.
  bool next(DelimitedPiece& piece);

 private:
  bool append_to(std::string& text);
  std::size_t fill(std::string& text);
  std::size_t end_of_header();

  std::mutex mutex_;
  std::function<std::string_view()> more_;
  std::string delimiter_;
  std::size_t size_;
  LineEnd line_end_ = LineEnd::none;
  std::string rest_;  // what was read and not returned yet; it begins with a record
  bool has_ended_ = false;
  std::uint64_t line_ = 2;
};

}  // namespace fractile::source_detail
