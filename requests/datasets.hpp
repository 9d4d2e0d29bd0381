// Which dataset of a ledger is meant.
#pragma once

#include <string>

#include "fractile/ledger.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `dataset`, a budget and the pins describe. Error(usage) when that cannot be.
LedgerDataset dataset_to_add(const Typed& typed);

/// The one that `dataset` names, or the ledger's only one; Error(usage) when there is none or several.
LedgerDataset dataset_of(const Ledger& ledger, const Typed& typed, const std::string& path);

}  // namespace fractile::requests
