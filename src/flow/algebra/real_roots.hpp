// The real roots of integer polynomials, between rationals.
#pragma once

#include <vector>

#include "flow/algebra/ring.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

/// A root's bounds have a relative distance of at most 2^-root_bits.
inline constexpr int root_bits = 200;

/// All distinct roots that are not certainly outside from .. to, increasing.
std::vector<RealBounds> real_roots(const Polynomial& polynomial, const Rational& from, const Rational& to);

/// The rational with the smallest denominator that is at most `reach` from a point, and between `from` and `to`.
Rational short_rational(const Rational& point, const Rational& from, const Rational& to, const Rational& reach);

/// Rational bounds of a ball. Throws `usage` when there are none.
RealBounds bounds_of(const Enclosure& ball);

}  // namespace fractile::flow
