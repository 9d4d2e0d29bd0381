// fractile explain: a receipt in plain language.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Exit code.
int run_explain(const Typed& typed);

}  // namespace fractile::cli
