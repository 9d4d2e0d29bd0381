// Channels in floating point, for making suggestions. Nothing in them is certified.
#pragma once

#include <vector>

#include "flow/algebra/integer_matrix.hpp"

namespace fractile::flow {

/// One row per secret; if there are very many observations, only those that are likely enough to matter.
using RoughRows = std::vector<std::vector<double>>;

/// Integer rows, divided by `scales`.
RoughRows rough(const IntegerMatrix& rows, const std::vector<Rational>& scales);

}  // namespace fractile::flow
