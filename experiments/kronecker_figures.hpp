// Draws the figures of kronecker-utility 2023 from the results of a run.
#pragma once

#include <vector>

#include "experiments/figures.hpp"
#include "experiments/kronecker_utility.hpp"

namespace fractile::experiments::kronecker_utility {

/// Figure 3; figure 4, if it was run; and "appendix_d1", a window that the paper only gives in numbers. Where a loss rises with epsilon,
/// its line is thick and red.
std::vector<Figure> figures_of(const Results& results);

}  // namespace fractile::experiments::kronecker_utility
