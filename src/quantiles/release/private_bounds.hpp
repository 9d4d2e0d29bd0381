// The parts of a release with private bounds, for its sampler and its audit.
// Proof: docs/proofs/private_bounds.md
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/independent.hpp"

namespace fractile {

/// The bounds to choose among, increasing, as candidates of search.lattice().
std::vector<std::uint64_t> bound_candidates(const BoundsSearch& search);

enum class Rounding { down, up };

/// All records of some profiles, each moved to the next bound below it (or above it), or to the outermost bound if there is none.
/// The lattice numbers the bounds.
RankProfile on_bounds(std::span<const RankProfile> profiles, const std::vector<std::uint64_t>& bounds,
                      Rounding rounding);

/// Two selections: the lower bound is selected among records rounded down, and the upper bound among records rounded up. Their
/// quantiles lie outside all quantiles asked for, half way to 0 and to 1 or a little farther. Both selections together cost
/// `budget`.
struct BoundsQuery {
  IndependentQuantiles lower;
  IndependentQuantiles upper;
};
BoundsQuery bounds_query(const QuantileQuery& query, const Budget& budget);

/// Found bounds, and what finding them cost.
struct FoundBounds {
  std::uint64_t lowest;  ///< candidate of the search's lattice
  std::uint64_t highest;
  PrivateBounds bounds;
  std::vector<PartCost> spent;
};

/// Finds bounds among the records of all profiles, and takes the fraction for them from `whole`. Throws `usage` as release() does.
FoundBounds found_bounds(std::span<const RankProfile> profiles, const QuantileQuery& query, const BoundsToFind& wanted,
                         Share& whole, DrawSource& source);
/// Adds the found bounds to the description of a release within them.
void add_bounds(Release& release, const FoundBounds& found);

}  // namespace fractile
