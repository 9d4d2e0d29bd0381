// Losses of an analyst with two actions, from the difference of the actions' costs.
#pragma once

#include <vector>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// The actions are to take a bet, and not to take it, which costs the same under all secrets. Losses are between 0 and 1, and one
/// of these is reached. `costs`: by secret, of either sign, not all 0.
Matrix bet_losses(const std::vector<Rational>& costs);

/// The actions are to bet for and against a combination of secrets: (1 + weight) / 2 and (1 - weight) / 2, with weights scaled such
/// that the largest is 1 or -1.
Matrix losses_by(const std::vector<Rational>& combination);

/// The largest absolute value; 0 if there is none.
Rational largest_of(const std::vector<Rational>& values);

}  // namespace fractile::flow
