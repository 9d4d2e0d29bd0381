// fractile audit: try to break a mechanism's promise by enumeration.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// The exit code: 0 when the claim is certified, 1 when it is refuted.
int run_audit(const Typed& typed);

}  // namespace fractile::cli
