// Moves selected points towards the places of their quantiles according to the counts of a release's cells.
// Proof: docs/proofs/intervals.md, "Points"
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/cuts.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// Returns `points`, one candidate per quantile of the query, each moved by a part of its rank error as the counts show it. The
/// part is larger the less noise the counts have compared with the selection. A point stays where it is if it is the only one, if
/// candidates are listed, if the cells show a tie or a gap there, or if selection and counts contradict each other. `below`: the
/// noisy counts of records below each cut, beginning with 0 and ending with all. Neither the points nor the results ever decrease.
std::vector<std::uint64_t> recentered(const std::vector<std::uint64_t>& points, const QuantileQuery& query,
                                      const Lattice& lattice, const Brackets& brackets, const PlacedCuts& cuts,
                                      const std::vector<int128>& below);

}  // namespace fractile
