// fractile release: one column of one table, published.
#pragma once

#include <CLI/CLI.hpp>

namespace fractile::cli {

/// Adds the verb; it runs when the parsed command line names it.
void add_release(CLI::App& app);

}  // namespace fractile::cli
