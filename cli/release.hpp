// fractile release: one column of one table, published.
#pragma once

#include <string>

#include "fractile/quantiles.hpp"
#include "fractile/report.hpp"
#include "options.hpp"

namespace fractile::cli {

/// The exit code.
int run_release(const Typed& typed);

/// The lines under a table: what was promised, what ran (`mechanism`, in words), what was left out.
std::string terms_of(const QuantileRelease& release, const SourceDescription& source, const std::string& mechanism);

}  // namespace fractile::cli
