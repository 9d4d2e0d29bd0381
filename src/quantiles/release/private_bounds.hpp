// The parts of a release with private bounds, as its sampler and its audit both use them.
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

/// Every record of some profiles on the next bound below it, or above it; on the outermost when there is none. The bounds are numbered.
RankProfile on_bounds(std::span<const RankProfile> profiles, const std::vector<std::uint64_t>& bounds,
                      Rounding rounding);

/// One selection each: for the lower bound among records rounded down, for the upper one among records rounded up. For quantiles
/// outside all that are asked for, half way to 0 and to 1 or a little more. Both together cost `budget`.
struct BoundsQuery {
  IndependentQuantiles lower;
  IndependentQuantiles upper;
};
BoundsQuery bounds_query(const QuantileQuery& query, const Budget& budget);

/// Found bounds, and what finding them cost.
struct FoundBounds {
  std::uint64_t lowest;  ///< a candidate of the search's lattice
  std::uint64_t highest;
  PrivateBounds bounds;
  std::vector<PartCost> spent;
};

/// Finds them among the records of all profiles, and takes its fraction of the whole. Throws `usage` as release() does.
FoundBounds found_bounds(std::span<const RankProfile> profiles, const QuantileQuery& query, const BoundsToFind& wanted,
                         Share& whole, DrawSource& source);
/// Says so in a release within them.
void add_bounds(Release& release, const FoundBounds& found);

}  // namespace fractile
