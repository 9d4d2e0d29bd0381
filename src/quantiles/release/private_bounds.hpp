// The parts of a release with private bounds, as its sampler and its audit both use them.
// Proof: docs/proofs/private_bounds.md
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/bounds.hpp"
#include "quantiles/stages/independent.hpp"

namespace fractile {

/// The bounds to choose among, increasing, as candidates of search.lattice().
std::vector<std::uint64_t> bound_candidates(const BoundsSearch& search);

enum class Rounding { down, up };

/// Every record of some profiles on the next bound below it, or above it; on the outermost when there is none. The bounds are numbered.
RankProfile on_bounds(std::span<const RankProfile> profiles, const std::vector<std::uint64_t>& bounds,
                      Rounding rounding);

/// One selection each: of the lower bound among records rounded down, of the upper one among records rounded up. Of quantiles
/// outside all that are asked for, half way to 0 and to 1 or a little more. Both together cost `budget`.
struct BoundsQuery {
  IndependentQuantiles lower;
  IndependentQuantiles upper;
};
BoundsQuery bounds_query(const QuantileQuery& query, const Budget& budget);

}  // namespace fractile
