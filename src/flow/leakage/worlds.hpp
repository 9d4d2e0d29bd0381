// A question about a target, as channels with priors and gains.
// Proof: docs/proofs/leakage.md
#pragma once

#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A pipeline that may be the one that runs. Over all worlds, priors add up to 1.
struct World {
  Pipeline pipeline;
  std::vector<Rational> prior;  ///< one per row of its channel
  /// One row per row of the channel, one column per guess: the probability that the guess is right.
  Matrix gains;
};

/// One world or, if presence is guessed, one with the target and one without. Throws `usage` as LeakageQuestion::validate() does.
std::vector<World> worlds_of(const LeakageQuestion& question);

/// Whether the others' values reveal nothing about the target's before the release. This always holds if they are known.
bool is_independent_of_others(const LeakageQuestion& question);

}  // namespace fractile::flow
