// One person's value is unknown, all others' are known, and the sum of the perturbed values is released.
// Proof: docs/proofs/target_loss.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "flow/loss/joint_weights.hpp"
#include "flow/pipeline/composition.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// By value: the probabilities of the steps that its answer adds to the sum.
using StepLaws = std::vector<std::vector<Enclosure>>;
/// By action and step: what a unit of probability costs, when the target adds that step.
using StepCosts = std::vector<std::vector<Enclosure>>;

/// The loss of an analyst who sees the sum of a target's answer and the others'. A sum is counted in steps above the least.
class TargetSum {
 public:
  static bool fits(const Pipeline& pipeline);
  TargetSum(const Pipeline& pipeline, const Analyst& analyst);

  /// Memory and time like the product of the number of people and of that of totals: Error(usage) where these are millions.
  Rational exact_loss(const Rational& odds) const;
  /// The absolute error is some 2^-140 of the largest loss. Time about the square root of the number of people, times the range
  /// of a value in steps.
  Enclosure loss(const Enclosure& odds) const;
  bool is_soon_exact(const Rational& odds) const;

  StepLaws step_laws(const Enclosure& odds) const;
  /// `laws`: as step_laws() has them, or tilted.
  StepCosts step_costs(const StepLaws& laws) const;
  /// By answer.
  const std::vector<std::size_t>& steps() const { return steps_; }
  std::size_t longest_step() const { return longest_step_; }
  /// How many steps lie between the least sum and the greatest.
  double range() const;
  /// The others, by value.
  const Composition& others() const { return others_; }
  const JointWeights& joint() const { return joint_; }
  const Pipeline& pipeline() const { return pipeline_; }

 private:
  Pipeline pipeline_;
  JointWeights joint_;
  std::vector<std::vector<Enclosure>> weights_;  // by action and value
  std::vector<std::size_t> steps_;
  std::size_t longest_step_;
  Composition others_;
};

/// Joint losses after a total are in units of expectation / ratio^total, where the others' sum s is taken to be ratio^s times as
/// likely as it is.
struct TiltedUnit {
  TiltedUnit(const TargetSum& sum, const Enclosure& odds, Rational of);
  Enclosure after(std::size_t total) const;

  Rational ratio;
  Enclosure expectation;  ///< of ratio^s
};

/// What is known at some odds, of totals that are likely enough in a tilted unit.
struct TiltedSum {
  TiltedSum(const TargetSum& sum, const Enclosure& odds, const Rational& ratio = 1);

  /// An action's joint loss after a total, in the tilted unit; `left_out` is not in it.
  Enclosure loss(std::size_t action, std::size_t total) const;
  /// Totals first .. end - 1 are all that matter.
  std::size_t first() const { return others.first; }
  std::size_t end() const { return others.first + others.size + costs.front().size() - 1; }

  Enclosure expectation;  ///< of ratio^s
  StepCosts costs;        ///< times ratio^step
  TruncatedLaw others;    ///< the tilted law of the others' sum
  Enclosure left_out;     ///< holds what its `rest` adds to all totals together, whatever the actions are: from 0
};

/// No less than the joint losses after a total and all beyond it together, whatever the actions are: beyond is above for a ratio
/// of more than 1, and below for one of less.
Enclosure losses_beyond(const TargetSum& sum, const Enclosure& odds, const Rational& ratio, std::size_t total);

}  // namespace fractile::flow
