#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

Exponent largest_joint_rate() { return Rational(64); }

uint128 JointProblem::scaled_cost(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  uint128 cost = 0;
  std::uint64_t passed = 0;
  for (std::size_t j = 0; j < target.weights.size(); ++j) {
    const std::uint64_t reached = j < below.size() ? below[j] : span.records();
    const uint128 found = uint128{reached - passed} * target.denominator;
    const uint128 wanted = uint128{target.weights[j]} * total;
    cost += found > wanted ? found - wanted : wanted - found;
    passed = reached;
  }
  return cost;
}

}  // namespace fractile
