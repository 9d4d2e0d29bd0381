// fractile flow: reports what a release is worth to an analyst.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// Returns the exit code. For words that decide a question, 0 means yes, 1 means no, and 6 means undecided. For other words, 0 means
/// success.
int run_flow(const Typed& typed);

}  // namespace fractile::cli
