#include "flow/refinement/two_actions.hpp"

#include <algorithm>

namespace fractile::flow {

Matrix bet_losses(const std::vector<Rational>& costs) {
  const Rational least = std::min(Rational(0), *std::ranges::min_element(costs));
  const Rational most = std::max(Rational(0), *std::ranges::max_element(costs)) - least;
  Matrix losses(costs.size(), 2);
  for (std::size_t x = 0; x < costs.size(); ++x) {
    losses(x, 0) = (costs[x] - least) / most;
    losses(x, 1) = -least / most;
  }
  return losses;
}

Matrix losses_by(const std::vector<Rational>& combination) {
  const Rational largest = largest_of(combination);
  Matrix losses(combination.size(), 2);
  for (std::size_t x = 0; x < combination.size(); ++x) {
    losses(x, 0) = (Rational(1) + combination[x] / largest) / 2;
    losses(x, 1) = (Rational(1) - combination[x] / largest) / 2;
  }
  return losses;
}

Rational largest_of(const std::vector<Rational>& values) {
  Rational largest;
  for (const Rational& value : values) largest = std::max({largest, value, -value});
  return largest;
}

}  // namespace fractile::flow
