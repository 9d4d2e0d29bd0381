// The datasets of a ledger: turns words into one, and leaves out all others.
#pragma once

#include <string>

#include "fractile/ledger.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// The dataset that `dataset`, a budget and the pins describe. Throws `usage` when these options do not go together.
LedgerDataset dataset_to_add(const Typed& typed);

/// Leaves only what is about the dataset of this name.
void keep_dataset(LedgerStatement& statement, const std::string& name);

}  // namespace fractile::requests
