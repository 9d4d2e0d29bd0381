// fractile release: one column of one table, published.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// The exit code.
int run_release(const Typed& words);

}  // namespace fractile::cli
