// Two channels of the same secrets, reduced as far as the question of refinement allows: equal rows are merged, proportional
// columns are added up, zero columns are left out, and rows are scaled to integers. Proof: docs/proofs/refinement.md, "Reduction".
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/algebra/integer_matrix.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

/// The column into which a column was merged, and its share of that column.
struct Merged {
  std::size_t column;
  Rational share;
};

struct Reduction {
  IntegerMatrix from;
  IntegerMatrix to;
  std::vector<std::size_t> rows;                    ///< for each row, its index in the channels
  std::vector<Rational> scales;                     ///< the factor by which each row was multiplied
  std::vector<std::optional<Merged>> from_columns;  ///< nothing: a zero column
  std::vector<std::optional<Merged>> to_columns;
};

Reduction reduce(const Channel& from, const Channel& to);

/// One of the reduction's matrices as a channel.
Channel reduced(const IntegerMatrix& rows, const std::vector<Rational>& scales);

/// The witness for the channels, from one for the reduction.
Matrix expanded(const Matrix& witness, const Reduction& reduction);

}  // namespace fractile::flow
