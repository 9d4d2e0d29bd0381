#include "quantiles/joint/rate_powers.hpp"

#include <cmath>

#include "exact/enclosure.hpp"
#include "exact/exp_bounds.hpp"

namespace fractile {

namespace {

/// floor(value * 2^64), for a value below 2^63.
uint128 in_units(const Rational& value) {
  const std::uint64_t whole = value.floor().to_uint64();
  const Rational rest = (value - Rational(whole)) * Rational::dyadic(1, 64);
  return (uint128{whole} << 64) + rest.floor().to_uint64();
}

constexpr double unit = 0x1p-64;
constexpr int rest_bits = 40;  // fractions are counted in units of 2^-rest_bits

}  // namespace

RatePowers::RatePowers(const Exponent& rate) {
  constexpr std::int64_t precision = 192;
  const Enclosure bits = Enclosure::of(rate, precision) / Enclosure::of(Rational(2), precision).log();
  lower_ = in_units(bits.lower_rational(160));
  upper_ = in_units(bits.upper_rational(160)) + 1;
}

WideReal RatePowers::down(std::uint64_t whole, std::uint64_t rest, std::uint64_t parts) const {
  uint128 bits = lower_ * whole;
  if (rest > 0) {
    const double share = static_cast<double>(rest) / static_cast<double>(parts) * (1 - 0x1p-48);
    const double more = std::floor(share * (static_cast<double>(lower_) * unit) * 0x1p40);
    bits += static_cast<uint128>(more) << (64 - rest_bits);
  }
  const auto fraction = static_cast<std::uint64_t>(bits) >> 12;  // a double holds it
  const double leading = exp2_minus(static_cast<double>(fraction) * 0x1p-52) * (1 + 0x1p-44);
  return {leading, -static_cast<std::int64_t>(bits >> 64)};
}

WideReal RatePowers::up(std::uint64_t whole, std::uint64_t rest, std::uint64_t parts) const {
  uint128 bits = upper_ * whole;
  if (rest > 0) {
    const double share = static_cast<double>(rest) / static_cast<double>(parts) * (1 + 0x1p-48);
    const double more = std::ceil(share * (static_cast<double>(upper_) * unit) * 0x1p40) + 1;
    bits += static_cast<uint128>(more) << (64 - rest_bits);
  }
  const std::uint64_t fraction = (static_cast<std::uint64_t>(bits) >> 12) + 1;
  const double leading = exp2_minus(1 - static_cast<double>(fraction) * 0x1p-52) * (1 + 0x1p-44);
  return {leading, static_cast<std::int64_t>(bits >> 64) + 1};
}

}  // namespace fractile
