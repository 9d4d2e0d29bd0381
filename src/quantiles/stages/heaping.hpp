// Finds privately on which round numbers many of a column's records heap, as reported ages do on multiples of five and hours of
// work on multiples of ten, by an exponential mechanism over some moduli and "no heaps".
// Proof: docs/proofs/heaping.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quantiles/stages/granularity.hpp"

namespace fractile {

/// A grid of multiples on which records may heap.
struct HeapGrid {
  RoundGrid grid;
  std::uint64_t modulus;  ///< in units of the values' granularity
};

/// The multiples of 5, 7, 8, 10, ..., 100 times the grid's spacing, or the lattice's step, that lie on a regular lattice; none for
/// an explicit list.
std::vector<HeapGrid> heap_grids(const Lattice& lattice, const std::optional<RoundGrid>& grid);

/// The score of no heaps, and then of each of heap_grids(): 96 n; 96 (n - h) + c n, with h of n records on the heaps and c = 32
/// log2(1 + 7/modulus), rounded. The difference between the two is 32 times the number of bits by which the description of all
/// records becomes shorter when each candidate of the heaps is assumed to be eight times as likely as another.
std::vector<std::uint64_t> heaping_scores(const RankProfile& profile, const std::vector<HeapGrid>& heaps);

/// The multiplicity of "no heaps" among the outcomes.
constexpr std::uint64_t no_heaps_length = 20;

/// The rate for scores whose changes spread over 133 when a record is added, and over 266 when one is changed.
Exponent heaping_rate(const Calibration& calibration);

/// The heaps that are selected at this rate, if any.
std::optional<RoundGrid> select_heaps(const RankProfile& profile, const std::vector<HeapGrid>& heaps,
                                      const Exponent& rate, PaidPart part);

}  // namespace fractile
