// The loss of an analyst who sees a count and knows all values but one, on a cell.
// Proof: docs/proofs/windows.md, "Ranges of counts" and "Unlikely counts"
#pragma once

#include <memory>

#include "flow/count_law.hpp"
#include "flow/local_loss.hpp"

namespace fractile::flow {

/// Nothing when the cell is too wide. The pipeline counts with known others (known_others.hpp).
std::unique_ptr<LocalLoss> local_count(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell);

}  // namespace fractile::flow
