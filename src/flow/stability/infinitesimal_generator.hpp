// How a channel changes with epsilon, step by step: whether every small step to a smaller epsilon is noise on top.
// Proof: docs/proofs/stability.md, "Step by step"
#pragma once

#include <optional>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether a smaller epsilon only adds noise, as decided by check_steps(). Without a decision, both members keep their defaults.
struct StepsVerdict {
  /// Between any two bases of the range, the smaller epsilon is a refinement.
  bool only_add_noise = false;
  /// A base at which some step to a smaller epsilon is not noise on top.
  std::optional<Rational> fails_at = {};
};

/// Decides whether every step to a smaller epsilon is noise on top, between two bases (pipeline_rows.hpp), the smaller above 1. Decides
/// nothing when the channel is large or its columns are not independent.
StepsVerdict check_steps(const Pipeline& pipeline, const Rational& from, const Rational& to);

}  // namespace fractile::flow
