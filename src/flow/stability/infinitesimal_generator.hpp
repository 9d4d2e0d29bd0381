// How a channel changes with epsilon, step by step: whether every small step to less epsilon is noise on top.
// Proof: docs/proofs/stability.md, "Step by step"
#pragma once

#include <optional>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

struct Steps {
  /// Less epsilon is a refinement, between any two of the range.
  bool only_add_noise = false;
  /// A base at which some step to less epsilon is not noise on top.
  std::optional<Rational> fails_at = {};
};

/// Between two bases (pipeline_rows.hpp), the smaller above 1. Says nothing when the channel is large or its columns are not
/// independent.
Steps steps_between(const Pipeline& pipeline, const Rational& from, const Rational& to);

}  // namespace fractile::flow
