// The highest of a histogram's perturbed bars, and an analyst who wants the highest true bar: without listing histograms
// (kronecker-utility 2023, sections 8 and 9.1).
// Proof: docs/proofs/noisy_argmax.md
#pragma once

#include "exact/enclosure.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline and the analyst: a histogram's mode, argmax accuracy, and no prior of his own.
bool guesses_the_mode(const Pipeline& pipeline, const Analyst& analyst);

/// The analyst's expected loss, every histogram being equally likely. For N participants and K values the absolute error is at
/// most some K^2 N 2^-140 of the scale, besides what the odds' own radius brings; time about N^3 K (seconds for 200 and 8).
Enclosure loss_of_guessing_the_mode(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
