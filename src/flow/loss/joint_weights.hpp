// prior * loss as integers: the weights of the joint losses after every observation.
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

struct JointWeights {
  Matrix weights;   ///< common * prior(x) * loss(x, w): integers; one row per secret, one column per action
  Rational common;  ///< an integer
};

JointWeights joint_weights(const Prior& prior, const Loss& loss);

/// The sum over secrets of the highest weight in the row times the secret's modulus. If the laws given the secrets have these
/// moduli, this is an upper bound of all joint losses together, for all actions.
Enclosure highest_losses(const JointWeights& joint, const std::vector<Enclosure>& moduli);

/// An upper bound of the expected loss of an analyst who always takes the same action.
Enclosure largest_loss(const JointWeights& joint);

}  // namespace fractile::flow
