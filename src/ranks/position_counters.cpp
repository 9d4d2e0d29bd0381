#include "ranks/position_counters.hpp"

#include "ranks/large_array.hpp"

namespace fractile {
namespace {

/// Two counters a position, taken in turn, so that records that are alike do not wait for one another; one where twice the
/// counters would not stay in the caches.
constexpr std::uint64_t most_with_two_lanes = std::uint64_t{1} << 14;

}  // namespace

PositionCounters::PositionCounters(std::uint64_t candidates, bool is_regular)
    : odd_only_(is_regular),
      lanes_(candidates <= most_with_two_lanes ? 2 : 1),
      counters_(large_vector<std::uint32_t>((is_regular ? candidates : 2 * candidates + 1) * lanes_)) {}

void PositionCounters::add(std::span<const Position> positions) {
  std::uint32_t* const counters = counters_.data();
  const int shift = odd_only_ ? 1 : 0;
  if (lanes_ == 1) {
    for (const Position position : positions) ++counters[position >> shift];
  } else {
    for (std::size_t i = 0; i < positions.size(); ++i) ++counters[(positions[i] >> shift) * 2 + i % 2];
  }
}

}  // namespace fractile
