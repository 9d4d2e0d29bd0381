// Polynomials with rational coefficients, for those who check: they share no code with flow/algebra.
// Proof: docs/proofs/stability.md, "Theorems checked"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::report_detail {

inline Rational rational_of(std::size_t value) { return static_cast<std::int64_t>(value); }

/// Of 1, x, x^2, ...; at least one.
using Coefficients = std::vector<Rational>;

Rational value_at(const Coefficients& a, const Rational& x);
Coefficients times(const Coefficients& a, const Coefficients& b);
Coefficients less(Coefficients a, const Coefficients& b);
Coefficients slope(const Coefficients& a);
/// The polynomial of degree below values.size() with these values at 1, 2, ... (Newton).
Coefficients through(std::vector<Rational> values);

/// The fraction of least degrees with these values at 1, 2, ...: numerator and denominator, without a common factor, the latter's last
/// coefficient being 1. Nothing when both degrees together are not below a third of the values (Euclid's algorithm).
std::optional<std::pair<Coefficients, Coefficients>> fraction_through(const std::vector<Rational>& values);
/// The least polynomial that both divide, its last coefficient being 1.
Coefficients least_multiple(const Coefficients& a, const Coefficients& b);
/// The quotient of two polynomials of which the second divides the first.
Coefficients divided(const Coefficients& a, const Coefficients& b);

/// Decided by Bernstein's coefficients on from .. to, which is halved where they do not decide; false where that takes too many
/// halves.
bool is_never_negative(const Coefficients& polynomial, const Rational& from, const Rational& to);
/// The same, and nowhere 0.
bool is_positive(const Coefficients& polynomial, const Rational& from, const Rational& to);

}  // namespace fractile::report_detail
