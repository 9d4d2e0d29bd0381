// A question about a target, as channels with priors and gains.
// Proof: docs/proofs/leakage.md
#pragma once

#include <vector>

#include "fractile/leakage.hpp"

namespace fractile::flow {

/// A pipeline that may be what runs. Over all worlds, priors add up to 1.
struct World {
  Pipeline pipeline;
  std::vector<Rational> prior;  ///< one a row of its channel
  Matrix gains;                 ///< a row a row, a column a guess: the probability that the guess is right
};

/// One; or with presence, one with the target and one without. Throws `usage` as LeakageQuestion::validate().
std::vector<World> worlds_of(const LeakageQuestion& question);

/// Whether the others' values say nothing about the target's, before the release. Of a target among known others they do not.
bool is_independent_of_others(const LeakageQuestion& question);

}  // namespace fractile::flow
