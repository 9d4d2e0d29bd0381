// The sums that matter to an analyst's loss in a cell.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "flow/algebra/chebyshev.hpp"
#include "flow/loss/tilted_totals.hpp"

namespace fractile::flow {

/// The totals to examine in a cell. This is a guess; everything that is used of it is checked.
struct DecisiveTotals {
  std::size_t baseline;  ///< the action that is best after the likely totals
  /// The unit of slopes, as a weight: that of the likeliest total after which the baseline is not best.
  double unit;
  double spread;                          ///< how much the weights of such totals vary within the cell
  std::vector<TiltedTotals> views;        ///< in order, without gaps between them
  std::vector<TiltedTotals> beyond = {};  ///< all totals at an end, which are negligible in that unit
};

DecisiveTotals decisive_totals(const TargetTotal& target, const Cell& cell);

/// All totals except those of negligible probability, in units of probability.
DecisiveTotals likely_totals(const TargetTotal& target, const Cell& cell);

}  // namespace fractile::flow
