#include "ranks/position_counters.hpp"

#include <algorithm>
#include <utility>

#include "ranks/large_array.hpp"

namespace fractile {
namespace {

/// Up to this many positions, each has two counters that are used in turn, so that equal records do not wait for one another.
/// Beyond it, twice the counters would not stay in the caches.
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
    std::size_t i = 0;
    for (; i + 1 < positions.size(); i += 2) {
      ++counters[(positions[i] >> shift) * 2];
      ++counters[(positions[i + 1] >> shift) * 2 + 1];
    }
    if (i < positions.size()) ++counters[(positions[i] >> shift) * 2];
  }
}

void PositionCounters::take(PositionCounters& others) {
  for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i] += std::exchange(others.counters_[i], 0U);
}

/// No branch depends on the counts: a position without records is overwritten by the next one.
void PositionCounters::drain(std::vector<Position>& positions, std::vector<std::uint64_t>& cumulative) {
  std::size_t distinct = 0;
  for (std::size_t cell = 0; cell < cells(); ++cell) distinct += count_in(cell) > 0 ? 1U : 0U;
  positions = large_vector<Position>(distinct + 1);
  cumulative = large_vector<std::uint64_t>(distinct + 2);
  std::size_t k = 0;
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    const std::uint32_t count = count_in(cell);
    positions[k] = odd_only_ ? 2 * cell + 1 : cell;
    cumulative[k + 1] = cumulative[k] + count;
    k += count > 0 ? 1U : 0U;
  }
  positions.resize(distinct);
  cumulative.resize(distinct + 1);
  std::ranges::fill(counters_, 0U);
}

}  // namespace fractile
