#include "ranks/whole_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fractile {
namespace {

constexpr std::uint64_t one = std::uint64_t{1} << 52;  // the first bit of a normal double's significand

}  // namespace

std::optional<WholeGrid> WholeGrid::of(const Rational& lower, const Rational& step) {
  const Rational scale = lower.denominator() * step.denominator();
  const Rational first = lower * scale;
  const Rational stride = step * scale;
  if (scale > Rational(std::int64_t{1} << 62) || !first.fits_int64() || !stride.fits_int64()) return std::nullopt;
  return WholeGrid(scale.to_int64(), first.to_int64(), stride.to_int64());
}

/// `doubled` is floor(2 scale value), at most 2^126 in absolute value. The fraction does not matter, since the other numbers are
/// whole.
int128 WholeGrid::index_of(int128 doubled) const {
  const int128 top = doubled - 2 * static_cast<int128>(first_) + stride_;
  const int128 bottom = 2 * static_cast<int128>(stride_);
  const int128 towards_zero = top / bottom;
  return towards_zero - (top < towards_zero * bottom ? 1 : 0);
}

int128 WholeGrid::nearest_index(std::int64_t value) const { return index_of(2 * static_cast<int128>(value) * scale_); }

int128 WholeGrid::nearest_index_of_mean(std::int64_t sum, std::uint64_t count) const {
  const int128 top = 2 * static_cast<int128>(sum) * scale_;
  const int128 towards_zero = top / static_cast<int128>(count);
  return index_of(towards_zero - (top < towards_zero * static_cast<int128>(count) ? 1 : 0));
}

std::optional<int128> WholeGrid::nearest_index(double value) const {
  if (!(std::abs(value) < 0x1p63)) return std::nullopt;
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(value));
  const bool is_normal = bits >> 52 != 0;
  const auto size = static_cast<std::int64_t>(is_normal ? bits % one + one : bits);
  const int exponent =
      static_cast<int>(is_normal ? bits >> 52 : 1) - 1074;  // at most 11, and |value| = size 2^(exponent - 1)
  const int128 scaled = static_cast<int128>(value < 0 ? -size : size) * scale_;
  return index_of(exponent >= 0 ? scaled << exponent : scaled >> std::min(-exponent, 127));
}

}  // namespace fractile
