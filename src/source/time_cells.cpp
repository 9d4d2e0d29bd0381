#include "source/time_cells.hpp"

namespace fractile::source_detail {

ColumnView TimeCells::numbers(const ColumnView& cells, const CellReading& reading, ValueKind lattice) {
  const bool is_text = reading.type == CellType::text;
  if (!is_text && !reading.unit) return cells;
  const TimeUnit own = lattice == ValueKind::date ? TimeUnit::days : TimeUnit::microseconds;
  if (reading.unit == own) return cells;
  const std::size_t rows = cells.rows();
  ticks_.assign(rows, 0);
  validity_.assign((rows + 63) / 64, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    if (cells.is_null(row)) continue;
    validity_[row / 64] |= std::uint64_t{1} << (row % 64);
    if (!is_text) {
      ticks_[row] = ticks_in(lattice, cells.numbers<std::int64_t>()[row], *reading.unit);
      continue;
    }
    const std::optional<std::int64_t> ticks = cell_ticks(lattice, cells.text(row));
    if (!ticks) throw EngineFailure(FailureKind::not_a_number, {}, {});
    ticks_[row] = *ticks;
  }
  return {ticks_.data(), validity_.data(), rows};
}

}  // namespace fractile::source_detail
