#include "exact/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fractile/error.hpp"

namespace fractile {
namespace {

constexpr int fine_bits = 40;
constexpr double fine_unit = 0x1p-40;
static_assert(fine_unit * (std::int64_t{1} << fine_bits) == 1);

const Rational& checked(const Rational& sigma_squared) {
  if (sigma_squared.sign() > 0 && sigma_squared <= Rational::dyadic(1, DiscreteGaussian::max_log2_sigma_squared)) {
    return sigma_squared;
  }
  throw Error(ErrorCode::usage, "discrete Gaussian noise needs a variance above 0 and at most 2^80");
}

}  // namespace

DiscreteGaussian::DiscreteGaussian(const Rational& sigma_squared)
    : sigma_squared_(checked(sigma_squared)),
      scale_(sqrt_down(sigma_squared).floor() + Rational(1)),
      proposal_(Rational(1) / scale_),
      fine_(Rational::dyadic(1, -fine_bits)),
      centre_((sigma_squared / scale_).to_double()) {
  const Enclosure slope = Enclosure::of(Rational(1) / (Rational(2) * sigma_squared));
  slope_lower_ = std::min(slope.lower_double(), 0x1p1000);
  slope_upper_ = slope.upper_double();
}

Bounds DiscreteGaussian::acceptance(std::int64_t magnitude) const {
  const auto y = static_cast<double>(magnitude);
  const double room = (y + centre_) * 0x1p-50;  // more than the errors of y, of centre_ and of their difference
  const double distance = std::abs(y - centre_);
  const double nearest = std::max(0.0, distance - room);
  const double furthest = distance + room;
  const double least = std::min(nearest * nearest * slope_lower_ * (1 - 0x1p-49), 0x1p20);
  const double most = furthest * furthest * slope_upper_ * (1 + 0x1p-49) + 0x1p-60;
  const double units = std::floor(least / fine_unit);
  const Bounds below = fine_.acceptance(static_cast<std::uint64_t>(units), 1, uint128{1} << 53);
  if (!(most < 0x1p20)) return {0, below.upper};
  // exp(-(x + d)) >= exp(-x) (1 - d).
  const double further = (most - units * fine_unit) * (1 + 0x1p-46) + 0x1p-46;
  return {below.lower * std::max(0.0, 1 - further), below.upper};
}

Enclosure DiscreteGaussian::acceptance_enclosure(std::int64_t magnitude, std::int64_t precision) const {
  const Rational distance = Rational(magnitude) - sigma_squared_ / scale_;
  return Enclosure::of(-(distance * distance) / (Rational(2) * sigma_squared_), precision).exp();
}

std::int64_t DiscreteGaussian::operator()(RandomBits& bits, Filter filter) const {
  for (;;) {
    const std::int64_t proposed = proposal_(bits, filter);
    const std::int64_t magnitude = std::abs(proposed);
    if (magnitude == DiscreteLaplace::limit) throw Error(ErrorCode::internal, "noise beyond machine words");
    const Enclose enclose = [this, magnitude](std::int64_t precision) {
      return acceptance_enclosure(magnitude, precision);
    };
    if (lazy_coin(bits, acceptance(magnitude), enclose, filter)) return proposed;
  }
}

}  // namespace fractile
