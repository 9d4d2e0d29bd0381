// Bounds for the laws of tilted totals on a cell.
// Proof: docs/proofs/windows_counts.md, docs/proofs/windows_totals.md
#pragma once

#include <vector>

#include "flow/algebra/chebyshev.hpp"
#include "flow/loss/target_total.hpp"

namespace fractile::flow {

/// By value: an upper bound, on the cell's ellipse, of the sum over steps of |p| ratio^step.
std::vector<Enclosure> tilted_moduli(const Rational& ratio, const TargetTotal& target, const Cell& cell);

}  // namespace fractile::flow
