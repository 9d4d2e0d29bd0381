// How much the fast filters of exact draws decide, and how often they leave a comparison to ball arithmetic: for tests and
// benchmarks.
#pragma once

#include <cstdint>

namespace fractile {

/// How much the fast filters may decide. The law is the same for all values. `stress()` shrinks the filters so much that the exact
/// path runs all the time. Public functions draw with the default.
struct Filter {
  int prefix_bits = 64;  ///< bits of the uniform number that the first comparison uses, 1..64
  double slack = 0;      ///< relative widening of the first enclosure, >= 0
  static constexpr Filter stress() { return {4, 0.05}; }
};

/// The work that a selection took. It depends on the data: never publish it.
struct SelectionCost {
  std::uint64_t trials = 0;      ///< proposals drawn
  std::uint64_t slow_coins = 0;  ///< comparisons that the filter left to ball arithmetic
};

}  // namespace fractile
