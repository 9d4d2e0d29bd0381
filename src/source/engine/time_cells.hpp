// Cells of dates and times as a lattice counts them. Other cells pass as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/dates.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// What the cells of a column are when they come, and how they become numbers.
struct CellReading {
  CellType type;                      ///< text: each cell is read by cell_ticks()
  std::optional<TimeUnit> unit = {};  ///< of integers that are times
};

class TimeCells {
 public:
  /// Doubles of real cells, and of all others std::int64_t: the ticks of times. Valid until the next call. Throws EngineFailure
  /// (not_a_number) for a text that is no time of the lattice's kind.
  ColumnView numbers(const ColumnView& cells, const CellReading& reading, ValueKind lattice);

 private:
  ColumnView of_texts(const ColumnView& cells, ValueKind lattice);

  std::vector<std::int64_t> ticks_;
};

}  // namespace fractile::source_detail
