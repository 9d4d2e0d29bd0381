// prior * loss as integers: what every observation's losses are mixed with.
#pragma once

#include "fractile/flow.hpp"

namespace fractile::flow {

struct JointWeights {
  Matrix weights;   ///< common * prior(x) * loss(x, w): integers; a row a secret, a column an action
  Rational common;  ///< an integer
};

JointWeights joint_weights(const Prior& prior, const Loss& loss);

}  // namespace fractile::flow
