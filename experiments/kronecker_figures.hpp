// The figures of kronecker-utility 2023 from the results of a run.
#pragma once

#include <vector>

#include "experiments/figures.hpp"
#include "experiments/kronecker_utility.hpp"

namespace fractile::experiments::kronecker_utility {

/// Figures 3 and 4, where there is one, and "appendix_d1", the window that the paper has in numbers only. Where a loss
/// rises with epsilon, it is thick and red.
std::vector<Figure> figures_of(const Results& results);

}  // namespace fractile::experiments::kronecker_utility
