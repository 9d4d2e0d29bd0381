// Windows whose ends are enclosed, for losses whose polynomials are long.
// Proof: docs/proofs/windows.md
#pragma once

#include "flow/loss/loss_model.hpp"
#include "flow/windows/cell_losses.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// All windows within odds from .. to, 1 <= from < to, except in undecided ranges. The loss must depend on epsilon; `losses` are
/// the model's.
Windows enclosed_windows(const LossModel& model, const CellLosses& losses, const Rational& from, const Rational& to,
                         const WindowSearch& search = {});

}  // namespace fractile::flow
