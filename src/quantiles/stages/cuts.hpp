// Where the cuts of a release with intervals lie, which separate the cells that are counted.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "quantiles/joint/round_grid.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// The positions that separate the cells, and whose cut each is.
struct PlacedCuts {
  std::vector<Position> positions;   ///< never decreasing: a record below a cut is at a smaller position
  std::vector<std::size_t> targets;  ///< which of Brackets::cuts each is: those of one kind of end stay in their order,
                                     ///< all but the farthest out
  std::optional<RoundGrid> grid = {};  ///< of round numbers, on which most of those selected are
};

/// Each cut is at the candidate that is interpolated between those selected: a lower end's before it, an upper end's after it. So the
/// lower cut of a quantile may come before the upper cuts of quantiles below it, where both are at one candidate, a tie. An upper one
/// never comes before a lower one whose target is before its own. When most of those selected are round numbers, cuts between two of them
/// are moved inwards to round numbers. The farthest out keep away from the ends of the range, where a cut settles nothing, though others of
/// their kind may be beyond them. The innermost cut of an end moves to its point when the next of those selected ties with that.
PlacedCuts cuts_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice);

/// The selected points that are published.
std::vector<std::uint64_t> points_among(const std::vector<std::uint64_t>& selected, const std::vector<Role>& roles);

/// One count per cell, one more than there are cuts.
std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts);

}  // namespace fractile
