// What a floating-point linear program suggests about X >= 0, A X = B, X 1 = 1. The results are only suggestions.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "flow/refinement/rough_rows.hpp"

namespace fractile::flow {

struct Suggestion {
  std::vector<std::pair<std::size_t, std::size_t>> support;  ///< the entries of X that may be positive: the basic ones
  std::vector<std::vector<double>> prices;  ///< one row per row of A, one column per column of B, within -1 .. 1
};

constexpr double unlimited = 1e30;

struct Mixture {
  double missing;              ///< the least |sum_y w_y parts_y - wanted|_1 with 0 <= w_y <= most_y
  std::vector<double> prices;  ///< prices of the equations, within -1 .. 1
};
Mixture nearest_mixture(const std::vector<std::vector<double>>& parts, const std::vector<double>& most,
                        const std::vector<double>& wanted);

/// The elastic form min |A X - B|_1 (docs/proofs/refinement.md, "The linear program").
Suggestion suggest(const RoughRows& from, const RoughRows& to);

}  // namespace fractile::flow
