// Points that are moved to where the counts of a release's cells place their quantiles.
// Proof: docs/proofs/intervals.md, "Points"
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/cuts.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// `points`, one candidate per quantile of the query, each moved by a part of what the counts say that its rank is off: by the larger a part,
/// the less noise they have in comparison with the selection. A point stays where it is among listed candidates, alone, on a tie or
/// beside a gap as far as the cells show them, or when selection and counts contradict each other. `below`: the noisy counts up to each
/// cut, from none to all. Neither the points nor what is returned ever decrease.
std::vector<std::uint64_t> recentered(const std::vector<std::uint64_t>& points, const QuantileQuery& query,
                                      const Lattice& lattice, const Brackets& brackets, const PlacedCuts& cuts,
                                      const std::vector<int128>& below);

}  // namespace fractile
