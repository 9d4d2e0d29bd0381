#include "flow/algebra/bernstein_ellipse.hpp"

namespace fractile::flow {
namespace {

constexpr std::int64_t arcs = 128;  // these cover the upper half of the boundary

const Rational& half_width() {
  static const Rational value =
      (Rational(Interpolation::bernstein_parameter) + Rational(1, Interpolation::bernstein_parameter)) / 2;
  return value;
}
const Rational& half_height() {
  static const Rational value =
      (Rational(Interpolation::bernstein_parameter) - Rational(1, Interpolation::bernstein_parameter)) / 2;
  return value;
}

Enclosure ball(const Rational& value) { return Enclosure::of(value, chebyshev_bits); }

/// A box of odds around the i-th arc: places half_width cos a + sqrt(-1) half_height sin a, where pi i / arcs <= a <= pi (i + 1) /
/// arcs.
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

/// The quotient in lowest terms.
RationalFunction quotient(const Polynomial& numerator, const Polynomial& denominator) {
  RationalFunction result;
  fmpz_poly_set(fmpz_poly_q_numref(result.get()), numerator.get());
  fmpz_poly_set(fmpz_poly_q_denref(result.get()), denominator.get());
  fmpz_poly_q_canonicalise(result.get());
  return result;
}

ComplexBox value_at(const RationalFunction& function, const ComplexBox& odds) {
  ComplexBox value;
  ComplexBox divisor;
  arb_fmpz_poly_evaluate_acb(value.get(), function.numerator(), odds.get(), chebyshev_bits);
  arb_fmpz_poly_evaluate_acb(divisor.get(), function.denominator(), odds.get(), chebyshev_bits);
  acb_div(value.get(), value.get(), divisor.get(), chebyshev_bits);
  return value;
}

/// |p| - Re p = (Im p)^2 / (|p| + Re p): of the second order where p is nearly real and positive.
Enclosure excess_of(const ComplexBox& p) {
  const Enclosure modulus = p.modulus();
  Enclosure excess;
  Enclosure sum;
  arb_sub(excess.arb(), modulus.arb(), acb_realref(p.get()), chebyshev_bits);
  arb_add(sum.arb(), modulus.arb(), acb_realref(p.get()), chebyshev_bits);
  if (!sum.is_positive()) return excess;
  Enclosure other;
  arb_sqr(other.arb(), acb_imagref(p.get()), chebyshev_bits);
  arb_div(other.arb(), other.arb(), sum.arb(), chebyshev_bits);
  return tighter_bound(excess, other);
}

/// The highest number in the ball. For an upper bound, the lower end of a wide ball does not matter.
Enclosure upper_end(const Enclosure& value) {
  Enclosure result;
  arb_get_ubound_arf(arb_midref(result.arb()), value.arb(), chebyshev_bits);
  return result;
}

}  // namespace

bool is_right_of_zero(const Cell& cell) { return cell.centre > cell.radius * half_width(); }

Enclosure largest_on_ellipse(const Cell& cell, const std::function<Enclosure(const ComplexBox&)>& at) {
  Enclosure largest;
  for (std::int64_t i = 0; i < arcs; ++i) largest = Enclosure::larger(largest, at(arc(cell, i)), chebyshev_bits);
  return upper_end(largest);
}

Enclosure largest_sum_of_moduli(const std::vector<Polynomial>& numerators, const Polynomial& denominator,
                                const Cell& cell) {
  Polynomial all;
  std::vector<RationalFunction> quotients;
  quotients.reserve(numerators.size());
  for (const Polynomial& numerator : numerators) {
    all = all + numerator;
    quotients.push_back(quotient(numerator, denominator));
  }
  const RationalFunction total = quotient(all, denominator);
  return largest_on_ellipse(cell, [&](const ComplexBox& odds) {
    Enclosure sum;  // first the sum of the real parts
    arb_set(sum.arb(), acb_realref(value_at(total, odds).get()));
    for (const RationalFunction& one : quotients) {
      arb_add(sum.arb(), sum.arb(), excess_of(value_at(one, odds)).arb(), chebyshev_bits);
    }
    return sum;
  });
}

ProbabilityBounds bounds_about(const Polynomial& numerator, const Polynomial& denominator, const Cell& cell) {
  RationalFunction derivative;
  fmpz_poly_q_derivative(derivative.get(), quotient(numerator, denominator).get());
  const Enclosure steepest =
      largest_on_ellipse(cell, [&](const ComplexBox& odds) { return value_at(derivative, odds).modulus(); });
  ProbabilityBounds bounds;
  bounds.slope = Enclosure::product(steepest, ball(cell.radius), chebyshev_bits);
  bounds.modulus = largest_sum_of_moduli({numerator, denominator - numerator}, denominator, cell);
  bounds.range = ball(numerator.at(cell.centre) / denominator.at(cell.centre));
  arb_add(bounds.range.arb(), bounds.range.arb(), within(bounds.slope).arb(), chebyshev_bits);
  return bounds;
}

}  // namespace fractile::flow
