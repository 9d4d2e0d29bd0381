// Draws the figures of approximate-quantiles 2021, section 4, from the rows of a run.
#pragma once

#include <vector>

#include "experiments/approximate_quantiles.hpp"
#include "experiments/figures.hpp"

namespace fractile::experiments::approximate_quantiles {

/// Figures 4 to 8 of the paper, and "figure_4_declared" and "figure_6_declared" for the sets with declared granularity. Only figures for
/// which there are rows are drawn.
std::vector<Figure> figures_of(const std::vector<Row>& rows);

}  // namespace fractile::experiments::approximate_quantiles
