// Shared by tests: small tables.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::testing {

/// The lattice 0, 1, ..., largest.
inline Lattice up_to(std::int64_t largest) { return Lattice::regular(0, largest, 1); }

/// A profile with these numbers of records by position.
inline RankProfile profile_of(const Lattice& lattice, const std::map<Position, std::uint64_t>& records) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (const auto& [position, count] : records) {
    positions.push_back(position);
    counts.push_back(count);
  }
  return {lattice, positions, counts};
}

/// A profile among numbered candidates.
inline RankProfile profile_of(std::uint64_t candidates, const std::map<Position, std::uint64_t>& records) {
  return profile_of(Lattice::numbers(candidates), records);
}

}  // namespace fractile::testing
