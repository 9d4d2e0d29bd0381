// Two channels of the same secrets, made as small as the question of refinement allows: equal rows once, proportional columns
// added up, zero columns left out, rows scaled to integers. Proof: docs/proofs/refinement.md, "Reduction".
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/algebra/integer_matrix.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

/// Into which column one went, and which share of it it was.
struct Merged {
  std::size_t column;
  Rational share;
};

struct Reduction {
  IntegerMatrix from;
  IntegerMatrix to;
  std::vector<std::size_t> rows;                    ///< which row of the channels each one was
  std::vector<Rational> scales;                     ///< by what it was multiplied
  std::vector<std::optional<Merged>> from_columns;  ///< nothing: only zeros
  std::vector<std::optional<Merged>> to_columns;
};

Reduction reduce(const Channel& from, const Channel& to);

/// One of its two matrices, as a channel again.
Channel reduced(const IntegerMatrix& rows, const std::vector<Rational>& scales);

/// The witness for the channels, from one for the reduction.
Matrix expanded(const Matrix& witness, const Reduction& reduction);

}  // namespace fractile::flow
