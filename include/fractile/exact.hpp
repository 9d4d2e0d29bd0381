// Exact numbers: rationals, and the reals c and c*ln(r) in which privacy levels are stated.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace fractile {

namespace detail {
struct Flint;  // the rooms that compute with FLINT read a Rational's words as its fmpq: src/exact/flint.hpp
}  // namespace detail

/// The built-in whole numbers: no bool, and no character.
template <class T>
concept WholeNumber = std::integral<T> && sizeof(T) <= sizeof(std::int64_t) && !std::same_as<T, bool> &&
                      !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                      !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// An exact rational number, always in lowest terms. Powers that would have more than 2^31 binary digits are refused before they are formed.
/// A moved-from Rational is some valid number.
/// Thread-safety: a value; threads may share it while none changes it.
class Rational {
 public:
  Rational() = default;
  template <WholeNumber Whole>
  Rational(Whole value) {  // NOLINT(google-explicit-constructor): integers are rationals
    if constexpr (std::signed_integral<Whole>) {
      set(std::int64_t{value});
    } else {
      set(std::uint64_t{value});
    }
  }
  /// Throws `usage` when the denominator is zero.
  template <WholeNumber Numerator, WholeNumber Denominator>
  Rational(Numerator numerator, Denominator denominator) : Rational(numerator) {
    *this /= Rational(denominator);
  }
  /// A floating-point number is rarely the number that was meant: use parse(), or from_double().
  template <std::floating_point Real>
  Rational(Real value) = delete;
  Rational(const Rational& other);
  Rational(Rational&& other) noexcept;
  Rational& operator=(const Rational& other);
  Rational& operator=(Rational&& other) noexcept;
  ~Rational();

  /// Reads "3", "-0.25", "1/3", "1e-3", "2.5e2". Throws `usage` for anything else, for a zero denominator, and for
  /// more than 10,000 digits. Nothing passes through floating point.
  static Rational parse(std::string_view text);
  /// The exact value of a finite double. Throws `usage` for NaN and infinities.
  static Rational from_double(double value);
  /// value * 2^exponent. Throws `usage` for exponents beyond 2^31, below zero or above.
  static Rational dyadic(std::int64_t value, std::int64_t exponent);

  Rational operator-() const;
  Rational& operator+=(const Rational& other);
  Rational& operator-=(const Rational& other);
  Rational& operator*=(const Rational& other);
  /// Throws `usage` when `other` is zero.
  Rational& operator/=(const Rational& other);
  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
  friend bool operator==(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  int sign() const;
  bool is_integer() const;
  Rational floor() const;
  Rational ceil() const;
  Rational numerator() const;
  Rational denominator() const;
  /// this^exponent for any integer exponent. Throws `usage` for 0 to a negative power, and for a result that may have more than 2^31 binary
  /// digits.
  Rational pow(std::int64_t exponent) const;

  /// True when the value is an integer that fits.
  bool fits_int64() const;
  bool fits_uint64() const;
  /// The value; throws `internal` when it does not fit.
  std::int64_t to_int64() const;
  std::uint64_t to_uint64() const;
  /// The nearest double, ties to even. For display and filters only: no decision rests on it.
  double to_double() const;
  /// "7/2", or "7" for an integer.
  std::string to_string() const;
  /// True when the decimal expansion ends, that is when the denominator is 2^a 5^b.
  bool is_decimal() const;
  /// All decimals, "0.125". Throws `usage` unless is_decimal().
  std::string to_decimal() const;

 private:
  friend struct detail::Flint;
  void set(std::int64_t value);
  void set(std::uint64_t value);

  std::int64_t words_[2] = {0, 1};  // laid out as FLINT's fmpq
};

/// The largest rational with at most `bits` significant bits whose square is <= value; exact when value is a square of
/// such a number. Requires value >= 0.
Rational sqrt_down(const Rational& value, int bits = 48);

/// An exact non-negative real number c or c*ln(r), c and r rational: a privacy level, or the rate of an exponential law.
/// Thread-safety: a value; threads may share it while none changes it.
class Exponent {
 public:
  Exponent() = default;
  /// c; throws `usage` when negative.
  Exponent(Rational c);  // NOLINT(google-explicit-constructor): a rational is an exponent
  Exponent(const Exponent& other) = default;
  Exponent& operator=(const Exponent& other) = default;
  /// A moved-from Exponent is some valid exponent.
  Exponent(Exponent&& other) noexcept;
  Exponent& operator=(Exponent&& other) noexcept;
  ~Exponent() = default;
  /// c * ln(r) with c >= 0 and r >= 1; throws `usage` otherwise.
  static Exponent log(Rational r, Rational c = 1);
  /// Reads what Rational::parse reads, and "ln 3", "ln(3.5)", "2 ln 3", "ln 7/2".
  static Exponent parse(std::string_view text);

  bool is_zero() const;
  bool is_log() const { return is_log_; }
  /// c.
  const Rational& coefficient() const { return coefficient_; }
  /// r; only for logarithms.
  const Rational& argument() const { return argument_; }
  /// True when exp of it is rational: 0, or c*ln(r) with integer c.
  bool has_rational_exponential() const;
  /// r^c; throws `usage` unless has_rational_exponential(), and as Rational::pow().
  Rational exponential() const;

  Exponent operator*(const Rational& factor) const;
  Exponent operator/(const Rational& divisor) const;
  /// As real numbers, decided exactly: ln 9 == 2 ln 3, and 1 < ln 3. Never undecided.
  friend bool operator==(const Exponent& a, const Exponent& b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(const Exponent& a, const Exponent& b);
  /// "1/2", "ln 7/2" or "2/3 ln 7/2"; parse() reads it back.
  std::string to_string() const;
  /// For display.
  double to_double() const;

 private:
  Rational coefficient_;
  Rational argument_ = 1;
  bool is_log_ = false;
};

}  // namespace fractile
