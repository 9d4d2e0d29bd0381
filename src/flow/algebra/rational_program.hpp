// The simplex method in rationals: for programs so small, or so close to a tie, that floating point would not decide them.
#pragma once

#include <vector>

#include "fractile/exact.hpp"

namespace fractile::flow {

/// For equations x = right with x >= 0: either a solution, or prices of the equations that prove that there is none (Farkas). With
/// these prices, every variable costs at most 0, and the right side costs more than 0.
struct Feasibility {
  bool is_feasible;
  std::vector<Rational> solution;  ///< one per variable; empty when infeasible
  std::vector<Rational> prices;    ///< one per equation; empty when feasible
};

/// `right` must not be negative. Ends because of Bland's rule. Uses a dense tableau of equations x (variables + equations).
Feasibility solve_program(std::vector<std::vector<Rational>> equations, const std::vector<Rational>& right);

}  // namespace fractile::flow
