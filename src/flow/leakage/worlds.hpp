// A question about a target, as channels with priors and gains.
// Proof: docs/proofs/leakage.md
#pragma once

#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A pipeline that may be what runs. Over all worlds, priors add up to 1.
struct World {
  Pipeline pipeline;
  std::vector<Rational> prior;  ///< one per row of its channel
  Matrix gains;                 ///< one row per row of the channel, one column per guess: how likely it is right
};

/// One; or with presence, one with the target and one without. Throws `usage` as LeakageQuestion::validate().
std::vector<World> worlds_of(const LeakageQuestion& question);

/// Whether the others' values say nothing about the target's before the release. Known others' never do.
bool is_independent_of_others(const LeakageQuestion& question);

}  // namespace fractile::flow
