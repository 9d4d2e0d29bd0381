#include "flow/ellipse.hpp"

#include <array>

namespace fractile::flow {
namespace {

constexpr std::int64_t arcs = 128;  // that cover the upper half of the boundary

const Rational& half_width() {
  static const Rational value = (Rational(Interpolation::ellipse) + Rational(1, Interpolation::ellipse)) / 2;
  return value;
}
const Rational& half_height() {
  static const Rational value = (Rational(Interpolation::ellipse) - Rational(1, Interpolation::ellipse)) / 2;
  return value;
}

Enclosure ball(const Rational& value) { return Enclosure::of(value, chebyshev_bits); }

/// A box of odds about the i-th arc: places half_width cos a + i half_height sin a, pi i / arcs <= a <= pi (i + 1) / arcs.
ComplexBox arc(const Cell& cell, std::int64_t i) {
  Enclosure angle = ball(Rational(2 * i + 1, 2 * arcs));
  const Enclosure reach = within(ball(Rational(1, 2 * arcs)));
  arb_add(angle.arb(), angle.arb(), reach.arb(), chebyshev_bits);
  ComplexBox box;
  arb_sin_cos_pi(acb_imagref(box.get()), acb_realref(box.get()), angle.arb(), chebyshev_bits);
  const Enclosure width = ball(half_width() * cell.radius);
  const Enclosure height = ball(half_height() * cell.radius);
  const Enclosure centre = ball(cell.centre);
  arb_mul(acb_realref(box.get()), acb_realref(box.get()), width.arb(), chebyshev_bits);
  arb_mul(acb_imagref(box.get()), acb_imagref(box.get()), height.arb(), chebyshev_bits);
  arb_add(acb_realref(box.get()), acb_realref(box.get()), centre.arb(), chebyshev_bits);
  return box;
}

/// A function's modulus in a box.
Enclosure modulus_at(const Polynomial& numerator, const Polynomial& denominator, const ComplexBox& odds) {
  ComplexBox value;
  ComplexBox divisor;
  arb_fmpz_poly_evaluate_acb(value.get(), numerator.get(), odds.get(), chebyshev_bits);
  arb_fmpz_poly_evaluate_acb(divisor.get(), denominator.get(), odds.get(), chebyshev_bits);
  Enclosure result = value.modulus();
  const Enclosure below = divisor.modulus();
  arb_div(result.arb(), result.arb(), below.arb(), chebyshev_bits);
  return result;
}

/// |u + i v|.
Enclosure modulus_of(const Enclosure& real, const Enclosure& imaginary) {
  Enclosure result;
  arb_hypot(result.arb(), real.arb(), imaginary.arb(), chebyshev_bits);
  return result;
}

Enclosure plus_or_minus(const Enclosure& centre, const Enclosure& radius, int sign) {
  Enclosure result = centre;
  arb_addmul_si(result.arb(), radius.arb(), sign, chebyshev_bits);
  return result;
}

/// |p| + |1 - p| is convex in p, so that a corner of the box is its largest: half the corners, for it is symmetrical.
Enclosure largest_in_box(const Enclosure& centre, const Enclosure& real_reach, const Enclosure& imaginary_reach) {
  Enclosure largest;
  for (const int sign : std::array{-1, 1}) {
    const Enclosure p = plus_or_minus(centre, real_reach, sign);
    Enclosure rest;
    arb_sub_ui(rest.arb(), p.arb(), 1, chebyshev_bits);
    Enclosure sum = modulus_of(p, imaginary_reach);
    arb_add(sum.arb(), sum.arb(), modulus_of(rest, imaginary_reach).arb(), chebyshev_bits);
    arb_max(largest.arb(), largest.arb(), sum.arb(), chebyshev_bits);
  }
  return largest;
}

Enclosure scaled(const Enclosure& value, const Rational& factor) {
  Enclosure result;
  arb_mul(result.arb(), value.arb(), ball(factor).arb(), chebyshev_bits);
  return result;
}

}  // namespace

bool is_right_of_zero(const Cell& cell) { return cell.centre > cell.radius * half_width(); }

Enclosure largest_on_ellipse(const Cell& cell, const std::function<Enclosure(const ComplexBox&)>& at) {
  Enclosure largest;
  for (std::int64_t i = 0; i < arcs; ++i) {
    arb_max(largest.arb(), largest.arb(), at(arc(cell, i)).arb(), chebyshev_bits);
  }
  return largest;
}

ProbabilityBounds bounds_about(const Polynomial& numerator, const Polynomial& denominator, const Cell& cell) {
  RationalFunction p;
  fmpz_poly_set(fmpz_poly_q_numref(p.get()), numerator.get());
  fmpz_poly_set(fmpz_poly_q_denref(p.get()), denominator.get());
  fmpz_poly_q_canonicalise(p.get());
  RationalFunction derivative;
  fmpz_poly_q_derivative(derivative.get(), p.get());
  Polynomial above;
  Polynomial below;
  fmpz_poly_set(above.get(), derivative.numerator());
  fmpz_poly_set(below.get(), derivative.denominator());

  ProbabilityBounds bounds;
  const Enclosure steepest =
      largest_on_ellipse(cell, [&](const ComplexBox& odds) { return modulus_at(above, below, odds); });
  bounds.slope = scaled(steepest, cell.radius);
  const Rational middle = numerator.at(cell.centre) / denominator.at(cell.centre);
  bounds.range = ball(middle);
  bounds.modulus =
      largest_in_box(bounds.range, scaled(bounds.slope, half_width()), scaled(bounds.slope, half_height()));
  arb_add(bounds.range.arb(), bounds.range.arb(), within(bounds.slope).arb(), chebyshev_bits);
  return bounds;
}

}  // namespace fractile::flow
