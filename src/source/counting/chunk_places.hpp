// Where the numbers of a chunk lie on a lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/time_cells.hpp"

namespace fractile::source_detail {

/// In place of the position of a number that is missing.
inline constexpr Position nowhere = ~Position{0};

/// The position of each number of the chunk; `nowhere` for those that are NULL or NaN. Whether there are such.
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

/// The same for numbers that are read so.
inline bool place(const ColumnView& column, const CellReading& reading, const Lattice& lattice,
                  std::vector<Position>& positions) {
  return reading.type == CellType::real ? place_numbers<double>(column, lattice, positions)
                                        : place_numbers<std::int64_t>(column, lattice, positions);
}

/// A record without a weight is nowhere. Whether there are such among the chunk's; `weights` has where they lie on their grid.
inline bool place_weights(const ColumnView& column, const CellReading& reading, const Lattice& grid,
                          std::vector<Position>& weights, std::vector<Position>& positions) {
  if (!place(column, reading, grid, weights)) return false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == nowhere) positions[i] = nowhere;
  }
  return true;
}

}  // namespace fractile::source_detail
