// fractile reproduce: a paper's experiment, run again.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// The exit code.
int run_reproduce(const Typed& typed);

}  // namespace fractile::cli
