// fractile ledger: budgets, what was spent of them, and whether the file is whole.
#pragma once

#include <string>

#include "fractile/ledger.hpp"
#include "options.hpp"

namespace fractile::cli {

/// The exit code.
int run_ledger(const Typed& typed);

/// The one that --dataset names, or the ledger's only one; Error(usage) when there is none or several.
LedgerDataset dataset_of(const Ledger& ledger, const Typed& typed, const std::string& path);

/// With its balance, as of now; Error(internal) when there is none of this name.
LedgerAccount account_of(const Ledger& ledger, const std::string& dataset);

}  // namespace fractile::cli
