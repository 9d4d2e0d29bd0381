// Positive floating-point numbers that neither overflow nor underflow: a double and an exponent of 64 bits. For the tables of joint
// selections in which even the best choice is thousands of nats away from its targets.
#pragma once

#include <cmath>
#include <cstdint>

namespace fractile {

/// Zero, or value * 2^(512 block) with value in [2^-256, 2^256). Each operation has a relative error of at most 2^-51, in any
/// rounding mode: that of one rounded operation on doubles, plus, in a sum, less than 2^-500 for a term that is left out.
class WideReal {
 public:
  constexpr WideReal() = default;
  WideReal(double value)  // NOLINT(google-explicit-constructor): as long double is made from double
      : WideReal(value, 0) {}
  /// value * 2^exponent.
  WideReal(double value, std::int64_t exponent) {
    if (value == 0) return;
    int own = 0;
    const double leading = std::frexp(value, &own);
    const std::int64_t all = exponent + own;
    block_ = (all + 256) >> 9;
    value_ = std::ldexp(leading, static_cast<int>(all - block_ * 512));
    if (value_ >= high) fold_down();
  }

  /// The number is leading * 2^exponent, where leading is in [1/2, 1) or 0.
  double leading() const {
    int exponent = 0;
    return std::frexp(value_, &exponent);
  }
  std::int64_t exponent() const {
    int exponent = 0;
    std::frexp(value_, &exponent);
    return exponent + block_ * 512;
  }
  bool is_zero() const { return value_ == 0; }

  friend WideReal operator*(const WideReal& a, const WideReal& b) {
    WideReal product;
    product.value_ = a.value_ * b.value_;
    if (product.value_ == 0) return {};
    product.block_ = a.block_ + b.block_;
    product.normalize();
    return product;
  }
  /// Divides by a number that is not 0.
  friend WideReal operator/(const WideReal& a, const WideReal& b) {
    if (a.is_zero()) return {};
    WideReal ratio;
    ratio.value_ = a.value_ / b.value_;
    ratio.block_ = a.block_ - b.block_;
    ratio.normalize();
    return ratio;
  }
  friend WideReal operator+(const WideReal& a, const WideReal& b) {
    if (a.block_ == b.block_) {
      WideReal sum;
      sum.value_ = a.value_ + b.value_;
      sum.block_ = a.block_;
      if (sum.value_ >= high) sum.fold_down();
      return sum;
    }
    return a.block_ > b.block_ ? unequal_sum(a, b) : unequal_sum(b, a);
  }
  WideReal& operator+=(const WideReal& other) { return *this = *this + other; }
  WideReal& operator*=(const WideReal& other) { return *this = *this * other; }
  WideReal& operator/=(const WideReal& other) { return *this = *this / other; }

  friend bool operator==(const WideReal& a, const WideReal& b) = default;
  friend bool operator<(const WideReal& a, const WideReal& b) {
    return a.block_ == b.block_ ? a.value_ < b.value_ : a.block_ < b.block_;
  }
  friend bool operator>(const WideReal& a, const WideReal& b) { return b < a; }
  friend bool operator>=(const WideReal& a, const WideReal& b) { return !(a < b); }

  /// Zero and infinity beyond the range of doubles.
  explicit operator double() const {
    if (block_ < -2) return 0;
    return block_ > 2 ? HUGE_VAL : std::ldexp(value_, static_cast<int>(block_ * 512));
  }

 private:
  static constexpr double high = 0x1p256;
  static constexpr double low = 0x1p-256;
  static constexpr double up = 0x1p512;
  static constexpr double down = 0x1p-512;
  static constexpr std::int64_t block_of_zero = -(std::int64_t{1} << 52);

  void fold_down() {
    value_ *= down;
    ++block_;
  }
  void normalize() {
    if (value_ >= high) {
      fold_down();
    } else if (value_ < low) {
      value_ *= up;
      --block_;
    }
  }
  /// The sum of two numbers, where the block of a is the higher one.
  static WideReal unequal_sum(const WideReal& a, const WideReal& b) {
    if (a.block_ > b.block_ + 1 || b.is_zero()) return a;
    WideReal sum;
    sum.value_ = a.value_ + b.value_ * down;
    sum.block_ = a.block_;
    if (sum.value_ >= high) sum.fold_down();
    return sum;
  }

  double value_ = 0;
  std::int64_t block_ = block_of_zero;
};

inline double log(const WideReal& x) {
  return x.is_zero() ? -HUGE_VAL : std::log(x.leading()) + static_cast<double>(x.exponent()) * 0.6931471805599453;
}

}  // namespace fractile
