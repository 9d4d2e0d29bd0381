// The write-ahead log that programs before format 2 kept next to a ledger.
#pragma once

#include <string>

namespace fractile::ledger_detail {

/// Throws `ledger` when the log next to the ledger at this path has a broken frame and other frames behind
/// it. SQLite reads such a log only up to the broken frame, and drops the later charges without an error.
/// Called before SQLite opens the ledger. A broken last frame is allowed, since a machine that stops while
/// it writes a frame leaves one. Frames from before the log's last restart do not belong to the log.
void require_whole_log(const std::string& ledger);

}  // namespace fractile::ledger_detail
