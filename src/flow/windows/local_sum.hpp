// The loss of an analyst who sees a sum and knows all values but one, on a cell.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <memory>

#include "flow/windows/decisive_totals.hpp"
#include "flow/windows/local_loss.hpp"

namespace fractile::flow {

/// Whether sums have so few values that each likely one may be looked at.
bool has_listable_totals(const TargetTotal& target);

/// From what is taken to be relevant; nothing when that is not so throughout the cell, or the cell is too wide.
std::unique_ptr<LocalLoss> local_in_totals(const DecisiveTotals& sums, const TargetTotal& target, const Cell& cell);

/// Nothing when the cell is too wide.
std::unique_ptr<LocalLoss> local_sum(const TargetTotal& target, const Cell& cell);

}  // namespace fractile::flow
