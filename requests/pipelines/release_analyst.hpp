// Reads the analyst of a release from a file.
#pragma once

#include <string>

#include "fractile/planning.hpp"

namespace fractile::requests {

/// Reads [analyst] with `loss`, `than` and `most`. Throws `data`; the error names the file and the line, and says what to write.
ReleaseAnalyst read_release_analyst(const std::string& path);

}  // namespace fractile::requests
