// Distances between multiples of counts that hold for all numbers of records and all denominators.
// Proof: docs/proofs/scores.md
#pragma once

#include <cstdint>

#include "exact/uniform.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// |a - b|, or farthest_score if that is less. Products of a denominator and a number of records are below 2^79.
inline std::uint64_t saturated_distance(uint128 a, uint128 b) {
  const uint128 distance = a > b ? a - b : b - a;
  return distance < farthest_score ? static_cast<std::uint64_t>(distance) : farthest_score;
}

/// interval_score() of multiples: the distance of `target` from the interval first .. last.
inline std::uint64_t saturated_distance_from(uint128 first, uint128 last, uint128 target) {
  if (first > target) return saturated_distance(first, target);
  return target > last ? saturated_distance(target, last) : 0;
}

inline std::uint64_t saturated_interval_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal,
                                              std::uint64_t n) {
  return saturated_distance_from(uint128{alpha.denominator} * below, uint128{alpha.denominator} * (below + equal),
                                 uint128{alpha.numerator} * n);
}

}  // namespace fractile
