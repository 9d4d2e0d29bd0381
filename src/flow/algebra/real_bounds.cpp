#include "flow/algebra/real_roots.hpp"
#include "flow/algebra/ring.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

std::string RealBounds::to_decimal(int digits) const {
  const Rational scale = Rational(10).pow(digits);
  const auto rounded = [&](const Rational& value) { return (value * scale + Rational(1, 2)).floor() / scale; };
  if (rounded(lower) == rounded(upper)) return rounded(lower).to_decimal();
  return digits > 0 ? to_decimal(digits - 1) : rounded(lower).to_decimal();
}

RealBounds odds_bounds(const Exponent& epsilon) {
  if (epsilon.has_rational_exponential()) return {epsilon.exponential(), epsilon.exponential()};
  return bounds_of(Enclosure::of(epsilon, enclosure_bits).exp());
}

}  // namespace fractile::flow
