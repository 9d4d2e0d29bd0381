// Losses of an analyst with two actions, by what one of them costs more than the other.
#pragma once

#include <vector>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// To take a bet, and not to: the latter costs the same whatever the secret. Between 0 and 1, one of them reached; `costs` of either sign,
/// by secret, not all 0.
Matrix bet_losses(const std::vector<Rational>& costs);

/// For and against a combination of secrets: (1 + weight) / 2 and (1 - weight) / 2, the weights scaled so that the largest is 1 or -1.
Matrix losses_by(const std::vector<Rational>& combination);

/// The largest absolute value; 0 if there is none.
Rational largest_of(const std::vector<Rational>& values);

}  // namespace fractile::flow
