// An X > 0 with A X = B and X 1 = 1, as far from all bounds as can be, in floating point. Nothing here is certain.
// docs/proofs/refinement.md, "From inside".
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/refinement/rough_rows.hpp"

namespace fractile::flow {

struct Inside {
  /// X's entries, not negative; 0 where they matter neither to their row nor to their column.
  std::vector<std::vector<double>> entries;
  std::vector<std::vector<double>> shares;  ///< by column: of all that leads there, about what comes from each row
  std::size_t rest;                         ///< the column that is likeliest in B
};

/// Nothing when there is no such X with room around it.
std::optional<Inside> suggest_inside(const RoughRows& from, const RoughRows& to);

}  // namespace fractile::flow
