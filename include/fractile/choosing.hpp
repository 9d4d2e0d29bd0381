// At which epsilons an analyst's expected loss is at most a target. Proof: docs/proofs/choosing.md
// Thread-safety: threads may share arguments and results that none changes; functions may run at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fractile/expected_loss.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/windows.hpp"

namespace fractile::flow {

/// Odds from .. to, both included, throughout which the analyst is served (the expected loss is at most the target), is not served,
/// or it is unknown whether they are.
struct ServedRange {
  enum class Answer { served, not_served, unknown };
  Rational from;
  Rational to;
  Answer answer;

  /// An unknown range between a served one and another, no wider than this share of its odds, is where one ends and the other
  /// begins.
  static const Rational& narrow();
  bool is_narrow() const { return to - from <= from * narrow(); }
};

/// "served", "not-served" or "unknown".
const char* to_string(ServedRange::Answer answer);

/// What is wanted of a release: that the analyst loses at most `most_loss`.
struct Wanted {
  Rational most_loss;
  /// The analyst's over the range, as find_windows() has them, or proved_stability() where there are none.
  Windows windows;
};

/// All of odds from .. to, in order; neighbors have different answers. A wider unknown range is one in which it is unknown whether
/// the loss rises, in which the loss is too near to the target for enclosures to decide, or that the search had not reached when
/// `stop` ended it. Throws `usage` when from < 1 or to <= from, or the analyst does not fit the pipeline.
std::vector<ServedRange> served_ranges(const Pipeline& pipeline, const Analyst& analyst, const Wanted& wanted,
                                       const Rational& from, const Rational& to,
                                       const std::function<bool()>& stop = {});

/// Where all of several analysts are served, over one range. Empty without analysts.
std::vector<ServedRange> served_together(const std::vector<std::vector<ServedRange>>& each);

}  // namespace fractile::flow
