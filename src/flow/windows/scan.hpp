// Windows that a scan comes upon, for losses of any size.
// Proof: docs/proofs/stability.md, "Scans"
#pragma once

#include <vector>

#include "flow/loss/loss_model.hpp"
#include "fractile/windows.hpp"

namespace fractile::flow {

/// `odds` increase. A least and then a highest loss lie within a window's ends. What rises and falls again between two neighbouring
/// odds is not seen.
std::vector<UnstableWindow> scanned_windows(const LossModel& model, const std::vector<Rational>& odds);

}  // namespace fractile::flow
