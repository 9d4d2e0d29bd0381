// For tests: a function whose modulus on the ellipse is known.
#pragma once

#include "flow/algebra/chebyshev.hpp"

namespace fractile::flow {

/// 1 / (odds + 1), a function whose modulus on the ellipse is known.
inline Enclosure reciprocal(const Cell& cell, const Enclosure& place) {
  Enclosure odds = Enclosure::of(cell.centre + 1, chebyshev_bits);
  arb_addmul(odds.arb(), Enclosure::of(cell.radius, chebyshev_bits).arb(), place.arb(), chebyshev_bits);
  arb_inv(odds.arb(), odds.arb(), chebyshev_bits);
  return odds;
}

}  // namespace fractile::flow
