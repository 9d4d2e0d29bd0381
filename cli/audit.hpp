// fractile audit: tries to break a mechanism's promise by enumeration.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code: 0 when the claim is certified, 1 when it is refuted.
int run_audit(const Typed& typed);

}  // namespace fractile::cli
