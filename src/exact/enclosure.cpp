#include "exact/enclosure.hpp"

#include <algorithm>

namespace fractile {

Enclosure Enclosure::of(const Rational& value, std::int64_t precision) {
  Enclosure result;
  result.precision_ = precision;
  arb_set_fmpq(result.ball_, flint_of(value), precision);
  return result;
}

Enclosure Enclosure::of(const Exponent& value, std::int64_t precision) {
  Enclosure result = of(value.coefficient(), precision);
  return value.is_log() ? result * of(value.argument(), precision).log() : result;
}

Enclosure Enclosure::of_whole(uint128 value) {
  Integer integer;
  fmpz_set_uiui(integer.get(), static_cast<std::uint64_t>(value >> 64), static_cast<std::uint64_t>(value));
  return of_whole(integer);
}

Enclosure Enclosure::of_whole(const Integer& value) {
  Enclosure result;
  arb_set_fmpz(result.ball_, value.get());
  return result;
}

Enclosure Enclosure::of_double(double value) {
  Enclosure result;
  arb_set_d(result.ball_, value);
  return result;
}

Enclosure Enclosure::power(const Enclosure& a, std::uint64_t exponent, std::int64_t bits) {
  Enclosure result;
  arb_pow_ui(result.ball_, a.ball_, exponent, bits);
  return result;
}

Enclosure Enclosure::root(const Enclosure& a, std::int64_t degree, std::int64_t bits) {
  Enclosure result;
  arb_root_ui(result.ball_, a.ball_, static_cast<ulong>(degree), bits);
  return result;
}

Enclosure& Enclosure::operator+=(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_add(ball_, ball_, other.ball_, precision_);
  return *this;
}

Enclosure& Enclosure::operator-=(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_sub(ball_, ball_, other.ball_, precision_);
  return *this;
}

Enclosure& Enclosure::operator*=(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_mul(ball_, ball_, other.ball_, precision_);
  return *this;
}

Enclosure& Enclosure::operator/=(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_div(ball_, ball_, other.ball_, precision_);
  return *this;
}

Enclosure Enclosure::exp() const {
  Enclosure result(*this);
  arb_exp(result.ball_, ball_, precision_);
  return result;
}

Enclosure Enclosure::log() const {
  Enclosure result(*this);
  arb_log(result.ball_, ball_, precision_);
  return result;
}

Enclosure Enclosure::sqrt() const {
  Enclosure result(*this);
  arb_sqrt(result.ball_, ball_, precision_);
  return result;
}

Enclosure Enclosure::pow(std::uint64_t exponent) const {
  Enclosure result(*this);
  arb_pow_ui(result.ball_, ball_, exponent, precision_);
  return result;
}

void Enclosure::raise_to(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_max(ball_, ball_, other.ball_, precision_);
}

void Enclosure::lower_to(const Enclosure& other) {
  precision_ = std::max(precision_, other.precision_);
  arb_min(ball_, ball_, other.ball_, precision_);
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  Enclosure result(a);
  result.precision_ = std::max(a.precision_, b.precision_);
  arb_union(result.ball_, a.ball_, b.ball_, result.precision_);
  return result;
}

namespace {

double bound(const arb_t ball, bool upper) {
  arf_t end;
  arf_init(end);
  if (upper) {
    arb_get_ubound_arf(end, ball, 64);
  } else {
    arb_get_lbound_arf(end, ball, 64);
  }
  const double result = arf_get_d(end, upper ? ARF_RND_CEIL : ARF_RND_FLOOR);
  arf_clear(end);
  return result;
}

}  // namespace

Rational Enclosure::lower_rational(std::int64_t bits) const {
  Rational result;
  arf_t end;
  arf_init(end);
  arb_get_lbound_arf(end, ball_, bits);
  arf_get_fmpq(flint_of(result), end);
  arf_clear(end);
  return result;
}

Rational Enclosure::upper_rational(std::int64_t bits) const {
  Rational result;
  arf_t end;
  arf_init(end);
  arb_get_ubound_arf(end, ball_, bits);
  arf_get_fmpq(flint_of(result), end);
  arf_clear(end);
  return result;
}

double Enclosure::lower_double() const { return bound(ball_, false); }

double Enclosure::upper_double() const { return bound(ball_, true); }

double Enclosure::to_double() const { return arf_get_d(arb_midref(ball_), ARF_RND_NEAR); }

std::string Enclosure::to_string(int digits) const {
  char* text = arb_get_str(ball_, digits, 0);
  std::string result(text);
  flint_free(text);
  return result;
}

std::string Enclosure::to_decimal(int digits) const {
  char* text = arb_get_str(ball_, digits, ARB_STR_NO_RADIUS);
  std::string result(text);
  flint_free(text);
  return result;
}

}  // namespace fractile
