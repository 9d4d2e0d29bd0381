#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {
namespace {

void require_rhos(std::span<const Rational> rhos) {
  for (const Rational& rho : rhos) {
    if (rho.sign() >= 0) continue;
    throw Error(ErrorCode::usage, "rho is negative: " + rho.to_string(), "write rhos of at least 0");
  }
}

void require_group(std::int64_t size) {
  if (size < 1) throw Error(ErrorCode::usage, "a group of " + std::to_string(size), "write a size of at least 1");
}

/// The largest cost, or the sum of the two largest when one change can reach two parts.
template <typename Cost>
Cost parallel(std::vector<Cost> costs, Neighbors neighbors) {
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return b < a; });
  costs.resize(std::min(costs.size(), std::size_t{neighbors == Neighbors::add_remove ? 1u : 2u}));
  Cost total;
  for (const Cost& cost : costs) total += cost;
  return total;
}

}  // namespace

EpsilonSum compose_pure(std::span<const Exponent> epsilons) {
  EpsilonSum sum;
  for (const Exponent& epsilon : epsilons) sum += epsilon;
  return sum;
}

Rational compose_zcdp(std::span<const Rational> rhos) {
  require_rhos(rhos);
  Rational sum;
  for (const Rational& rho : rhos) sum += rho;
  return sum;
}

ApproximateCost compose_approximate(std::span<const ApproximateCost> costs) {
  ApproximateCost sum;
  for (const ApproximateCost& cost : costs) {
    if (cost.delta.sign() < 0 || cost.delta > Rational(1)) {
      throw Error(ErrorCode::usage, "delta is not a probability: " + cost.delta.to_string(), "write 0 to 1");
    }
    sum.epsilon += cost.epsilon;
    sum.delta += cost.delta;
  }
  sum.delta = std::min(sum.delta, Rational(1));
  return sum;
}

EpsilonSum parallel_pure(std::span<const Exponent> epsilons, Neighbors neighbors) {
  return parallel(std::vector<EpsilonSum>(epsilons.begin(), epsilons.end()), neighbors);
}

Rational parallel_zcdp(std::span<const Rational> rhos, Neighbors neighbors) {
  require_rhos(rhos);
  return parallel(std::vector<Rational>(rhos.begin(), rhos.end()), neighbors);
}

Exponent group_pure(const Exponent& epsilon, std::int64_t size) {
  require_group(size);
  return epsilon * Rational(size);
}

Rational group_zcdp(const Rational& rho, std::int64_t size) {
  require_group(size);
  require_rhos({&rho, 1});
  return Rational(size) * Rational(size) * rho;
}

}  // namespace fractile
