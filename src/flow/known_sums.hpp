// One person's value is unknown, all others' are known, and the sum of the perturbed values is released.
// Proof: docs/proofs/known_others.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/stretch.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline.
bool adds_known_others(const Pipeline& pipeline);

/// What is known at some odds. A sum is counted in steps above the least.
struct KnownSum {
  KnownSum(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

  /// An action's joint loss after a total; `rest` is left out.
  Enclosure loss(std::size_t action, std::size_t total) const;
  /// Totals first .. end - 1 are all that matter.
  std::size_t first() const { return others.first; }
  std::size_t end() const { return others.first + others.size + costs.front().size() - 1; }

  std::vector<std::vector<Enclosure>>
      costs;           ///< by action and step: of a unit of probability, when the target adds that step
  Stretch others;      ///< the law of the others' sum
  Enclosure left_out;  ///< holds what `rest` adds to all totals together, whatever the actions are: from 0
};

/// The analyst's expected loss, with an absolute error of some 2^-140 of the largest loss. Time about the square root of the
/// number of people, times the range of a value in steps.
Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
