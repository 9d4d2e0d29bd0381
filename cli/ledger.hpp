// fractile ledger: shows and changes budgets and what was spent, and checks whether the file is whole.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_ledger(const Typed& typed);

}  // namespace fractile::cli
