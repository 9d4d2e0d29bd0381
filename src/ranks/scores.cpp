#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

QuantileFraction QuantileFraction::of(const Rational& alpha) {
  if (alpha.sign() < 0 || alpha > Rational(1)) {
    throw Error(ErrorCode::usage, "the quantile " + alpha.to_string() + " is outside [0, 1]",
                "write 0.5 for the median");
  }
  if (alpha.denominator() > Rational(std::int64_t{1} << 31)) {
    throw Error(ErrorCode::usage, "the quantile " + alpha.to_string() + " has too many digits",
                "the quantiles' common denominator may reach 2147483648: nine decimals");
  }
  return {alpha.numerator().to_uint64(), alpha.denominator().to_uint64()};
}

namespace {

std::uint64_t abs_diff(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::uint64_t rank_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n,
                         std::uint64_t size_limit) {
  return abs_diff(alpha.denominator * std::min(below, size_limit), alpha.numerator * std::min(n - equal, size_limit));
}

std::uint64_t interval_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n) {
  const std::uint64_t target = alpha.numerator * n;
  const std::uint64_t first = alpha.denominator * below;
  const std::uint64_t last = alpha.denominator * (below + equal);
  if (first > target) return first - target;
  return target > last ? target - last : 0;
}

}  // namespace fractile
