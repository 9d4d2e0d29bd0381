// Post-processors that tell the same of all tuples of values are one: the simplest of them stands for all.
#pragma once

#include <cstddef>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A post-processor that tells exactly as much: its output is an injective function of that of the pipeline's, and it of the other.
/// An identity if there is one, else a count, a sum, a mode; else the pipeline's own. Beyond 4,096 tuples only the sum of
/// two values is looked at (a count), and rounding that keeps all values apart (an identity). Families of channels only, with everyone's
/// values or one target's as secrets; the pipeline's own otherwise.
PostProcessor canonical_post(const Pipeline& pipeline);

/// Where what canonical_post() shows stands among what the pipeline shows, by the former's place. `simple` is the pipeline with that
/// post-processor. Throws `usage` as frame_of() does.
std::vector<std::size_t> own_places(const Pipeline& pipeline, const Pipeline& simple);

/// The perturber of every participant, where theirs are all the same; by its name, where a matrix in odds is one that has a name.
Perturber canonical_perturber(const Pipeline& pipeline);

/// One participant's, whose value is the secret.
Pipeline alone(const Pipeline& pipeline);

/// The pipeline with both.
Pipeline canonical_pipeline(const Pipeline& pipeline);

}  // namespace fractile::flow
