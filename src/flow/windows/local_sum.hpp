// The loss, on a cell, of an analyst who sees a sum and knows all values but one.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <memory>

#include "flow/windows/decisive_totals.hpp"
#include "flow/windows/local_loss.hpp"

namespace fractile::flow {

/// Whether sums have so few values that every likely one can be examined.
bool has_listable_totals(const TargetTotal& target);

/// The loss from the sums that are assumed to matter; nothing when the check of this assumption fails somewhere in the cell, or the
/// cell is too wide.
std::unique_ptr<LocalLoss> local_in_totals(const DecisiveTotals& sums, const TargetTotal& target, const Cell& cell);

/// Nothing when the cell is too wide.
std::unique_ptr<LocalLoss> local_sum(const TargetTotal& target, const Cell& cell);

}  // namespace fractile::flow
