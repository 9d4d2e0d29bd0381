// Refinement for two secrets: the only case with many observations that is always decided. docs/proofs/refinement.md, "Two
// secrets".
#pragma once

#include <cstddef>
#include <optional>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// The secrets of rows `one` and `other`, where the prior of `other` is `weight` times that of `one`. An analyst who guesses
/// between them errs less often with `to`.
struct TwoSecrets {
  std::size_t one;
  std::size_t other;
  Rational weight;
};

/// Rows are distributions, or multiples of distributions by factors that are the same in both channels. Nothing when `from`
/// distinguishes every two secrets at least as well, for any prior; if there are very many rows, only some pairs are examined.
std::optional<TwoSecrets> told_apart(const Matrix& from, const Matrix& to);

}  // namespace fractile::flow
