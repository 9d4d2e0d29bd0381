// Records of a coarse lattice: a counter a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile {

/// Counters of 32 bits: the builder refuses more records than they hold.
class PositionCounters {
 public:
  /// On a regular lattice records lie on candidates only, at odd positions.
  PositionCounters(std::uint64_t candidates, bool is_regular);

  bool has(Position position) const { return !odd_only_ || position % 2 == 1; }
  void add(Position position, std::uint32_t count) { counters_.at(cell_of(position) * lanes_) += count; }
  void add(std::span<const Position> positions);

  /// Calls visit(position, count) for every position with records, in increasing order, and forgets them.
  template <class Visit>
  void drain(Visit visit) {
    for (std::size_t cell = 0; cell * lanes_ < counters_.size(); ++cell) {
      std::uint32_t count = 0;
      for (std::size_t lane = 0; lane < lanes_; ++lane) count += counters_[cell * lanes_ + lane];
      if (count > 0) visit(odd_only_ ? 2 * cell + 1 : cell, count);
    }
    counters_.assign(counters_.size(), 0);
  }

 private:
  std::size_t cell_of(Position position) const { return position >> (odd_only_ ? 1 : 0); }

  bool odd_only_;
  std::size_t lanes_;
  std::vector<std::uint32_t> counters_;
};

}  // namespace fractile
