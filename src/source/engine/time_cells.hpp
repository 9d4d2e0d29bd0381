// Cells of dates and times as a lattice counts them. Other cells pass as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// What the cells of a column are when they come, and how they become numbers.
struct CellReading {
  CellType type;                      ///< text: each cell is read by cell_ticks()
  std::optional<TimeUnit> unit = {};  ///< of integers that are times
  bool nothing_fails = false;         ///< a text that is not a time is NULL
};

class TimeCells {
 public:
  /// Doubles of real cells, and of all others std::int64_t: the ticks of times. Valid until the next call. For a text that is not a
  /// time of the lattice's kind NULL, or throws EngineFailure (not_a_number), as the reading has it.
  ColumnView numbers(const ColumnView& cells, const CellReading& reading, ValueKind lattice);

 private:
  ColumnView of_texts(const ColumnView& cells, const CellReading& reading, ValueKind lattice);

  std::vector<std::int64_t> ticks_;
  std::vector<std::uint64_t> validity_;  // as ColumnView has it
};

}  // namespace fractile::source_detail
