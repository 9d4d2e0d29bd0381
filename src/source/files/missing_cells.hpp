// Cells that are declared to be missing, such as -9, NA or a dot.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// Microseconds since 1970 of a text that is declared to be missing in a column of times; nothing for a text that is not a time of
/// this kind.
std::optional<std::int64_t> missing_moment(ValueKind column, std::string_view text);

/// SQL of the column's cells, with NULL where a cell is one of `missing`. Numbers and times are compared by value if both sides are
/// such, other texts exactly. It never fails.
std::string blanked_cell(const Column& column, const std::vector<std::string>& missing);

/// The same for cells of delimited text that are read without the engine.
class MissingTexts {
 public:
  MissingTexts(const std::vector<std::string>& missing, NumberStyle style);
  /// Whether a cell is one of them.
  bool has(std::string_view cell) const;

 private:
  std::set<std::string, std::less<>> texts_;
  std::vector<double> numbers_;
  NumberStyle style_;
};

/// Throws `usage` for a text that is empty, not UTF-8 or named twice, and for too many.
void check_missing(const std::vector<std::string>& missing);

}  // namespace fractile::source_detail
