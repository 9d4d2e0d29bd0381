// The files that a run leaves in its folder.
#pragma once

#include <string>
#include <vector>

#include "experiments/approximate_quantiles.hpp"

namespace fractile::experiments {

/// Makes the folder when it is not there. Error(data) when that fails or it cannot be written to.
void prepare_folder(const std::string& folder);

/// Writes approximate_quantiles.csv and approximate_quantiles.txt (what was run), replacing older ones. Their paths.
/// Error(data) when that fails.
std::vector<std::string> write_table(const std::string& folder, const Plan& plan, const std::vector<Row>& rows);

/// Writes a gnuplot script a figure and has gnuplot draw it. Notes when it cannot. The paths of what was written.
std::vector<std::string> write_figures(const std::string& folder, const std::vector<Row>& rows,
                                       const Observer& observer);

}  // namespace fractile::experiments
