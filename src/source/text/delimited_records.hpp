// The cells of delimited text, for the wanted columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "source/engine/column_view.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

/// A text in the engine's layout. Long texts must outlive it.
EngineText engine_text(std::string_view text);

/// Reads whole records by the rules of DelimitedCheck, which reads every record that is not plain. An empty cell is NULL, in quotes
/// or not. A quoted cell loses its quotes and the blanks around them; other cells stay as they are.
class DelimitedRecords final : private CellSink {
 public:
  /// `wanted`: columns by their number, each once. `display_name` must outlive this object.
  DelimitedRecords(const DelimitedShape& shape, LineEndsInCells line_ends, LineEnd line_end,
                   const std::string& display_name, const std::vector<std::size_t>& wanted);

  /// Starts with these records, which begin at a line of this number. They must outlive the cells that are read from them.
  void begin(std::string_view records, std::uint64_t line);
  /// Reads about `most` records, and returns their number, 0 at the end. Throws as DelimitedCheck::see() does (except for the
  /// line), and NotUtf8 for a wanted cell.
  std::size_t next(std::size_t most);
  /// The cells of a column, by its place among the wanted ones: `rows` rows from row `from` on, a multiple of 64.
  ColumnView column(std::size_t place, std::size_t from, std::size_t rows) const;

 private:
  struct Column {
    std::vector<EngineText> cells;
    std::vector<std::uint64_t> validity;
  };
  static constexpr std::size_t unwanted = ~std::size_t{0};
  static constexpr std::size_t word = 64;

  void cell(std::string_view text) override;
  void end_record() override;
  void clear();
  bool is_line_end(std::size_t at) const;
  bool read_plain();
  void take_back();
  std::size_t end_of_quoted(std::size_t at);
  void read_by_grammar();
  void add_cell(std::string_view text, bool is_kept) {
    const std::size_t place = cells_ < places_.size() ? places_[cells_] : unwanted;
    ++cells_;
    if (place != unwanted) add_wanted(place, text, is_kept);
  }
  void add_wanted(std::size_t place, std::string_view text, bool is_kept);
  void require_utf8(std::string_view text) const;

  DelimitedShape shape_;
  LineEndsInCells line_ends_;
  LineEnd line_end_;
  const std::string& display_name_;
  std::vector<std::size_t> places_;  // the place of each column among the wanted ones
  std::vector<Column> columns_;
  std::array<bool, 256> ends_cell_{};  // bytes at which an unquoted cell may end
  std::string_view records_;
  std::uint64_t line_ = 0;
  std::size_t at_ = 0;  // where the next record begins
  bool is_ascii_ = true;
  std::size_t rows_ = 0;
  std::size_t cells_ = 0;              // of the record so far
  std::deque<std::string> own_texts_;  // texts of cells that are not in the text literally
};

}  // namespace fractile::source_detail
