// The write-ahead log that programs before format 2 kept beside a ledger.
#pragma once

#include <string>

namespace fractile::ledger_detail {

/// Throws `ledger` when the log beside the ledger at this path has a broken frame and others behind it: SQLite reads such a log up to that
/// frame and drops what was charged after it, without a word. To be asked before SQLite opens the ledger. A last frame that is broken is
/// what a machine leaves that stopped while it wrote it; frames of before the log's last restart are not its own.
void require_whole_log(const std::string& ledger);

}  // namespace fractile::ledger_detail
