#include "privacy/certified.hpp"

namespace fractile {
namespace {

constexpr slong significant_bits = 53;
constexpr slong sharp_bits = 50;

void require_finite(const Enclosure& ball) {
  if (!ball.is_finite()) throw_too_extreme();
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
  return ball.is_zero() || (ball.is_finite() && arb_rel_accuracy_bits(ball.arb()) > sharp_bits);
}

Enclosure one_minus_exp_of_minus(const Enclosure& x, std::int64_t precision) {
  Enclosure result = Enclosure::of(Rational(0), precision);
  arb_expm1(result.arb(), (-x).arb(), precision);
  return -result;
}

void throw_too_extreme() {
  throw Error(ErrorCode::usage, "the privacy levels are too large, too small or too close together to be bounded",
              "write levels with fewer digits and an ordinary size");
}

}  // namespace fractile
