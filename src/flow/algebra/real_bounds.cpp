#include <algorithm>
#include <string>

#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/algebra/ring.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

std::string RealBounds::to_decimal(int digits) const {
  const OwnEnvironment own;
  const Rational ten(10);
  const auto rounded = [](const Rational& value, const Rational& unit) {
    return (value / unit + Rational(1, 2)).floor();
  };
  for (int places = std::max(digits, 0); places >= 0; --places) {
    const Rational unit = ten.pow(-places);
    const Rational number = rounded(lower, unit);
    if (number == rounded(upper, unit)) return (number * unit).to_decimal();
  }
  // The ends differ in units that are at most their distance.
  const auto length = static_cast<std::int64_t>((upper - lower).floor().to_string().size());
  for (std::int64_t zeros = std::max(length - 1, std::int64_t{1});; ++zeros) {
    const Rational unit = ten.pow(zeros);
    const Rational number = rounded(lower, unit);
    if (number != rounded(upper, unit)) continue;
    if (number.sign() != 0) return number.to_string() + "e" + std::to_string(zeros);
    break;
  }
  const Rational unit = ten.pow(-std::max(digits, 0));
  return ((lower / unit).floor() * unit).to_decimal() + ".." + ((upper / unit).ceil() * unit).to_decimal();
}

namespace {

std::int64_t bits_of(const Rational& value) {
  return static_cast<std::int64_t>(fmpz_bits(fmpq_numref(flint_of(value))) + fmpz_bits(fmpq_denref(flint_of(value))));
}

/// How many bits are lost when ln(r) is computed from an enclosure of r >= 1, as r may be near 1.
std::int64_t bits_lost(const Rational& r) {
  const Rational beyond = (r - 1).numerator();
  return std::max(std::int64_t{0}, bits_of(r.denominator()) - bits_of(beyond));
}

}  // namespace

void require_usual(const Exponent& epsilon) {
  constexpr std::int64_t most_epsilon = 10'000;
  constexpr std::int64_t most_bits = std::int64_t{1} << 20;  // of a rational exp(epsilon)
  const Field field("epsilon");
  const bool is_long = epsilon.has_rational_exponential() && !epsilon.is_zero() &&
                       epsilon.coefficient() * Rational(bits_of(epsilon.argument())) > Rational(most_bits);
  // A logarithm c ln(r) is below c times the number of r's bits.
  const bool is_small =
      epsilon.coefficient() * Rational(epsilon.is_log() ? bits_of(epsilon.argument()) : 1) <= most_epsilon;
  if (!is_small && epsilon > Exponent(Rational(most_epsilon))) {
    throw Error(ErrorCode::usage, {field, ": at most 10,000"}, {"write for example ", field.number(1)});
  }
  if (is_long) {
    throw Error(ErrorCode::usage, {field, ": exp(epsilon) is too long to be written down"},
                {"write for example ", field.number("ln 3")});
  }
}

Enclosure odds_at(const Exponent& epsilon, std::int64_t precision) {
  require_usual(epsilon);
  if (epsilon.has_rational_exponential()) return Enclosure::of(epsilon.exponential(), precision);
  const std::int64_t lost = epsilon.is_log() ? bits_lost(epsilon.argument()) : 0;
  return Enclosure::of(epsilon, precision + lost).exp();
}

RealBounds odds_bounds(const Exponent& epsilon) {
  const OwnEnvironment own;
  require_usual(epsilon);
  if (epsilon.has_rational_exponential()) return {epsilon.exponential(), epsilon.exponential()};
  return bounds_of(odds_at(epsilon));
}

}  // namespace fractile::flow
