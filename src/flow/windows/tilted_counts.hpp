// Counts that are examined together in special units: all counts, or those in a tail, however unlikely.
// Proof: docs/proofs/windows_counts.md, "Tails"
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/algebra/chebyshev.hpp"
#include "flow/loss/target_total.hpp"

namespace fractile::flow {

/// Counts after which another action than the usual one may be best. Probabilities are in units of expectation / ratio^reference.
struct TiltedCounts {
  std::size_t first;
  std::size_t last;
  Rational ratio = 1;         ///< factor of each answer's odds of being counted that makes such counts likely
  std::size_t reference = 0;  ///< for a ratio below 1 the highest count that matters, for a ratio above 1 the lowest
  /// Whether Q(y) is known in the view.
  bool matters(std::size_t y) const { return ratio == 1 || (ratio < 1 ? y <= reference : y >= reference); }
  Enclosure expectation = {};  ///< of ratio^count, at the cell's centre
  Enclosure share = {};        ///< the unit above in units of slopes
};

/// The views, and the baseline action, which is assumed to be best after counts that are in no view. The loss of an analyst who
/// always takes the baseline action is constant.
struct DecisiveCounts {
  std::size_t baseline;
  std::vector<TiltedCounts> views;  ///< by count; at most two
  Enclosure unit = {};              ///< the unit of slopes: the largest unit of the views
  /// Approximately log2 of how much likelier the views' ends are than counts that matter elsewhere in the cell.
  double spread = 0;
};

/// All counts in one view.
DecisiveCounts all_counts(const TargetTotal& count, const Cell& cell);

/// Only the counts, at both ends, after which the baseline is not best; nothing where these are not separate from the likely
/// counts. It is a guess that there are no others.
std::optional<DecisiveCounts> tail_counts(const TargetTotal& count, const Cell& cell);

/// The law of the counts that matter to a view, in the view's units.
RunningLaw tilted_count_law(const TargetTotal& count, const TiltedCounts& view, const Enclosure& odds);

}  // namespace fractile::flow
