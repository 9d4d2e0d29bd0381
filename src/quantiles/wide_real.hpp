// Positive floating-point numbers that neither overflow nor underflow: a double of [1/2, 1) and an exponent of 64 bits. For
// the tables of joint selections whose best choice is thousands of nats away from its targets.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace fractile {

/// Zero or leading * 2^exponent. Each operation has a relative error of at most 2^-51, in any rounding mode: one rounded
/// operation on doubles, and in a sum less than 2^-60 for a term that is left out.
class WideReal {
 public:
  constexpr WideReal() = default;
  WideReal(double value) {  // NOLINT(google-explicit-constructor): as long double is made from double
    int exponent = 0;
    leading_ = std::frexp(value, &exponent);
    exponent_ = value == 0 ? zero_exponent : exponent;
  }
  WideReal(double leading, std::int64_t exponent) : WideReal(leading) {
    if (leading_ != 0) exponent_ += exponent;
  }

  double leading() const { return leading_; }
  /// Far below all others for zero.
  std::int64_t exponent() const { return exponent_; }
  bool is_zero() const { return leading_ == 0; }

  friend WideReal operator*(const WideReal& a, const WideReal& b) {
    const double product = a.leading_ * b.leading_;
    if (product == 0) return {};
    const bool low = product < 0.5;
    return raw(low ? product * 2 : product, a.exponent_ + b.exponent_ - (low ? 1 : 0));
  }
  friend WideReal operator/(const WideReal& a, const WideReal& b) {
    if (a.is_zero()) return {};
    const double ratio = a.leading_ / b.leading_;  // in (1/2, 2]
    if (ratio < 1) return raw(ratio, a.exponent_ - b.exponent_);
    return ratio < 2 ? raw(ratio / 2, a.exponent_ - b.exponent_ + 1) : raw(0.5, a.exponent_ - b.exponent_ + 2);
  }
  friend WideReal operator+(const WideReal& a, const WideReal& b) {
    return a.exponent_ >= b.exponent_ ? sum(a, b) : sum(b, a);
  }
  WideReal& operator+=(const WideReal& other) { return *this = *this + other; }
  WideReal& operator*=(const WideReal& other) { return *this = *this * other; }
  WideReal& operator/=(const WideReal& other) { return *this = *this / other; }

  friend bool operator==(const WideReal& a, const WideReal& b) = default;
  friend bool operator<(const WideReal& a, const WideReal& b) {
    return a.exponent_ == b.exponent_ ? a.leading_ < b.leading_ : a.exponent_ < b.exponent_;
  }
  friend bool operator>(const WideReal& a, const WideReal& b) { return b < a; }
  friend bool operator>=(const WideReal& a, const WideReal& b) { return !(a < b); }

  /// Zero and infinity beyond the range of doubles.
  explicit operator double() const {
    if (exponent_ < -2000) return 0;
    return exponent_ > 2000 ? HUGE_VAL : std::ldexp(leading_, static_cast<int>(exponent_));
  }

 private:
  static constexpr std::int64_t zero_exponent = -(std::int64_t{1} << 61);

  static WideReal raw(double leading, std::int64_t exponent) {
    WideReal result;
    result.leading_ = leading;
    result.exponent_ = exponent;
    return result;
  }
  /// Of numbers with a's exponent at least b's.
  static WideReal sum(const WideReal& a, const WideReal& b) {
    const std::int64_t apart = a.exponent_ - b.exponent_;
    if (apart > 61 || b.is_zero()) return a;
    const double leading =
        a.leading_ + b.leading_ * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - apart) << 52);
    return leading < 1 ? raw(leading, a.exponent_) : raw(leading / 2, a.exponent_ + 1);
  }

  double leading_ = 0;
  std::int64_t exponent_ = zero_exponent;
};

inline WideReal ldexp(const WideReal& x, std::int64_t more) { return {x.leading(), x.exponent() + more}; }
inline double log(const WideReal& x) {
  return x.is_zero() ? -HUGE_VAL : std::log(x.leading()) + static_cast<double>(x.exponent()) * 0.6931471805599453;
}

}  // namespace fractile
