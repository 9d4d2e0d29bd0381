// Real numbers that are enclosed by two rationals.
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <string>

#include "fractile/exact.hpp"

namespace fractile::flow {

/// A real number between two rationals.
struct RealBounds {
  Rational lower;
  Rational upper;
  /// The digits that both ends agree on, rounded: "3.500545"; at most `digits` after the point.
  std::string to_decimal(int digits) const;
};

/// exp(epsilon) between two rationals that are equal when it is rational.
RealBounds odds_bounds(const Exponent& epsilon);

}  // namespace fractile::flow
