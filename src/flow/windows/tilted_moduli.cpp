#include "flow/windows/tilted_moduli.hpp"

#include <cstdint>

#include "flow/algebra/bernstein_ellipse.hpp"

namespace fractile::flow {

std::vector<Enclosure> tilted_moduli(const Rational& ratio, const TargetTotal& target, const Cell& cell) {
  const auto highest = static_cast<std::int64_t>(target.longest_step());
  const Rational above = ratio.numerator();
  const Rational below = ratio.denominator();
  const Polynomial denominator = target.denominator() * Polynomial::constant(below.pow(highest));
  std::vector<Enclosure> moduli;
  for (const std::vector<Polynomial>& law : target.laws()) {
    std::vector<Polynomial> weighted;
    for (std::size_t s = 0; s < law.size(); ++s) {
      const auto step = static_cast<std::int64_t>(target.different_steps()[s]);
      weighted.push_back(law[s] * Polynomial::constant(above.pow(step) * below.pow(highest - step)));
    }
    moduli.push_back(largest_sum_of_moduli(weighted, denominator, cell));
  }
  return moduli;
}

}  // namespace fractile::flow
