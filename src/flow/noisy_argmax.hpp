// The highest of a histogram's perturbed bars, and an analyst who wants the highest true bar: without listing histograms
// (kronecker-utility 2023, sections 8 and 9.1).
// Proof: docs/proofs/noisy_argmax.md
#pragma once

#include "exact/enclosure.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline and the analyst: a histogram's mode, argmax accuracy, and no prior of his own.
bool guesses_the_mode(const Pipeline& pipeline, const Analyst& analyst);

/// The analyst's expected loss, every histogram being equally likely, with an absolute error of some 2^-140 of the scale. Time
/// about N^3 K^2 for N participants and K values; much less when epsilon is not small, memory N K.
Enclosure loss_of_guessing_the_mode(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
