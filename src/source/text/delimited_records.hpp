// The cells of delimited text, for the columns that are asked for.
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

/// Reads whole records as DelimitedCheck has them, which decides wherever a record is not a plain one. A cell is NULL where it is empty, in
/// quotes or not; a quoted one stands without its quotes and the blanks around them, others stand as they are.
class DelimitedRecords final : private CellSink {
 public:
  /// `wanted`: columns by their number, each once. `display_name` outlives this.
  DelimitedRecords(const DelimitedShape& shape, LineEndsInCells line_ends, LineEnd line_end,
                   const std::string& display_name, const std::vector<std::size_t>& wanted);

  /// Starts with these records, which begin at a line of this number and outlive what is read of them.
  void begin(std::string_view records, std::uint64_t line);
  /// Reads some `most` records; how many there are, 0 at the end. Throws as DelimitedCheck::see() (but for the line), and NotUtf8
  /// for a cell that is wanted.
  std::size_t next(std::size_t most);
  /// The cells of a column of the records that were read: by its place among the wanted ones, `rows` from the row `from`, a multiple of 64.
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
  std::vector<std::size_t> places_;  // of each column, among those that are wanted
  std::vector<Column> columns_;
  std::array<bool, 256> ends_cell_{};  // bytes at which one may end that is not quoted
  std::string_view records_;
  std::uint64_t line_ = 0;
  std::size_t at_ = 0;  // where the next record begins
  bool is_ascii_ = true;
  std::size_t rows_ = 0;
  std::size_t cells_ = 0;              // of the record so far
  std::deque<std::string> own_texts_;  // of cells that do not stand in the text as they are
};

}  // namespace fractile::source_detail
