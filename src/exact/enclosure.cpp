#include "exact/enclosure.hpp"

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

namespace {

/// An end of a ball, rounded outwards to this many bits.
class End {
 public:
  End(const arb_t ball, bool upper, std::int64_t bits) : upper_(upper) {
    arf_init(end_);
    (upper ? arb_get_ubound_arf : arb_get_lbound_arf)(end_, ball, bits);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { arf_clear(end_); }
  double to_double() const { return arf_get_d(end_, upper_ ? ARF_RND_CEIL : ARF_RND_FLOOR); }
  Rational to_rational() const {
    Rational result;
    arf_get_fmpq(flint_of(result), end_);
    return result;
  }

 private:
  arf_t end_;
  bool upper_;
};

std::string text_of(const arb_t ball, int digits, ulong how) {
  char* text = arb_get_str(ball, digits, how);
  std::string result(text);
  flint_free(text);
  return result;
}

}  // namespace

Rational Enclosure::lower_rational(std::int64_t bits) const { return End(ball_, false, bits).to_rational(); }

Rational Enclosure::upper_rational(std::int64_t bits) const { return End(ball_, true, bits).to_rational(); }

double Enclosure::lower_double() const { return End(ball_, false, 64).to_double(); }

double Enclosure::upper_double() const { return End(ball_, true, 64).to_double(); }

double Enclosure::to_double() const { return arf_get_d(arb_midref(ball_), ARF_RND_NEAR); }

std::string Enclosure::to_string(int digits) const { return text_of(ball_, digits, 0); }

std::string Enclosure::to_decimal(int digits) const { return text_of(ball_, digits, ARB_STR_NO_RADIUS); }

}  // namespace fractile
