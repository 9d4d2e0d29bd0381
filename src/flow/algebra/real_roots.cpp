#include "flow/algebra/real_roots.hpp"

#include <algorithm>

#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// A polynomial with the same roots, each once.
Polynomial squarefree(const Polynomial& polynomial) {
  Polynomial common;
  fmpz_poly_gcd(common.get(), polynomial.get(), polynomial.derivative().get());
  fmpz_poly_primitive_part(common.get(), common.get());
  Polynomial result;
  fmpz_poly_primitive_part(result.get(), polynomial.get());
  fmpz_poly_div(result.get(), result.get(), common.get());
  return result;
}

}  // namespace

RealBounds bounds_of(const Enclosure& ball) {
  if (!ball.is_finite()) {
    throw Error(ErrorCode::usage, "a number is too near to a division by zero to be enclosed", "take another epsilon");
  }
  return {ball.lower_rational(enclosure_bits), ball.upper_rational(enclosure_bits)};
}

Rational short_rational(const Rational& point, const Rational& from, const Rational& to, const Rational& reach) {
  Rational result;
  fmpq_simplest_between(flint_of(result), flint_of(std::max(from, point - reach)),
                        flint_of(std::min(to, point + reach)));
  return result;
}

std::vector<RealBounds> real_roots(const Polynomial& polynomial, const Rational& from, const Rational& to) {
  std::vector<RealBounds> result;
  if (polynomial.degree() < 1) return result;
  const Polynomial simple = squarefree(polynomial);
  const std::int64_t degree = simple.degree();
  acb_ptr roots = _acb_vec_init(degree);
  arb_fmpz_poly_complex_roots(roots, simple.get(), 0,
                              root_bits);  // isolates all roots; real roots are exactly real and come first
  for (std::int64_t i = 0; i < degree && arb_is_zero(acb_imagref(roots + i)) != 0; ++i) {
    Enclosure ball;
    arb_set(ball.arb(), acb_realref(roots + i));
    RealBounds root = bounds_of(ball);
    if (root.upper >= from && root.lower <= to) result.push_back(std::move(root));
  }
  _acb_vec_clear(roots, degree);
  return result;
}

}  // namespace fractile::flow
