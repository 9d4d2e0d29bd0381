// Values that are declared to be missing, for columns of numbers and names in memory or from a server.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exact/wide_integers.hpp"
#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// The form in which the numbers of a column come.
struct NumberForm {
  bool is_real = false;
  int bits = 64;                       ///< for real numbers: 16, 32 or 64
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
  /// The same for whole numbers of up to 128 bits. The view holds them clamped to 64 bits; number_at(row) is the number itself.
  template <class NumberAt>
  ColumnView without(const ColumnView& cells, std::vector<std::uint64_t>& validity, NumberAt number_at) const {
    if (whole_.empty() && real_.empty()) return cells;
    constexpr std::size_t word = 64;
    validity.assign((cells.rows() + word - 1) / word, 0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      const bool is_there = !cells.is_null(row) && !has(number_at(row));
      validity[row / word] |= std::uint64_t{is_there} << (row % word);
    }
    return {cells.numbers<double>().data(), validity.data(), cells.rows()};
  }

 private:
  bool has(double number) const { return real_.contains(number); }
  bool has(int128 number) const { return whole_.contains(number); }

  std::set<int128> whole_;
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
