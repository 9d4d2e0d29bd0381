// Turns words into an audit.
#pragma once

#include "fractile/planning.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Throws `usage` for an impossible request.
AuditRequest audit_request(const Typed& typed);

}  // namespace fractile::requests
