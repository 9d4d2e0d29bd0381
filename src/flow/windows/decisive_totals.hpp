// Which sums matter to an analyst's loss in a cell.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "flow/algebra/chebyshev.hpp"
#include "flow/loss/tilted_totals.hpp"

namespace fractile::flow {

/// What is looked at in a cell. It is all a guess, of which nothing is taken to be true that is not checked.
struct DecisiveTotals {
  std::size_t baseline;  ///< the action that is best after the likely totals
  double unit;           ///< of slopes, as a weight: that of the likeliest total that speaks against the baseline
  double spread;         ///< how much the weights of such totals differ, from place to place in the cell
  std::vector<TiltedTotals> views;        ///< in order, no total between them missing
  std::vector<TiltedTotals> beyond = {};  ///< all totals at an end, next to nothing in that unit
};

DecisiveTotals decisive_totals(const TargetTotal& target, const Cell& cell);

/// All totals but those that hardly ever come, in their own unit.
DecisiveTotals likely_totals(const TargetTotal& target, const Cell& cell);

}  // namespace fractile::flow
