// fractile publish: publishes the tables of a publication.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_publish(const Typed& typed);

}  // namespace fractile::cli
