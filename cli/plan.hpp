// fractile plan: says what a release will cost, and how wrong it may be.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_plan(const Typed& words);

}  // namespace fractile::cli
