// What the owner of a dataset says of how its releases are read, and what a release says of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Who holds the records: a file or a server, which the asker cannot read, or the asker's own program, in its memory.
enum class Holder { owner, asker };

/// What fractile ledger init declares, beside persons and source.
LedgerReading reading_to_declare(const Typed& typed);

/// What a release is read with: every option of the owner's class that was typed and is not at its default, by name. Some hold only where
/// the dataset declares them (null, public_rows, sql_stability, keys_file, duckdb, postgres): throws `usage` for one that it does not.
/// Of records that the asker holds, what the dataset leaves open is theirs to say, and left out.
LedgerReading reading_of(const Typed& typed, const LedgerDataset& dataset, Holder holder);

/// What a release reads, as LedgerRequest::source has it: what the dataset pins, if that and files that it declares as tables are all
/// that was opened; otherwise the paths of all files but declared ones, with commas between them, or "" when one is unknown. A name that
/// `source` declares counts only where the dataset pins a source, and never of a server, whose table is known.
std::string source_for(const Typed& typed, const LedgerDataset& dataset, const std::vector<OpenedFile>& opened);

/// Throws `usage` unless the dataset of the ledger that `ledger` names declares a file of keys with these contents.
void require_declared_keys(const Typed& typed, const std::string& contents);

}  // namespace fractile::requests
