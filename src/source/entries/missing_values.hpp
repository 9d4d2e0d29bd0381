// What is declared to be missing in columns that come as numbers and names: in memory, and from a server.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// How the numbers of a column come.
struct NumberForm {
  bool is_real = false;
  bool is_single = false;              ///< real, of 32 bits
  int scale = 0;                       ///< whole numbers of 10^-scale
  std::optional<TimeUnit> unit = {};   ///< of times, which are whole numbers of it
  ValueKind time = ValueKind::number;  ///< what these are
};

/// Numbers by their values, and times by theirs. Texts that are neither say nothing of such a column.
class MissingValues {
 public:
  MissingValues(const std::vector<std::string>& declared, const NumberForm& form);

  /// The view, in which those cells are NULL, too; `validity` holds the bits, where there are such values.
  ColumnView without(const ColumnView& cells, std::vector<std::uint64_t>& validity) const;

 private:
  std::set<std::int64_t> whole_;
  std::set<double> real_;
  bool is_real_;
};

/// Names of persons: numbers by their values, other texts exactly.
class MissingNames {
 public:
  explicit MissingNames(const std::vector<std::string>& declared);

  /// "" for a name that is one of them, which then names no person.
  std::string_view without(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> texts_;
  std::set<std::string> whole_;  // in their shortest form
  std::set<double> others_;
};

}  // namespace fractile::source_detail
