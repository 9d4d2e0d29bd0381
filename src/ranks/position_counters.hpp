// Records of a coarse lattice: one counter per position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile {

/// Coarse lattices have at most this many candidates, and groups at most this many places in all, since each has a counter.
inline constexpr std::uint64_t most_counters = std::uint64_t{1} << 20;

/// Counters of 32 bits, which need half as many pages as 64 bits would. Drain them before they have counted more records than one
/// counter holds.
class PositionCounters {
 public:
  /// On a regular lattice records lie on candidates only, at odd positions.
  PositionCounters(std::uint64_t candidates, bool is_regular);

  bool has(Position position) const { return !odd_only_ || position % 2 == 1; }
  void add(Position position, std::uint32_t count) { counters_.at(cell_of(position) * lanes_) += count; }
  void add(std::span<const Position> positions);
  /// Takes everything that other counters of the same size counted; these are zero afterwards.
  void take(PositionCounters& others);

  /// Writes the positions with records, in increasing order, and the cumulative numbers of records, beginning with 0. All counters
  /// are zero afterwards.
  void drain(std::vector<Position>& positions, std::vector<std::uint64_t>& cumulative);

  static constexpr std::uint64_t most_records = 0xffff'ffff;

 private:
  std::size_t cell_of(Position position) const { return position >> (odd_only_ ? 1 : 0); }
  std::size_t cells() const { return counters_.size() / lanes_; }
  std::uint32_t count_in(std::size_t cell) const {
    return counters_[cell * lanes_] + (lanes_ == 2 ? counters_[cell * 2 + 1] : 0);
  }

  bool odd_only_;
  std::size_t lanes_;
  std::vector<std::uint32_t> counters_;
};

}  // namespace fractile
