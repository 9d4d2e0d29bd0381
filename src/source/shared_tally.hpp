// One profile from records that come on several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/column_view.hpp"
#include "source/time_cells.hpp"

namespace fractile::source_detail {

struct Counted {
  RankProfile profile;
  bool any_missing;        ///< some record was NULL or NaN, and left out
  std::uint64_t rows = 0;  ///< how many records came, when they came one by one
};

/// As many builders as threads were counting at one time; each thread takes one that no other one has. The profile is the same, bit
/// for bit, whoever counts what.
class SharedTally {
 public:
  /// `threads` as of a ProfileBuilder, which sorts.
  SharedTally(const Lattice& lattice, std::size_t threads) : lattice_(lattice), threads_(threads) {}

  /// Counts a column that is read so. From any thread. Throws as ProfileBuilder::add and TimeCells::numbers().
  void add(const ColumnView& column, const CellReading& reading);
  /// When nobody adds any more.
  Counted finish();

 private:
  struct Part {
    ProfileBuilder builder;
    TimeCells cells;
    bool any_missing = false;
  };
  std::unique_ptr<Part> take_idle();
  void give_back(std::unique_ptr<Part> part);

  const Lattice& lattice_;
  std::size_t threads_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> idle_;
};

}  // namespace fractile::source_detail
