// Channels in floating point, for what suggests. Nothing of it is certain.
#pragma once

#include <vector>

#include "flow/algebra/integer_matrix.hpp"

namespace fractile::flow {

/// A row a secret; of very many observations, those that are likely enough to matter.
using RoughRows = std::vector<std::vector<double>>;

/// Integer rows, divided by `scales`.
RoughRows rough(const IntegerMatrix& rows, const std::vector<Rational>& scales);

}  // namespace fractile::flow
