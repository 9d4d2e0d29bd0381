// Memory for the parts of a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "fractile/ranks.hpp"
#include "ranks/large_array.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {

/// Room for the cumulative counts of so many positions.
inline std::size_t words_for_counts(std::size_t positions) { return positions + 1 + most_words_to_skip; }

/// Positions and counts in one piece of memory, which malloc then keeps for the next profile more often than two. The caller writes each
/// position once, and 0 and the cumulative numbers of records, one more than positions.
struct ProfileArrays {
  explicit ProfileArrays(std::size_t distinct)
      : ProfileArrays(LargeArray<Position>(distinct, words_for_counts(distinct)), distinct) {}
  /// In this memory, with the counts behind `numbers` positions.
  ProfileArrays(LargeArray<Position> words, std::size_t numbers)
      : memory(std::make_shared<const LargeArray<Position>>(std::move(words))),
        positions(memory->data()),
        cumulative(positions + numbers + words_to_skip(positions, positions + numbers)) {}

  ProfileMemory of(std::size_t distinct) const { return {memory, {positions, distinct}, {cumulative, distinct + 1}}; }

  std::shared_ptr<const LargeArray<Position>> memory;
  Position* positions;
  std::uint64_t* cumulative;
};

}  // namespace fractile
