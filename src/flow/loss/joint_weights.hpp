// prior * loss as integers: what every observation's losses are mixed with.
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

struct JointWeights {
  Matrix weights;   ///< common * prior(x) * loss(x, w): integers; a row a secret, a column an action
  Rational common;  ///< an integer
};

JointWeights joint_weights(const Prior& prior, const Loss& loss);

/// The sum over secrets of the highest weight in the row, times the secret's number: where laws given the secret have these
/// moduli, no less than all joint losses together, whatever the actions are.
Enclosure highest_losses(const JointWeights& joint, const std::vector<Enclosure>& moduli);

/// No less than the expected loss of an analyst who takes the same action whatever they see.
Enclosure largest_loss(const JointWeights& joint);

}  // namespace fractile::flow
