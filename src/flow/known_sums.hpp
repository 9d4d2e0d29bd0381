// One person's value is unknown, all others' are known, and the sum of the perturbed values is released.
// Proof: docs/proofs/known_others.md, "Sums"
#pragma once

#include "exact/enclosure.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline.
bool adds_known_others(const Pipeline& pipeline);

/// The analyst's expected loss, with an absolute error of some 2^-140 of the largest loss. Time about the square root of the
/// number of people, times the range of a value in steps.
Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
