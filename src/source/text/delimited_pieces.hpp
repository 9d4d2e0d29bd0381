// Delimited text, cut between records: every piece can be read by itself, as what stands between two records is the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// Behind the last record in `text` whose end is seen there; 0 when none is. `text` begins with a record and goes on; whatever DelimitedCheck
/// refuses in it may end anywhere.
std::size_t end_of_records(std::string_view text, const std::string& delimiter, LineEnd line_end);

/// Whole records, one behind the other, without the header line.
struct DelimitedPiece {
  std::string text;
  std::uint64_t line =
      0;  ///< at which it begins, where no quoted cell of text that ends its lines in CR holds a line end
};

/// Thread-safety: next() from any thread.
class DelimitedPieces {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 20;

  /// `more` gives the text, some bytes at a time, and none at its end. Reads the header line; throws as DelimitedCheck does for it, and as
  /// `more` does. How much text a piece has: `size`, in bytes.
  DelimitedPieces(std::function<std::string_view()> more, const DelimitedShape& shape, LineEndsInCells line_ends,
                  const std::string& display_name, std::size_t size = usual_size);

  LineEnd line_end() const { return line_end_; }
  /// The next records, of which there are `size` bytes unless they are longer or the last ones; false behind those. Where a record above
  /// longest_record is too long to be cut, the piece begins with it. Throws as `more`; after that there are no others.
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
  std::string rest_;  // what was read and not handed over: it begins with a record
  bool has_ended_ = false;
  std::uint64_t line_ = 2;
};

}  // namespace fractile::source_detail
