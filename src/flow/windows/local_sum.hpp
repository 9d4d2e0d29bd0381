// The loss of an analyst who sees a sum and knows all values but one, on a cell.
// Proof: docs/proofs/windows.md, "Sums"
#pragma once

#include <memory>

#include "flow/windows/decisive_totals.hpp"
#include "flow/windows/local_loss.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// How many steps lie between the least sum and the greatest.
double range_of_sum(const Pipeline& pipeline);

/// Whether sums have so few values that each likely one may be looked at.
bool has_listable_sums(const Pipeline& pipeline);

/// From what is taken to be relevant; nothing when that is not so throughout the cell, or the cell is too wide.
std::unique_ptr<LocalLoss> local_in_sums(const RelevantSums& sums, const Pipeline& pipeline, const Analyst& analyst,
                                         const Cell& cell);

/// Nothing when the cell is too wide. The pipeline adds known others (known_sums.hpp).
std::unique_ptr<LocalLoss> local_sum(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell);

}  // namespace fractile::flow
