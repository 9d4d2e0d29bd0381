// Turns cells of dates and times into the numbers that a lattice counts. Other cells stay as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// The type of a column's cells, and how cells become numbers.
struct CellReading {
  CellType type;                      ///< text: each cell is read by cell_ticks()
  std::optional<TimeUnit> unit = {};  ///< for integers that are times
  bool nothing_fails = false;         ///< a text that is not a time is NULL, and no error
};

class TimeCells {
 public:
  /// Doubles for real cells, and std::int64_t for all others; times become ticks. Valid until the next call. A text that is not a
  /// time of the lattice's kind becomes NULL if reading.nothing_fails; otherwise throws EngineFailure (not_a_number).
  ColumnView numbers(const ColumnView& cells, const CellReading& reading, ValueKind lattice);

 private:
  ColumnView of_texts(const ColumnView& cells, const CellReading& reading, ValueKind lattice);

  std::vector<std::int64_t> ticks_;
  std::vector<std::uint64_t> validity_;  // as in ColumnView
};

}  // namespace fractile::source_detail
