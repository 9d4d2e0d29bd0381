// The positions of a chunk's numbers on a lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/time_cells.hpp"

namespace fractile::source_detail {

/// Stands for the position of a missing number.
inline constexpr Position nowhere = ~Position{0};

/// Sets the position of each number of the chunk, `nowhere` for NULL and NaN. Returns whether there are such.
template <class Number>
bool place_numbers(const ColumnView& column, const Lattice& lattice, std::vector<Position>& positions) {
  const std::span<const Number> numbers = column.numbers<Number>();
  positions.resize(numbers.size());
  if (!column.any_null() && !any_nan(numbers)) {
    lattice.positions_of(numbers, positions);
    return false;
  }
  const auto is_missing = [&](std::size_t i) { return column.is_null(i) || is_nan(numbers[i]); };
  std::vector<Number> all(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_missing(i)) all[i] = 0;
  }
  lattice.positions_of(std::span<const Number>(all), positions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_missing(i)) positions[i] = nowhere;
  }
  return true;
}

/// The same for numbers with this reading.
inline bool place(const ColumnView& column, const CellReading& reading, const Lattice& lattice,
                  std::vector<Position>& positions) {
  return reading.type == CellType::real ? place_numbers<double>(column, lattice, positions)
                                        : place_numbers<std::int64_t>(column, lattice, positions);
}

/// Sets `weights` to the positions of the chunk's weights on their grid. A record without a weight gets position `nowhere`. Returns
/// whether there are such.
inline bool place_weights(const ColumnView& column, const CellReading& reading, const Lattice& grid,
                          std::vector<Position>& weights, std::vector<Position>& positions) {
  if (!place(column, reading, grid, weights)) return false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == nowhere) positions[i] = nowhere;
  }
  return true;
}

}  // namespace fractile::source_detail
