#include "flow/joint_weights.hpp"

namespace fractile::flow {

JointWeights joint_weights(const Prior& prior, const Loss& loss) {
  JointWeights result{Matrix(prior.size(), loss.actions().size()), 1};
  for (std::size_t x = 0; x < result.weights.rows(); ++x) {
    for (std::size_t w = 0; w < result.weights.columns(); ++w) {
      result.weights(x, w) = prior[x] * loss.matrix()(x, w);
      result.common *= (result.common * result.weights(x, w)).denominator();
    }
  }
  for (std::size_t x = 0; x < result.weights.rows(); ++x) {
    for (std::size_t w = 0; w < result.weights.columns(); ++w) result.weights(x, w) *= result.common;
  }
  return result;
}

}  // namespace fractile::flow
