// Post-processors that tell the same of all tuples of values are one: the simplest of them stands for all.
#pragma once

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A post-processor that tells exactly as much: its output is an injective function of that of the pipeline's, and it of the other.
/// An identity if there is one, else a count, a sum, a mode; else the pipeline's own. Beyond 4,096 tuples only the sum of
/// two values is looked at (a count), and rounding that keeps all values apart (an identity). Of families of channels, and of everyone's
/// values or one target's; the pipeline's own otherwise.
PostProcessor canonical_post(const Pipeline& pipeline);

/// The perturber of every participant, where theirs are all the same.
Perturber canonical_perturber(const Perturber& perturber);

}  // namespace fractile::flow
