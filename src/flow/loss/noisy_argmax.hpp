// The highest of a histogram's perturbed bars, and an analyst who wants the highest true bar: without listing histograms
// (kronecker-utility 2023, sections 8 and 9.1).
// Proof: docs/proofs/noisy_argmax.md
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline and the analyst: a histogram's mode, argmax accuracy, and no prior of his own.
bool guesses_the_mode(const Pipeline& pipeline, const Analyst& analyst);

/// What the analyst can make of a shown bar: the probability that it is the first highest noisy one, and that the first highest true
/// bar is ... No other guess is better than the best of these.
struct Guesses {
  Enclosure first;  ///< ... bar 0; 0 for bar 0 itself
  Enclosure shown;  ///< ... the shown one
  Enclosure next;   ///< ... the next one; 0 for the last bar
};

/// By shown bar. Each has the error that is told below.
std::vector<Guesses> mode_guesses(const Pipeline& pipeline, const Enclosure& odds);

/// The analyst's expected loss, every histogram being equally likely. For N participants and K values the absolute error is at
/// most some K^2 N 2^-140 of the scale, besides what the odds' own radius brings; time about N^3 K (seconds for 200 and 8).
Enclosure loss_of_guessing_the_mode(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
