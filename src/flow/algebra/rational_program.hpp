// The simplex method in rationals: for programs so small, or so close to a tie, that floating point would not decide them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::flow {

/// For equations x = right with x >= 0: either a solution, or prices of the equations with which every variable costs at most
/// nothing and the right side more than nothing (Farkas), so that there is no solution.
struct Feasibility {
  bool is_feasible;
  std::vector<Rational> solution;  ///< one a variable; empty otherwise
  std::vector<Rational> prices;    ///< one an equation; empty when feasible
};

/// `right` is not negative. Bland's rule: it ends. A dense tableau of equations x (variables + equations).
Feasibility solve_program(std::vector<std::vector<Rational>> equations, const std::vector<Rational>& right);

}  // namespace fractile::flow
