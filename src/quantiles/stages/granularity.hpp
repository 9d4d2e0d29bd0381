// Finds privately on which grid of round numbers a column lies, by an exponential mechanism over the powers of ten above the
// lattice's step. A column of whole numbers on a lattice of hundredths is then released as whole numbers.
// Proof: docs/proofs/granularity.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/joint/round_grid.hpp"

namespace fractile {

/// The scores of the granularities: index 0 is the lattice itself, index j is grids[j - 1]; there is at least one grid. Let F_j be
/// the number of the n records that are finer than grid j. The score of grid j is 6 n + max(10 F_j, 4 n - 10 F_(j+1)): it measures
/// how far the grid is from being the coarsest one than which at most 1/5 of the records are finer. The score of the lattice itself
/// is 13 (n - F_1); it is the least one when more than 7/23 of the records are finer than every grid.
std::vector<std::uint64_t> granularity_scores(const RankProfile& profile, const std::vector<RoundGrid>& grids);

/// The multiplicities in the selection: that of the lattice itself is 20 times that of all grids together, so a few records rarely
/// outweigh it.
std::vector<std::uint64_t> granularity_multiplicities(std::size_t grids);

/// The profile on the lattice of the grid's candidates alone: each record of a regular lattice's profile moves to the nearest of
/// them.
RankProfile on_grid(const RankProfile& profile, const RoundGrid& grid);

/// The rate for scores whose changes spread over 16 when a record is added, and over 23 when one is changed.
Exponent granularity_rate(const Calibration& calibration);

/// The grid that is selected at this rate; nothing for the lattice itself.
std::optional<RoundGrid> select_granularity(const RankProfile& profile, const std::vector<RoundGrid>& grids,
                                            const Exponent& rate, PaidPart part);

}  // namespace fractile
