// An X > 0 with A X = B and X 1 = 1, as far from all bounds as can be, in floating point. Nothing here is certain.
// docs/proofs/refinement.md, "From inside".
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/algebra/integer_matrix.hpp"

namespace fractile::flow {

struct Inside {
  std::vector<std::vector<double>>
      entries;                              ///< of X, not negative; 0 what matters neither to its row nor to its column
  std::vector<std::vector<double>> shares;  ///< by column: of all that leads there, about what comes from each row
  std::size_t rest;                         ///< the column that is likeliest in B
};

/// Rows of A and B, divided by `scales`, are probabilities. Nothing when there is no such X with room around it.
std::optional<Inside> suggest_inside(const IntegerMatrix& from, const IntegerMatrix& to,
                                     const std::vector<Rational>& scales);

}  // namespace fractile::flow
