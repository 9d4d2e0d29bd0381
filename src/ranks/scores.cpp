#include "ranks/scores.hpp"

#include <algorithm>
#include <string>

#include "fractile/error.hpp"

namespace fractile {
namespace {

/// A number from 2 to 100 is most likely a percentage.
std::string hint_outside(const Rational& alpha) {
  const Rational share = alpha / Rational(100);
  if (alpha < Rational(2) || share > Rational(1) || !share.is_decimal()) return "write 0.5 for the median";
  return "write " + share.to_decimal() + " for " + alpha.to_decimal() + " %, with a decimal point";
}

}  // namespace

QuantileFraction QuantileFraction::of(const Rational& alpha) {
  const Rational numerator = alpha.numerator();
  const Rational denominator = alpha.denominator();
  if (numerator.sign() < 0 || numerator > denominator) {
    throw Error(ErrorCode::usage, "the quantile " + alpha.to_string() + " is outside [0, 1]", hint_outside(alpha));
  }
  if (!denominator.fits_uint64() || denominator.to_uint64() > std::uint64_t{1} << 31) {
    throw Error(ErrorCode::usage, "the quantile " + alpha.to_string() + " has too many digits",
                "the quantiles' common denominator may reach 2147483648: nine decimals");
  }
  return {numerator.to_uint64(), denominator.to_uint64()};
}

namespace {

std::uint64_t abs_diff(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::uint64_t rank_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n,
                         std::uint64_t size_limit) {
  return abs_diff(alpha.denominator * std::min(below, size_limit), alpha.numerator * std::min(n - equal, size_limit));
}

std::uint64_t interval_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n) {
  return saturated_interval_score(alpha, below, equal, n);
}

}  // namespace fractile
