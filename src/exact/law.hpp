// The exact law of a selection, as enclosures. Samplers are tested against it, and audits certify it.
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "exact/majorant.hpp"

namespace fractile {

/// The runs that a cursor passes.
template <RunCursor Cursor>
std::vector<Run> runs_of(Cursor cursor) {
  std::vector<Run> runs;
  for (Run run{}; cursor.next(run);) {
    if (run.length > 0) runs.push_back(run);
  }
  return runs;
}

/// For each run, the probability that one of its members is drawn, if each member's probability is proportional to exp(-rate *
/// score).
std::vector<Enclosure> softmax_law(const std::vector<Run>& runs, const Exponent& rate,
                                   std::int64_t precision = Enclosure::default_precision);

}  // namespace fractile
