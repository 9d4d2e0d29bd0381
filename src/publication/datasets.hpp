// The dataset that pays for a release, and what it calls the release's source.
#pragma once

#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// The dataset that pays. Throws `usage` when the ledger has none of this name, or has several and none is named.
LedgerDataset dataset_of(const Ledger& ledger, const Payment& payment);

/// The ledger's name for what was opened: the declared name, or else the path of the table's file; without one, the paths of all
/// files, with commas between them. "" when no path is known, as for standard input and a pipe. Throws `usage` for a declared name
/// that is a path.
std::string name_of_source(const std::string& declared, const TableOptions& read,
                           const std::vector<OpenedFile>& opened);

}  // namespace fractile::publication_detail
