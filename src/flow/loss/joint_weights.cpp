#include "flow/loss/joint_weights.hpp"

#include "flow/algebra/ring.hpp"

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

Enclosure highest_losses(const JointWeights& joint, const std::vector<Enclosure>& moduli) {
  Enclosure sum;
  for (std::size_t x = 0; x < joint.weights.rows(); ++x) {
    Enclosure highest;
    for (const Rational& weight : joint.weights.row(x)) {
      const Enclosure size = Enclosure::of(std::max(weight, -weight) / joint.common, enclosure_bits);
      highest = Enclosure::larger(highest, size, enclosure_bits);
    }
    add_product(sum, highest, moduli[x]);
  }
  return sum;
}

Enclosure largest_loss(const JointWeights& joint) {
  return highest_losses(joint, std::vector<Enclosure>(joint.weights.rows(), whole<Enclosure>(1)));
}

}  // namespace fractile::flow
