// What is asked of a column, from words: for release and plan.
#pragma once

#include <optional>

#include "fractile/bounds.hpp"
#include "fractile/quantiles.hpp"
#include "options.hpp"

namespace fractile::cli {

/// --bounds auto, with --step and --bounds-budget; nothing when bounds or candidates are given.
struct BoundsToFind {
  BoundsSearch search;
  Rational share;
};
std::optional<BoundsToFind> bounds_to_find(const Typed& typed, const QuantileQuery& query);

/// --bounds LO HI and --step, or --candidates.
Lattice lattice_of(const Typed& typed);

/// --intervals LEVEL, --of and --together; nothing without the first.
std::optional<IntervalRequest> intervals_of(const Typed& typed);

/// --quantiles and the options of mechanisms; validated.
QuantileQuery query_of(const Typed& typed, const Budget& budget);

}  // namespace fractile::cli
