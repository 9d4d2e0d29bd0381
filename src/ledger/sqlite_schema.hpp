// The format of a ledger's file: tables, versions, and migrations from older versions. docs/ledger.md describes it.
#pragma once

#include "ledger/sqlite.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// "FRLG", which marks SQLite files that are ledgers.
constexpr std::int64_t application_id = 0x46524C47;

/// Makes a new file a ledger, migrates an older ledger, and refuses a file that is not a ledger. Throws `usage` when `wanted` is
/// `created` and the file is not empty.
void prepare(const Database& connection, Wanted wanted);

/// Refuses a file that is not a ledger, and changes nothing.
void require_ledger(const Database& connection);

/// The format of a ledger.
std::int64_t format_of(const Database& connection);

/// Throws `ledger` unless the tables, indices and triggers are those of the file's format, to the letter.
void require_schema(const Database& connection);

}  // namespace fractile::ledger_detail
