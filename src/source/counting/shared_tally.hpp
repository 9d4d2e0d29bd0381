// One profile from records that several threads add at once.
#pragma once

#include <cstddef>

#include "fractile/ranks.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/idle_parts.hpp"
#include "source/engine/time_cells.hpp"

namespace fractile::source_detail {

struct Counted {
  RankProfile profile;
  bool any_missing;  ///< some record was NULL or NaN, and left out
};

/// A builder for each thread that counts. The profile is the same, bit for bit, whichever thread counts what.
class SharedTally {
 public:
  /// `threads` as for a ProfileBuilder, which sorts.
  SharedTally(const Lattice& lattice, std::size_t threads) : lattice_(lattice), threads_(threads) {}

  /// Counts a chunk of the column with this reading. May be called from any thread. Throws as ProfileBuilder::add() and
  /// TimeCells::numbers() do.
  void add(const ColumnView& column, const CellReading& reading);
  /// To be called when no thread adds records any more.
  Counted finish();

 private:
  struct Part {
    ProfileBuilder builder;
    TimeCells cells;
    bool any_missing = false;
  };

  const Lattice& lattice_;
  std::size_t threads_;
  IdleParts<Part> parts_;
};

}  // namespace fractile::source_detail
