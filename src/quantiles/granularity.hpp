// On which grid of round numbers a column lies, found privately: an exponential mechanism over the powers of ten above the
// lattice's step. A column of whole numbers on a lattice of hundredths is then released as whole numbers.
// Proof: docs/proofs/granularity.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "quantiles/calibration.hpp"
#include "quantiles/draws.hpp"

namespace fractile {

/// Candidates offset, offset + stride, ...: the multiples of a power of ten.
struct RoundGrid {
  std::uint64_t offset;
  std::uint64_t stride;

  /// The nearest of them among 0 .. candidates - 1.
  std::uint64_t nearest(std::uint64_t candidate, std::uint64_t candidates) const;
  /// How many of them are among 0 .. candidates - 1.
  std::uint64_t size(std::uint64_t candidates) const { return (candidates - 1 - offset) / stride + 1; }
  bool contains(std::uint64_t candidate) const { return candidate >= offset && (candidate - offset) % stride == 0; }
};

/// The multiples of `unit` among the candidates of a regular lattice, when there are at least two of them and all between the
/// first and the last are candidates.
std::optional<RoundGrid> round_grid(const Lattice& lattice, const Rational& unit);

/// The powers of ten above the step of a regular lattice that have multiples in it, increasing, at most sixteen of them; of timestamps
/// and instants milliseconds, seconds, minutes, hours and days. None of dates, of an explicit list or of more than 2^55 candidates.
std::vector<RoundGrid> round_grids(const Lattice& lattice);

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
