// The rows of any pipeline's channel: from participants' noise (rows.hpp), or from a release (channel_of.hpp).
#pragma once

#include "flow/pipeline/rows.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The exact channel. Throws `usage` when odds < 1, unless is_exact_at(), and when the fractions are too long.
Matrix matrix_at(const Pipeline& pipeline, const Outline& outline, const Rational& odds);

/// `odds` encloses a number >= 1.
ScaledRows<Enclosure> rows_at(const Pipeline& pipeline, const Outline& outline, const Enclosure& odds);

/// As polynomials in base, where odds = base^degree and degree is the perturber's root_degree().
ScaledRows<Polynomial> symbolic_rows(const Pipeline& pipeline, const Outline& outline);

/// An upper bound of the degree of symbolic_rows().
double symbolic_degree(const Pipeline& pipeline);

/// The epsilon at which to compute: 0 if the perturber does not depend on epsilon, since everything is rational there.
Exponent looked_at(const Perturber& perturber, const Exponent& epsilon);

/// The non-negative root, if it is rational.
std::optional<Rational> exact_root(const Rational& value, std::int64_t degree);

/// Rational bounds of the base, equal if the base is rational.
RealBounds base_bounds(const Pipeline& pipeline, const Rational& odds);

}  // namespace fractile::flow
