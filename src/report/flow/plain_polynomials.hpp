// Polynomials with rational coefficients, to check certificates. They share no code with flow/algebra.
// Proof: docs/proofs/stability.md, "Theorems checked"
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::report_detail {

/// The coefficients of 1, x, x^2, ...; there is at least one.
using Coefficients = std::vector<Rational>;

Rational value_at(const Coefficients& a, const Rational& x);
Coefficients times(const Coefficients& a, const Coefficients& b);
Coefficients less(Coefficients a, const Coefficients& b);
Coefficients slope(const Coefficients& a);
/// The polynomial of degree below values.size() with these values at 1, 2, ... (Newton).
Coefficients through(std::vector<Rational> values);

/// The fraction of least degrees with these values at 1, 2, ..., by Euclid's algorithm. Numerator and denominator have no common factor,
/// and the denominator's last coefficient is 1. Returns nothing unless both degrees together are below a third of the number of values.
std::optional<std::pair<Coefficients, Coefficients>> fraction_through(const std::vector<Rational>& values);
/// The least polynomial that both divide. Its last coefficient is 1.
Coefficients least_multiple(const Coefficients& a, const Coefficients& b);
/// The quotient of two polynomials, where the second divides the first.
Coefficients divided(const Coefficients& a, const Coefficients& b);

/// Decided by the Bernstein coefficients on from .. to. Where they do not decide, the range is halved. Returns false where that takes too
/// many halvings.
bool is_never_negative(const Coefficients& polynomial, const Rational& from, const Rational& to);
/// As is_never_negative(), and the polynomial is nowhere 0.
bool is_positive(const Coefficients& polynomial, const Rational& from, const Rational& to);

}  // namespace fractile::report_detail
