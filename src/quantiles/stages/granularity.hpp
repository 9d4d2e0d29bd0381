// On which grid of round numbers a column lies, found privately: an exponential mechanism over the powers of ten above the
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

/// The score of each granularity, 0 for the lattice itself, j for grids[j - 1], of which there is at least one. With F_j of n records
/// finer, a grid's is 6 n + max(10 F_j, 4 n - 10 F_(j+1)): how far it is from being the coarsest one that at most a fifth of the
/// records are finer than. The lattice's own is 13 (n - F_1): it is the least when more than 7/23 of them are finer than every grid.
std::vector<std::uint64_t> granularity_scores(const RankProfile& profile, const std::vector<RoundGrid>& grids);

/// How often each counts in the selection: the lattice itself 20 times as often as all grids together, which few records then
/// seldom outweigh.
std::vector<std::uint64_t> granularity_multiplicities(std::size_t grids);

/// The records of a regular lattice's profile, each on the nearest candidate of the grid: on the lattice of those alone.
RankProfile on_grid(const RankProfile& profile, const RoundGrid& grid);

/// What the selection pays in bounded range: 16 for a record added, 23 for one changed.
Exponent granularity_rate(const Calibration& calibration);

/// The grid that is selected at that rate; nothing for the lattice itself.
std::optional<RoundGrid> select_granularity(const RankProfile& profile, const std::vector<RoundGrid>& grids,
                                            const Exponent& rate, PaidPart part);

}  // namespace fractile
