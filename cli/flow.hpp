// fractile flow: what a release is worth to an analyst.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// The exit code: 0 when it is done, and of a check 1 unless it refines or is stable.
int run_flow(const Typed& typed);

}  // namespace fractile::cli
