// fractile flow: reports what a release is worth to an analyst.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code. For a check, 0 means that it holds, 1 that it is refuted, and 6 that it is undecided. For other words, 0 means
/// success.
int run_flow(const Typed& typed);

}  // namespace fractile::cli
