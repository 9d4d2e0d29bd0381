// The files that a run leaves in its folder.
#pragma once

#include <string>
#include <vector>

#include "experiments/figures.hpp"
#include "experiments/observer.hpp"

namespace fractile::experiments {

struct TextFile {
  std::string name;  ///< in the folder, with strokes between the names of folders: "tables/witness.csv"
  std::string text;
};

/// Makes the folder when it is not there. Throws `data` when that fails, it cannot be written to, or anything is in it.
void prepare_folder(const std::string& folder);

/// Writes the files, all new or none. Their paths. Throws `data` when that fails.
std::vector<std::string> write_files(const std::string& folder, const std::vector<TextFile>& files);

/// Draws each figure as a new file NAME.svg. The paths of what was written.
std::vector<std::string> write_figures(const std::string& folder, const std::vector<Figure>& figures);

}  // namespace fractile::experiments
