// The loss, on a cell, of an analyst who sees a count and knows all values but one.
// Proof: docs/proofs/windows_counts.md
#pragma once

#include <memory>

#include "flow/windows/local_loss.hpp"
#include "flow/windows/tilted_counts.hpp"

namespace fractile::flow {

/// Nothing when the cell is too wide. Where the analyst takes one action after all likely counts, slopes are in units of the
/// probability of the other counts, however small it is.
std::unique_ptr<LocalLoss> local_count(const TargetTotal& count, const Cell& cell);

/// Nothing when the cell is too wide for the views, or when another action than the baseline may be best after a count that is in
/// no view.
std::unique_ptr<LocalLoss> local_in_counts(const DecisiveCounts& views, const TargetTotal& count, const Cell& cell);

}  // namespace fractile::flow
