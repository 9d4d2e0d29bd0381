#include "source/engine/time_cells.hpp"

#include "ranks/ticks.hpp"

namespace fractile::source_detail {

ColumnView TimeCells::numbers(const ColumnView& cells, const CellReading& reading, ValueKind lattice) {
  const std::size_t rows = cells.rows();
  if (reading.type == CellType::text) return of_texts(cells, reading, lattice);
  if (!reading.unit) return cells;
  if (*reading.unit == (lattice == ValueKind::date ? TimeUnit::days : TimeUnit::microseconds)) return cells;
  ticks_.resize(rows);
  ticks_in(lattice, cells.numbers<std::int64_t>(), *reading.unit, ticks_.data());
  return {ticks_.data(), cells.validity(), rows};
}

ColumnView TimeCells::of_texts(const ColumnView& cells, const CellReading& reading, ValueKind lattice) {
  constexpr std::size_t word = 64;
  const std::size_t rows = cells.rows();
  ticks_.resize(rows);
  validity_.assign((rows + word - 1) / word, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    if (cells.is_null(row)) continue;
    const std::optional<std::int64_t> ticks = cell_ticks(lattice, cells.text(row));
    if (!ticks && !reading.nothing_fails) throw EngineFailure(FailureKind::not_a_number, {}, {});
    ticks_[row] = ticks.value_or(0);
    validity_[row / word] |= std::uint64_t{ticks.has_value()} << (row % word);
  }
  return {ticks_.data(), validity_.data(), rows};
}

}  // namespace fractile::source_detail
