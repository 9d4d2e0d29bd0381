// What is asked of a column, from words: for release and plan.
#pragma once

#include "fractile/quantiles.hpp"
#include "options.hpp"

namespace fractile::cli {

/// --bounds and --step, or --candidates.
Lattice lattice_of(const Typed& typed);

/// --quantiles and the options of mechanisms; validated.
QuantileQuery query_of(const Typed& typed, const Budget& budget);

}  // namespace fractile::cli
