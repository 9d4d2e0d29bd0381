// The loss of an analyst who sees a sum and knows all values but one, on a cell.
// Proof: docs/proofs/windows.md, "Sums"
#pragma once

#include <memory>

#include "flow/local_loss.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// How many steps lie between the least sum and the greatest.
double range_of_sum(const Pipeline& pipeline);

/// Whether sums have so few values that each may be looked at.
bool has_few_sums(const Pipeline& pipeline);

/// Nothing when the cell is too wide. The pipeline adds known others (known_sums.hpp).
std::unique_ptr<LocalLoss> local_sum(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell);

}  // namespace fractile::flow
