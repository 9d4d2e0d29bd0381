// One person's value is unknown, all others' are known, and the sum of the perturbed values is released.
// Proof: docs/proofs/known_others.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// Whether the function below takes the pipeline.
bool adds_known_others(const Pipeline& pipeline);

/// By value: the probabilities of the steps that its answer adds to the sum.
std::vector<std::vector<Enclosure>> step_laws(const Pipeline& pipeline, const Enclosure& odds);

/// By action and step: what a unit of probability costs, when the target adds that step.
using StepCosts = std::vector<std::vector<Enclosure>>;
StepCosts step_costs(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

/// Joint losses after a total are in units of expectation / ratio^total, where the others' sum s is taken to be ratio^s times as likely as it
/// is.
struct TiltedUnit {
  TiltedUnit(const Pipeline& pipeline, const Enclosure& odds, Rational of);
  Enclosure after(std::size_t total) const;

  Rational ratio;
  Enclosure expectation;  ///< of ratio^s
};

/// What is known at some odds, of totals that are likely enough in a tilted unit. A sum is counted in steps above the least.
struct KnownSum {
  KnownSum(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds, const Rational& ratio = 1);

  /// An action's joint loss after a total, in the tilted unit; `left_out` is not in it.
  Enclosure loss(std::size_t action, std::size_t total) const;
  /// Totals first .. end - 1 are all that matter.
  std::size_t first() const { return others.first; }
  std::size_t end() const { return others.first + others.size + costs.front().size() - 1; }

  Enclosure expectation;  ///< of ratio^s
  StepCosts costs;        ///< times ratio^step
  Stretch others;         ///< the tilted law of the others' sum
  Enclosure left_out;     ///< holds what its `rest` adds to all totals together, whatever the actions are: from 0
};

/// No less than the joint losses after a total and all beyond it together, whatever the actions are: beyond is above for a ratio of more
/// than 1, and below for one of less.
Enclosure losses_beyond(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds, const Rational& ratio,
                        std::size_t total);

/// Whether the function below takes the pipeline at these odds.
bool has_short_loss(const Pipeline& pipeline, const Rational& odds);

/// The analyst's expected loss. Memory and time like the product of the number of people and of that of totals: Error(usage) where these
/// are millions.
Rational exact_loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// The analyst's expected loss, with an absolute error of some 2^-140 of the largest loss. Time about the square root of the
/// number of people, times the range of a value in steps.
Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
