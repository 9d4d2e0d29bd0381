// The loss of an analyst who sees a count and knows all values but one, on a cell.
// Proof: docs/proofs/windows.md, "Ranges of counts", "Unlikely counts" and "Tails"
#pragma once

#include <memory>

#include "flow/loss/joint_weights.hpp"
#include "flow/windows/local_loss.hpp"
#include "flow/windows/tilted_counts.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// Nothing when the cell is too wide. Where the analyst decides in one way after all likely counts, slopes are in units of how likely the
/// others are, however unlikely that is. The pipeline counts with known others (known_others.hpp).
std::unique_ptr<LocalLoss> local_count(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell);

/// Nothing when the cell is too wide for the views, or an action but the baseline may be best after a count that is in none.
std::unique_ptr<LocalLoss> local_in_views(const CountViews& views, const CountAmongKnown& count,
                                          const JointWeights& joint, const Cell& cell);

}  // namespace fractile::flow
