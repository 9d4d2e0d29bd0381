// An X > 0 with A X = B and X 1 = 1 that is as far as possible from all bounds, in floating point. It is only a suggestion:
// docs/proofs/refinement.md, "From inside".
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/refinement/rough_rows.hpp"

namespace fractile::flow {

struct Inside {
  /// X's entries, not negative; 0 where they are negligible in their row and in their column.
  std::vector<std::vector<double>> entries;
  std::vector<std::vector<double>> shares;  ///< by column: the approximate share that comes from each row
  std::size_t rest;                         ///< the most likely column of B
};

/// Nothing when there is no such X away from all bounds.
std::optional<Inside> suggest_inside(const RoughRows& from, const RoughRows& to);

}  // namespace fractile::flow
