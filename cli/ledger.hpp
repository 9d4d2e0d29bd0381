// fractile ledger: budgets, what was spent of them, and whether the file is whole.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// The exit code.
int run_ledger(const Typed& typed);

}  // namespace fractile::cli
