#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "exact/flint.hpp"
#include "exact/own_environment.hpp"
#include "exact/wide_integers.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {
namespace {

constexpr std::size_t max_digits = 10'000;

[[noreturn]] void not_a_number(std::string_view text) {
  const std::string shown(text.substr(0, 40));
  std::string hint = "write a decimal or a fraction, such as 0.25, 1/3 or 1e-3";
  if (text.find(',') != std::string_view::npos) {
    hint = "write a decimal point, and no separators between thousands: a number such as 0.25, 1/3 or 1e-3";
  } else if (text.find('%') != std::string_view::npos) {
    hint = "write a share as a number: 0.25 for 25 %";
  }
  throw Error(ErrorCode::usage, "'" + shown + "' is not a number", hint);
}

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length])) != 0) ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

bool take_sign(std::string_view& text) {
  if (take(text, '-')) return true;
  take(text, '+');
  return false;
}

/// digits * 10^exponent.
Rational scaled(const std::string& digits, std::int64_t exponent) {
  use_flint();
  Rational result;
  fmpz_set_str(fmpq_numref(flint_of(result)), digits.c_str(), 10);
  return result * Rational(10).pow(exponent);
}

/// The part after "e", between -10,000 and 10,000.
std::int64_t take_exponent(std::string_view& text, std::string_view whole) {
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty()) not_a_number(whole);
  if (digits.size() > 5 || std::stol(std::string(digits)) > static_cast<long>(max_digits)) {
    throw Error(ErrorCode::usage, "the exponent of '" + std::string(whole.substr(0, 40)) + "' is too large",
                "exponents reach from -10000 to 10000");
  }
  const std::int64_t value = std::stol(std::string(digits));
  return negative ? -value : value;
}

/// A signed decimal with an optional exponent, taken off the front of `text`.
Rational take_decimal(std::string_view& text, std::string_view whole) {
  const bool negative = take_sign(text);
  std::string digits(take_digits(text));
  std::int64_t exponent = 0;
  if (take(text, '.')) {
    const std::string_view decimals = take_digits(text);
    digits += decimals;
    exponent = -static_cast<std::int64_t>(decimals.size());
  }
  if (digits.empty()) not_a_number(whole);
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    exponent += take_exponent(text, whole);
  }
  const Rational value = scaled(digits, exponent);
  return negative ? -value : value;
}

std::string decimal_string(const fmpz_t value) {
  char* text = fmpz_get_str(nullptr, 10, value);
  std::string result(text);
  flint_free(text);
  return result;
}

}  // namespace

void Rational::set(std::int64_t value) { fmpz_set_si(fmpq_numref(flint_of(*this)), value); }

void Rational::set(std::uint64_t value) { fmpz_set_ui(fmpq_numref(flint_of(*this)), value); }

/// The words are another number's until now: that number's memory is copied, not shared.
void Rational::copy(const Rational& other) {
  words_[0] = 0;
  words_[1] = 1;
  use_flint();
  fmpq_set(flint_of(*this), flint_of(other));
}

void Rational::assign(const Rational& other) { fmpq_set(flint_of(*this), flint_of(other)); }

void Rational::clear() noexcept { fmpq_clear(flint_of(*this)); }

bool Rational::equals(const Rational& other) const { return fmpq_equal(flint_of(*this), flint_of(other)) != 0; }

int Rational::sign_of_memory() const { return fmpq_sgn(flint_of(*this)); }

Rational Rational::parse(std::string_view text) {
  const OwnEnvironment own;
  const std::string_view whole = text;
  if (whole.size() > max_digits) {
    throw Error(ErrorCode::usage, "a number of more than 10000 characters", "write fewer digits");
  }
  Rational value = take_decimal(text, whole);
  if (take(text, '/')) {
    const Rational divisor = take_decimal(text, whole);
    if (!value.is_integer() || !divisor.is_integer()) not_a_number(whole);
    if (divisor.sign() == 0) {
      throw Error(ErrorCode::usage, "'" + std::string(whole.substr(0, 40)) + "' divides by zero",
                  "write a fraction such as 1/3");
    }
    value /= divisor;
  }
  if (!text.empty()) not_a_number(whole);
  return value;
}

Rational Rational::from_double(double value) {
  // Computed from the bits, so that no setting of the arithmetic matters.
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<std::int64_t>(bits >> 52 & 0x7FF);
  if (biased == 0x7FF) throw Error(ErrorCode::usage, "not a finite number");
  const auto fraction = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << 52) - 1));
  const std::int64_t mantissa = biased == 0 ? fraction : fraction + (std::int64_t{1} << 52);
  return dyadic((bits >> 63) == 0 ? mantissa : -mantissa, std::max<std::int64_t>(biased, 1) - 1075);
}

namespace {

/// The limit of a numerator or denominator: 256 MiB. Far above it, GMP would take all memory or end the process.
constexpr std::uint64_t most_bits = std::uint64_t{1} << 31;

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

void require_size(std::uint64_t bits, std::uint64_t times) {
  if (times == 0 || bits <= most_bits / times) return;
  throw Error(ErrorCode::usage, "a power of more than 2^31 binary digits", "write a smaller exponent");
}

}  // namespace

Rational Rational::dyadic(std::int64_t value, std::int64_t exponent) {
  if (value == 0) return {};
  const std::uint64_t bits = magnitude(exponent);
  require_size(1, bits);
  use_flint();
  Rational result(value);
  fmpq* const q = flint_of(result);
  if (exponent >= 0) {
    fmpq_mul_2exp(q, q, bits);
  } else {
    fmpq_div_2exp(q, q, bits);
  }
  return result;
}

Rational Rational::operator-() const {
  Rational result;
  fmpq_neg(flint_of(result), flint_of(*this));
  return result;
}

Rational& Rational::operator+=(const Rational& other) {
  use_flint();
  fmpq_add(flint_of(*this), flint_of(*this), flint_of(other));
  return *this;
}

Rational& Rational::operator-=(const Rational& other) {
  use_flint();
  fmpq_sub(flint_of(*this), flint_of(*this), flint_of(other));
  return *this;
}

Rational& Rational::operator*=(const Rational& other) {
  use_flint();
  fmpq_mul(flint_of(*this), flint_of(*this), flint_of(other));
  return *this;
}

Rational& Rational::operator/=(const Rational& other) {
  if (other.sign() == 0) throw Error(ErrorCode::usage, "division by zero");
  use_flint();
  fmpq_div(flint_of(*this), flint_of(*this), flint_of(other));
  return *this;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (a.is_in_place() && b.is_in_place()) {  // words of 62 bits and a sign
    return int128{a.words_[0]} * b.words_[1] <=> int128{b.words_[0]} * a.words_[1];
  }
  return fmpq_cmp(flint_of(a), flint_of(b)) <=> 0;
}

Rational Rational::floor() const {
  Rational result;
  fmpz_fdiv_q(fmpq_numref(flint_of(result)), fmpq_numref(flint_of(*this)), fmpq_denref(flint_of(*this)));
  return result;
}

Rational Rational::ceil() const { return -(-*this).floor(); }

Rational Rational::part_of_memory(std::size_t word) const {
  Rational result;
  fmpz_set(fmpq_numref(flint_of(result)), word == 0 ? fmpq_numref(flint_of(*this)) : fmpq_denref(flint_of(*this)));
  return result;
}

Rational Rational::pow(std::int64_t exponent) const {
  if (sign() == 0 && exponent < 0) throw Error(ErrorCode::usage, "division by zero");
  const std::uint64_t bits = std::max(fmpz_bits(fmpq_numref(flint_of(*this))), fmpz_bits(fmpq_denref(flint_of(*this))));
  const OwnEnvironment own;
  if (bits > 1) require_size(bits, magnitude(exponent));  // powers of 0, 1 and -1 are no larger
  Rational result;
  fmpq_pow_si(flint_of(result), flint_of(*this), exponent);
  return result;
}

bool Rational::fits_int64() const { return is_integer() && fmpz_fits_si(fmpq_numref(flint_of(*this))) != 0; }

bool Rational::fits_uint64_of_memory() const {
  return is_integer() && sign() >= 0 && fmpz_abs_fits_ui(fmpq_numref(flint_of(*this))) != 0;
}

std::int64_t Rational::to_int64() const {
  if (!fits_int64()) throw Error(ErrorCode::internal, "a number does not fit 64 bits");
  return fmpz_get_si(fmpq_numref(flint_of(*this)));
}

std::uint64_t Rational::to_uint64_of_memory() const {
  if (!fits_uint64()) throw Error(ErrorCode::internal, "a number does not fit 64 bits");
  return fmpz_get_ui(fmpq_numref(flint_of(*this)));
}

double Rational::to_double() const {
  const OwnEnvironment own;
  // MPFR's recipe for one correct rounding to IEEE double, subnormals included.
  const mpfr_exp_t old_emin = mpfr_get_emin();
  const mpfr_exp_t old_emax = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  mpq_t q;
  mpq_init(q);
  fmpq_get_mpq(q, flint_of(*this));
  mpfr_t x;
  mpfr_init2(x, 53);
  const int ternary = mpfr_set_q(x, q, MPFR_RNDN);
  mpfr_subnormalize(x, ternary, MPFR_RNDN);
  const double result = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  mpq_clear(q);
  mpfr_set_emin(old_emin);
  mpfr_set_emax(old_emax);
  return result;
}

std::string Rational::to_string() const {
  if (is_in_place()) return std::to_string(words_[0]) + (is_integer() ? "" : "/" + std::to_string(words_[1]));
  const OwnEnvironment own;
  const std::string top = decimal_string(fmpq_numref(flint_of(*this)));
  return is_integer() ? top : top + "/" + decimal_string(fmpq_denref(flint_of(*this)));
}

namespace {

/// The least d with denominator | 10^d, or -1 when there is none.
std::int64_t decimals_needed(const Rational& value) {
  const OwnEnvironment own;
  Integer rest;
  fmpz_set(rest.get(), fmpq_denref(flint_of(value)));
  Integer factor(2);
  const std::int64_t twos = fmpz_remove(rest.get(), rest.get(), factor.get());
  fmpz_set_ui(factor.get(), 5);
  const std::int64_t fives = fmpz_remove(rest.get(), rest.get(), factor.get());
  if (fmpz_is_one(rest.get()) == 0) return -1;
  return std::max(twos, fives);
}

}  // namespace

bool Rational::is_decimal() const { return decimals_needed(*this) >= 0; }

std::string Rational::to_decimal() const {
  if (is_integer()) return to_string();
  const std::int64_t decimals = decimals_needed(*this);
  if (decimals < 0) throw Error(ErrorCode::usage, "'" + to_string() + "' has no finite decimal expansion");
  const Rational shifted = *this * Rational(10).pow(decimals);
  const bool negative = sign() < 0;
  std::string digits = (negative ? -shifted : shifted).to_string();
  const auto point = static_cast<std::size_t>(decimals);
  if (digits.size() <= point) digits.insert(0, point + 1 - digits.size(), '0');
  if (point > 0) digits.insert(digits.size() - point, 1, '.');
  return negative ? "-" + digits : digits;
}

namespace {

/// Sets root when value is the square of a rational.
bool exact_square_root(const Rational& value, Rational& root) {
  const fmpq* const v = flint_of(value);
  if (fmpz_is_square(fmpq_numref(v)) == 0 || fmpz_is_square(fmpq_denref(v)) == 0) return false;
  fmpz_sqrt(fmpq_numref(flint_of(root)), fmpq_numref(v));
  fmpz_sqrt(fmpq_denref(flint_of(root)), fmpq_denref(v));
  return true;
}

}  // namespace

Rational sqrt_down(const Rational& value, int bits) {
  const OwnEnvironment own;
  if (value.sign() < 0) throw Error(ErrorCode::usage, "the square root of a negative number");
  Rational root;
  if (exact_square_root(value, root)) return root;
  const fmpq* const v = flint_of(value);
  const auto log2_value =
      static_cast<std::int64_t>(fmpz_bits(fmpq_numref(v))) - static_cast<std::int64_t>(fmpz_bits(fmpq_denref(v)));
  const std::int64_t shift = bits - log2_value / 2;  // so that value * 4^shift has about 2 * bits bits
  const Rational scaled = (value * Rational::dyadic(1, 2 * shift)).floor();
  fmpz_sqrt(fmpq_numref(flint_of(root)), fmpq_numref(flint_of(scaled)));
  return root * Rational::dyadic(1, -shift);
}

}  // namespace fractile
