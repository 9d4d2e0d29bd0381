#include "privacy/certified.hpp"

namespace fractile {
namespace {

constexpr slong significant_bits = 53;
constexpr slong sharp_bits = 50;

void require_finite(const Enclosure& ball) {
  if (!arb_is_finite(ball.arb())) throw_too_extreme();
}

}  // namespace

Rational upper_rational(const Enclosure& ball) {
  require_finite(ball);
  return ball.upper_rational(significant_bits);
}

Rational lower_rational(const Enclosure& ball) {
  require_finite(ball);
  return ball.lower_rational(significant_bits);
}

bool is_sharp(const Enclosure& ball) {
  if (arb_is_zero(ball.arb())) return true;
  return arb_is_finite(ball.arb()) && arb_rel_accuracy_bits(ball.arb()) > sharp_bits;
}

Enclosure one_minus_exp_of_minus(const Enclosure& x, std::int64_t precision) {
  Enclosure result = Enclosure::of(Rational(0), precision);
  arb_neg(result.arb(), x.arb());
  arb_expm1(result.arb(), result.arb(), precision);
  arb_neg(result.arb(), result.arb());
  return result;
}

void throw_too_extreme() {
  throw Error(ErrorCode::usage, "the privacy levels are too large, too small or too close together to be bounded",
              "write levels with fewer digits and an ordinary size");
}

}  // namespace fractile
