// Makes profiles from their parts, without copying them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

/// The parts of a profile in memory that it shares.
struct ProfileMemory {
  std::shared_ptr<const void> memory;   ///< of the spans
  std::span<const Position> positions;  ///< of the lattice, increasing strictly
  /// 0, and for each position how many records lie up to it; increasing strictly
  std::span<const std::uint64_t> cumulative;

  /// Throws `data` for more than RankProfile::max_records.
  RankProfile on(const Lattice& lattice) && {
    if (cumulative.back() > RankProfile::max_records) throw Error(ErrorCode::data, too_many_records);
    return {lattice, std::move(memory), positions, cumulative};
  }
};

/// The parts of one profile, as said above.
struct ProfileParts {
  std::vector<Position> positions;
  std::vector<std::uint64_t> cumulative;

  RankProfile on(const Lattice& lattice) && {
    const auto kept = std::make_shared<const ProfileParts>(std::move(*this));
    return ProfileMemory{kept, kept->positions, kept->cumulative}.on(lattice);
  }
};

}  // namespace fractile
