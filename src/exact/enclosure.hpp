// Enclosures: a real number known to lie in a ball. Every operation widens the ball by its own rounding (Arb), so a
// comparison that holds for the balls holds for the numbers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include "exact/flint.hpp"
#include "exact/uniform.hpp"

namespace fractile {

class Enclosure {
 public:
  static constexpr std::int64_t default_precision = 128;

  Enclosure() {
    use_flint();
    arb_init(ball_);
  }
  Enclosure(const Enclosure& other) : precision_(other.precision_) {
    arb_init(ball_);
    arb_set(ball_, other.ball_);
  }
  Enclosure(Enclosure&& other) noexcept : precision_(other.precision_) {
    arb_init(ball_);
    arb_swap(ball_, other.ball_);
  }
  Enclosure& operator=(const Enclosure& other) {
    arb_set(ball_, other.ball_);
    precision_ = other.precision_;
    return *this;
  }
  Enclosure& operator=(Enclosure&& other) noexcept {
    arb_swap(ball_, other.ball_);
    precision_ = other.precision_;
    return *this;
  }
  ~Enclosure() { arb_clear(ball_); }

  /// Balls around the value, of relative radius about 2^-precision.
  static Enclosure of(const Rational& value, std::int64_t precision = default_precision);
  static Enclosure of(const Exponent& value, std::int64_t precision = default_precision);
  /// Exactly.
  static Enclosure of_whole(uint128 value);
  static Enclosure of_whole(const Integer& value);
  static Enclosure of_double(double value);

  // These compute to `bits` bits, whatever the precision of a and b.
  static Enclosure sum(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    return computed<arb_add>(a, b, bits);
  }
  static Enclosure difference(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    return computed<arb_sub>(a, b, bits);
  }
  static Enclosure product(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    return computed<arb_mul>(a, b, bits);
  }
  static Enclosure quotient(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    return computed<arb_div>(a, b, bits);
  }
  static Enclosure larger(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    return computed<arb_max>(a, b, bits);
  }
  static Enclosure power(const Enclosure& a, std::uint64_t exponent, std::int64_t bits);
  static Enclosure root(const Enclosure& a, std::int64_t degree, std::int64_t bits);

  Enclosure& operator+=(const Enclosure& other) { return apply<arb_add>(other); }
  Enclosure& operator-=(const Enclosure& other) { return apply<arb_sub>(other); }
  Enclosure& operator*=(const Enclosure& other) { return apply<arb_mul>(other); }
  Enclosure& operator/=(const Enclosure& other) { return apply<arb_div>(other); }
  friend Enclosure operator+(Enclosure a, const Enclosure& b) { return a += b; }
  friend Enclosure operator-(Enclosure a, const Enclosure& b) { return a -= b; }
  friend Enclosure operator*(Enclosure a, const Enclosure& b) { return a *= b; }
  friend Enclosure operator/(Enclosure a, const Enclosure& b) { return a /= b; }
  friend Enclosure operator*(Enclosure a, std::unsigned_integral auto b) {
    arb_mul_ui(a.ball_, a.ball_, b, a.precision_);
    return a;
  }
  friend Enclosure operator/(Enclosure a, std::unsigned_integral auto b) {
    arb_div_ui(a.ball_, a.ball_, b, a.precision_);
    return a;
  }
  friend Enclosure operator-(Enclosure a) {
    arb_neg(a.ball_, a.ball_);
    return a;
  }
  /// Times 2^twos, exactly.
  friend Enclosure scaled(Enclosure a, std::int64_t twos) {
    arb_mul_2exp_si(a.ball_, a.ball_, twos);
    return a;
  }
  Enclosure exp() const;
  Enclosure log() const;
  Enclosure sqrt() const;
  Enclosure pow(std::uint64_t exponent) const;
  /// Replaces this number by the larger, or the smaller, of both.
  void raise_to(const Enclosure& other) { apply<arb_max>(other); }
  void lower_to(const Enclosure& other) { apply<arb_min>(other); }
  /// A ball that holds everything between a number of one ball and a number of the other.
  friend Enclosure hull(Enclosure a, const Enclosure& b) { return a.apply<arb_union>(b); }

  /// True only when certain.
  friend bool certainly_less(const Enclosure& a, const Enclosure& b) { return arb_lt(a.ball_, b.ball_) != 0; }
  friend bool certainly_at_most(const Enclosure& a, const Enclosure& b) { return arb_le(a.ball_, b.ball_) != 0; }
  bool is_positive() const { return arb_is_positive(ball_) != 0; }
  bool is_zero() const { return arb_is_zero(ball_) != 0; }
  bool is_finite() const { return arb_is_finite(ball_) != 0; }
  bool contains(const Rational& value) const { return arb_contains_fmpq(ball_, flint_of(value)) != 0; }

  /// Doubles that lie at or below, at or above every number of the ball.
  double lower_double() const;
  double upper_double() const;
  double to_double() const;
  /// Rationals at or below, at or above every number of the ball, of this many significant bits. The ball must be finite.
  Rational lower_rational(std::int64_t bits) const;
  Rational upper_rational(std::int64_t bits) const;
  /// `digits` certified significant digits, Arb's notation: "0.333 +/- 3.4e-4". Never more digits than are known.
  std::string to_string(int digits = 15) const;

  /// At most `digits` significant digits, fewer when fewer are certain: "0.954" (an error of at most one in the last).
  std::string to_decimal(int digits) const;

  arb_ptr arb() { return ball_; }
  arb_srcptr arb() const { return ball_; }

 private:
  template <auto operation>
  static Enclosure computed(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
    Enclosure result;
    operation(result.ball_, a.ball_, b.ball_, bits);
    return result;
  }
  template <auto operation>
  Enclosure& apply(const Enclosure& other) {
    precision_ = std::max(precision_, other.precision_);
    operation(ball_, ball_, other.ball_, precision_);
    return *this;
  }

  arb_t ball_;
  std::int64_t precision_ = default_precision;
};

/// exp(-exponent), of a Rational or an Exponent.
inline Enclosure exp_of_minus(const auto& exponent) { return (-Enclosure::of(exponent)).exp(); }

}  // namespace fractile
