// fractile plan: what a release will cost, and how wrong it may be.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Exit code.
int run_plan(const Typed& words);

}  // namespace fractile::cli
