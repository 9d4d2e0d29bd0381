// Windows whose ends are isolated: the loss is a piecewise rational function of odds, whose pieces and turning points are roots of
// integer polynomials.
// Proof: docs/proofs/stability.md, "Windows"
#pragma once

#include <vector>

#include "flow/loss/loss_model.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// All windows within odds from .. to, 1 <= from < to. The loss must have short polynomials (DenseLoss), and depend on epsilon.
std::vector<UnstableWindow> isolated_windows(const LossModel& model, const Rational& from, const Rational& to);

}  // namespace fractile::flow
