// fractile reproduce: runs a paper's experiment again.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_reproduce(const Typed& typed);

}  // namespace fractile::cli
