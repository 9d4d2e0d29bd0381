// Values that are declared to be missing, for columns of numbers and names in memory or from a server.
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

/// The form in which the numbers of a column come.
struct NumberForm {
  bool is_real = false;
  bool is_single = false;              ///< real, of 32 bits
  int scale = 0;                       ///< whole numbers of 10^-scale
  std::optional<TimeUnit> unit = {};   ///< for times: their unit
  ValueKind time = ValueKind::number;  ///< for times: their kind
};

/// Compares numbers and times by value. Declared texts that are neither have no effect on such a column.
class MissingValues {
 public:
  MissingValues(const std::vector<std::string>& declared, const NumberForm& form);

  /// The view in which those cells are NULL, too. `validity` holds the bits if there are such values.
  ColumnView without(const ColumnView& cells, std::vector<std::uint64_t>& validity) const;

 private:
  std::set<std::int64_t> whole_;
  std::set<double> real_;
  bool is_real_;
};

/// Declared missing names of persons: numbers are compared by value, other texts exactly.
class MissingNames {
 public:
  explicit MissingNames(const std::vector<std::string>& declared);

  /// The name, or "" (no person) if it is declared to be missing.
  std::string_view without(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> texts_;
  std::set<std::string> whole_;  // numbers in their shortest form
  std::set<double> others_;
};

}  // namespace fractile::source_detail
