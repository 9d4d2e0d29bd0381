// With what a release is read, as ledgers compare it, and what of that a dataset's owner alone may say.
#pragma once

#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// How a release's source is read: the options that are not at their defaults, by their names. Some hold only where the dataset
/// declares them (null, public_rows, sql_stability, duckdb, postgres, ...): throws `usage` for one that it does not. For records
/// that the asker holds, what the dataset leaves open is theirs to say, and left out.
LedgerReading reading_of(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset);

/// What a release reads, as LedgerRequest::source has it: what the dataset pins, if that and files that it declares as tables are all
/// that was opened; otherwise the paths of all files but declared ones, with commas between them, or "" when one is unknown. `declared`, a
/// name of the asker's, counts only where the dataset pins a source, and never of a server, whose table is known.
std::string source_for(const Source& source, const std::string& declared, const LedgerDataset& dataset,
                       const std::vector<OpenedFile>& opened);

}  // namespace fractile::publication_detail
