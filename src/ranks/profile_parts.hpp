// Makes a profile from its parts, without copying them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// The message for more than RankProfile::max_records.
inline constexpr const char* too_many_records = "more than 281474976710655 records";

/// Counts at positions that arrive in order; those at one position add up.
class CollectedCounts {
 public:
  void add(Position position, std::uint64_t count) {
    if (count == 0) return;
    if (positions_.empty() || positions_.back() != position) {
      positions_.push_back(position);
      counts_.push_back(0);
    }
    counts_.back() += count;
  }
  RankProfile on(const Lattice& lattice) && { return {lattice, std::move(positions_), counts_}; }

 private:
  std::vector<Position> positions_;
  std::vector<std::uint64_t> counts_;
};

struct ProfileParts {
  std::vector<Position> positions;  ///< of the lattice, increasing strictly
  /// 0, and for each position how many records lie up to it; increasing strictly
  std::vector<std::uint64_t> cumulative;

  /// Throws `data` for more than RankProfile::max_records.
  RankProfile on(const Lattice& lattice) && {
    if (cumulative.back() > RankProfile::max_records) throw Error(ErrorCode::data, too_many_records);
    RankProfile profile(lattice);
    profile.positions_ = std::move(positions);
    profile.cumulative_ = std::move(cumulative);
    return profile;
  }
};

}  // namespace fractile
