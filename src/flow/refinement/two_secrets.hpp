// Two secrets: the only question about channels with many observations that is always decided. docs/proofs/refinement.md, "Two secrets".
#pragma once

#include <cstddef>
#include <optional>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// Rows `one` and `other`, the latter `weight` times as likely beforehand: an analyst who guesses between them errs less often with `to`.
struct TwoSecrets {
  std::size_t one;
  std::size_t other;
  Rational weight;
};

/// Rows are distributions, or multiples of them that are the same in both. Nothing when `from` tells any two of them apart at least as well, whatever the prior;
/// or, of very many rows, those that were looked at.
std::optional<TwoSecrets> told_apart(const Matrix& from, const Matrix& to);

}  // namespace fractile::flow
