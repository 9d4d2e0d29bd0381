#include "flow/real_roots.hpp"

namespace fractile::flow {
namespace {

/// The same roots, each once.
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

RealBounds bounds_of(arb_srcptr ball) {
  RealBounds bounds;
  arf_t end;
  arf_init(end);
  arb_get_lbound_arf(end, ball, enclosure_bits);
  arf_get_fmpq(flint_of(bounds.lower), end);
  arb_get_ubound_arf(end, ball, enclosure_bits);
  arf_get_fmpq(flint_of(bounds.upper), end);
  arf_clear(end);
  return bounds;
}

std::vector<RealBounds> real_roots(const Polynomial& polynomial, const Rational& from, const Rational& to) {
  std::vector<RealBounds> result;
  if (polynomial.degree() < 1) return result;
  const Polynomial simple = squarefree(polynomial);
  const std::int64_t degree = simple.degree();
  acb_ptr roots = _acb_vec_init(degree);
  arb_fmpz_poly_complex_roots(roots, simple.get(), 0,
                              root_bits);  // isolates them; real ones are exactly real and come first
  for (std::int64_t i = 0; i < degree && arb_is_zero(acb_imagref(roots + i)) != 0; ++i) {
    RealBounds root = bounds_of(acb_realref(roots + i));
    if (root.upper >= from && root.lower <= to) result.push_back(std::move(root));
  }
  _acb_vec_clear(roots, degree);
  return result;
}

}  // namespace fractile::flow
