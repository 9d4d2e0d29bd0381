// What an audit found, as JSON.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>

#include "fractile/audit.hpp"

namespace fractile {

/// One JSON object: what was audited, `claimed` and `attained` (decimals) and the pair of `neighbours`.
std::string to_json(const AuditRequest& request, const AuditReport& report);

}  // namespace fractile
