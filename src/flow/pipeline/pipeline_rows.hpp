// The rows of any pipeline: of participants' noise (rows.hpp), or of a release (channel_of.hpp).
#pragma once

#include "flow/pipeline/rows.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The exact channel. Throws `usage` when the odds are below 1 or not exact (is_exact_at), or the fractions too long.
Matrix matrix_at(const Pipeline& pipeline, const Frame& frame, const Rational& odds);

/// `odds` encloses a number >= 1.
Rows<Enclosure> rows_at(const Pipeline& pipeline, const Frame& frame, const Enclosure& odds);

/// As polynomials in base, where odds = base^degree and degree is the perturber's root_degree().
Rows<Polynomial> symbolic_rows(const Pipeline& pipeline, const Frame& frame);

/// The degree of symbolic_rows, or more.
double symbolic_degree(const Pipeline& pipeline);

/// The epsilon at which to look at it: 0 where nothing depends on epsilon, since all is rational there.
Exponent looked_at(const Perturber& perturber, const Exponent& epsilon);

/// The non-negative root, where it is rational.
std::optional<Rational> exact_root(const Rational& value, std::int64_t degree);

/// A base between rationals, equal ones where it is rational.
RealBounds base_bounds(const Pipeline& pipeline, const Rational& odds);

}  // namespace fractile::flow
