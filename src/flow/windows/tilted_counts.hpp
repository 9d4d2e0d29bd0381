// Counts that are looked at together, in units of their own: all of them, or those in a tail, however unlikely.
// Proof: docs/proofs/windows_counts.md, "Tails"
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/algebra/chebyshev.hpp"
#include "flow/loss/target_total.hpp"

namespace fractile::flow {

/// Counts after which the best action may be another one than usually. Probabilities are in units of expectation / ratio^reference.
struct TiltedCounts {
  std::size_t first;
  std::size_t last;
  Rational ratio = 1;  ///< by which each answer's odds of being counted are multiplied, so that such counts are likely
  std::size_t reference = 0;  ///< the highest count that matters for a ratio below 1, and the lowest for one above
  /// Whether Q(y) is known in the view.
  bool matters(std::size_t y) const { return ratio == 1 || (ratio < 1 ? y <= reference : y >= reference); }
  Enclosure expectation = {};  ///< of ratio^count, at the cell's centre
  Enclosure share = {};        ///< of the unit above in that of slopes
};

/// An analyst who takes the baseline action after all counts has a loss that is the same everywhere. It is taken to be best after counts
/// that are in no view.
struct DecisiveCounts {
  std::size_t baseline;
  std::vector<TiltedCounts> views;  ///< by count; at most two
  Enclosure unit = {};              ///< of slopes: the largest of the views'
  double spread =
      0;  ///< log2 of how much likelier the views' ends are than counts that matter elsewhere in the cell, about
};

/// All counts in one view.
DecisiveCounts all_counts(const TargetTotal& count, const Cell& cell);

/// Only the counts, at either end, that speak against the baseline; nothing where these are not apart from the likely ones. That there are no
/// others is a guess.
std::optional<DecisiveCounts> tail_counts(const TargetTotal& count, const Cell& cell);

/// The law of a count in a view's units, of counts that matter to the view.
RunningLaw tilted_count_law(const TargetTotal& count, const TiltedCounts& view, const Enclosure& odds);

}  // namespace fractile::flow
