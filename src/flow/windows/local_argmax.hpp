// The loss of an analyst who sees which of a histogram's perturbed bars is the highest, and guesses the highest true one, on a cell.
// Proof: docs/proofs/windows_totals.md, "Highest bars"
#pragma once

#include <memory>

#include "exact/enclosure.hpp"
#include "flow/loss/noisy_argmax.hpp"
#include "flow/windows/local_loss.hpp"

namespace fractile::flow {

/// An upper bound, on the ellipse and for any true height, of the sum of the moduli of one bar's noisy heights' probabilities.
Enclosure largest_modulus_of_heights(const Pipeline& pipeline, const Cell& cell);

/// Nothing when the cell is too wide. Uses all processors of the machine.
std::unique_ptr<LocalLoss> local_argmax(const GuessedMode& guessed, const Cell& cell);

}  // namespace fractile::flow
