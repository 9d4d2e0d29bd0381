// The cuts of a release with intervals: they separate the cells that are counted.
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

/// The positions of the cuts, and the target of each.
struct PlacedCuts {
  std::vector<Position> positions;  ///< never decreasing: a record below a cut is at a smaller position
  /// Which of Brackets::cuts each is, or the first of those at one place. Those of one kind of end stay in their order, all but the
  /// farthest out.
  std::vector<std::size_t> targets;
  /// In the order of their cuts, for each of Brackets::cuts: the number of cells below its cut, or below the next smaller one if it
  /// was left out; at least 1.
  std::vector<std::size_t> cells_below;
  std::optional<RoundGrid> grid = {};  ///< the grid of round numbers on which most selected candidates are
};

/// Each cut is at a candidate that is interpolated between selected ones: the cut of a lower end is before the candidate, that of
/// an upper end after it. So where a lower and an upper cut are at one candidate, a tie, the lower cut of a quantile may come
/// before the upper cuts of smaller quantiles. An upper cut never comes before a lower cut whose target is before its target. When
/// most selected candidates are round numbers, cuts between two of them are moved inwards to round numbers. The farthest cuts keep
/// away from the ends of the range, where a cut decides nothing, although other cuts of the same kind may lie beyond them. The
/// innermost cut of an end moves to its point when the next selected candidate ties with the point. With Brackets::leaves_out_cuts, one of
/// several cuts at one place is kept, one of those between two ties, and none at the ends of the range.
PlacedCuts cuts_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice);

/// The wanted quantiles: selected, or interpolated between selected ones.
std::vector<std::uint64_t> points_among(const std::vector<std::uint64_t>& selected, const Brackets& brackets,
                                        const Lattice& lattice);

/// The counts of the cells; there is one more cell than there are cuts.
std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts);

}  // namespace fractile
