// fractile release: publishes one column of one table.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_release(const Typed& words);

}  // namespace fractile::cli
