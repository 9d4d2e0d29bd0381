// A dataset for a ledger, from words.
#pragma once

#include "fractile/ledger.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `dataset`, a budget and the pins describe. Throws `usage` when these do not go together.
LedgerDataset dataset_to_add(const Typed& typed);

}  // namespace fractile::requests
