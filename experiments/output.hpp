// The files that a run leaves in its folder.
#pragma once

#include <string>
#include <vector>

#include "experiments/figures.hpp"
#include "experiments/observer.hpp"

namespace fractile::experiments {

struct TextFile {
  std::string name;  ///< the path in the folder, with slashes: "tables/witness.csv"
  std::string text;
};

/// Makes the folder if it does not exist. Throws `data` when that fails, when it cannot be written to, and when it is not empty.
void prepare_folder(const std::string& folder);

/// Writes all files as new ones, or none, and returns their paths. Throws `data` when that fails.
std::vector<std::string> write_files(const std::string& folder, const std::vector<TextFile>& files);

/// Draws each figure as a new file NAME.svg, and returns the paths.
std::vector<std::string> write_figures(const std::string& folder, const std::vector<Figure>& figures);

}  // namespace fractile::experiments
