// Figures drawn by gnuplot, a program of its own that need not be there.
#pragma once

#include <string>

#include "experiments/figures.hpp"

namespace fractile::experiments {

/// A script that holds its data and draws NAME.png and NAME.svg, 1600 by 1000, into the folder that it is run in.
std::string gnuplot_script(const Figure& figure);

enum class Drawn { yes, no_gnuplot, failed };

/// Runs `gnuplot SCRIPT` in `folder`.
Drawn draw(const std::string& folder, const std::string& script);

}  // namespace fractile::experiments
