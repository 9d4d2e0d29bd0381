// How a release's source is read, as ledgers compare it, and which of these options only the dataset's owner may set.
#pragma once

#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// How a release's source is read: the options that are not at their defaults, by their names. Some options hold only if the dataset
/// declares them (null, public_rows, sql_stability, duckdb, postgres, ...). Throws `usage` for such an option that it does not declare. If
/// the asker holds the records, the asker decides what the dataset leaves open, and these options are left out.
LedgerReading reading_of(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset);

/// The format to state: "" if the file's name implies it and the dataset does not declare it.
std::string told_format(const TableOptions& read, const std::string& declared = {});

/// Throws `usage` for JSON on a dataset that declares NullPolicy::error: a record that lacks the key that an asker names would end the
/// release. A query whose stability is declared names its own columns.
void require_columns_for_null_errors(const TableOptions& read, const std::vector<OpenedFile>& opened,
                                     const LedgerDataset& dataset);

/// What a release reads, as LedgerRequest::source: the source that the dataset pins, if nothing else was opened except files that it
/// declares as tables. Otherwise the paths of all opened files except declared ones, separated by commas, or "" when a path is unknown.
/// `declared` is a name that the asker gives. It counts only if the dataset pins a source, and never for a server, whose table is known.
std::string source_for(const Source& source, const std::string& declared, const LedgerDataset& dataset,
                       const std::vector<OpenedFile>& opened);

}  // namespace fractile::publication_detail
