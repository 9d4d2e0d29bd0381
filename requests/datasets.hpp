// Turns words into a dataset for a ledger.
#pragma once

#include "fractile/ledger.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// The dataset that `dataset`, a budget and the pins describe. Throws `usage` when these options do not go together.
LedgerDataset dataset_to_add(const Typed& typed);

}  // namespace fractile::requests
