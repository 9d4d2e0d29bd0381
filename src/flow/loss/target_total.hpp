// One person's value is unknown, all others' are known, and a count or a sum of the perturbed values is released: thousands of people are
// no trouble (kronecker-utility 2023, section 9.2 and appendix D.1).
// Proof: docs/proofs/target_loss.md
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/loss/joint_weights.hpp"
#include "flow/loss/total_law.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// By action and step: what a unit of probability costs, when the target adds that step.
using StepCosts = std::vector<std::vector<Enclosure>>;

/// The loss of an analyst who sees the total of a target's answer and the others', counted in steps above the least.
class TargetTotal {
 public:
  static bool fits(const Pipeline& pipeline);
  TargetTotal(const Pipeline& pipeline, const Analyst& analyst);

  /// A count takes about N^2 log(odds) bit operations and N log(odds) bits of memory. A sum takes memory and time like the number of people
  /// times the number of totals. Throws `usage` where that is millions.
  Rational exact_loss(const Rational& odds) const;
  /// The absolute error is some 2^-140 of the largest loss. Time about the square root of the number of people, for a count times its
  /// logarithm, for a sum times the range of a value in steps.
  Enclosure loss(const Enclosure& odds) const;
  bool is_soon_exact(const Rational& odds) const;

  /// It is a count: an answer adds a step or none, and an action that is at most another one after two totals is so after all between.
  /// Ranges of totals are decided at once; those of a sum are decided one by one.
  bool is_count() const { return is_count_; }
  /// By answer.
  const std::vector<std::size_t>& steps() const { return steps_; }
  std::size_t longest_step() const { return longest_step_; }
  /// The others, by value. Those whose answers are certain only move a count, and are left out of it.
  const Composition& others() const { return others_; }
  std::size_t other_people() const { return std::accumulate(others_.begin(), others_.end(), std::size_t{0}); }
  /// The greatest total, the least one being 0.
  std::size_t last_total() const { return longest_step_ * (other_people() + 1); }

  StepLaws step_laws(const Enclosure& odds) const { return by_step(laws_, odds, 1); }
  /// Actions with the same costs are one.
  StepCosts step_costs(const Enclosure& odds) const { return by_step(costs_, odds, joint_.common); }
  /// By action and different step: polynomials in odds, in units of 1 / (joint().common * the noise's denominator).
  const std::vector<std::vector<Polynomial>>& costs() const { return costs_; }
  /// By value and different step, increasing: the probability's numerator.
  const std::vector<std::vector<Polynomial>>& laws() const { return laws_; }
  const std::vector<std::size_t>& different_steps() const { return different_steps_; }
  const Polynomial& denominator() const;
  const JointWeights& joint() const { return joint_; }
  const Pipeline& pipeline() const { return pipeline_; }

 private:
  /// Rows of numerators by different step, over `common` times the noise's denominator: at these odds, by step.
  std::vector<std::vector<Enclosure>> by_step(const std::vector<std::vector<Polynomial>>& rows, const Enclosure& odds,
                                              const Rational& common) const;

  Pipeline pipeline_;
  JointWeights joint_;
  bool is_count_;
  std::vector<std::size_t> steps_;
  std::vector<std::size_t> different_steps_;
  std::size_t longest_step_;
  std::vector<std::vector<Polynomial>> laws_;
  std::vector<std::vector<Polynomial>> costs_;
  Composition others_;
};

/// Joint losses after a total are in units of expectation / ratio^total, where the others' total s is taken to be ratio^s times as
/// likely as it is.
struct TiltedUnit {
  TiltedUnit(const TargetTotal& target, const Enclosure& odds, Rational of);
  Enclosure after(std::size_t total) const;

  Rational ratio;
  Enclosure expectation;  ///< of ratio^s
};

/// What is known at some odds, of totals that are likely enough in a tilted unit.
struct TiltedTotal {
  TiltedTotal(const TargetTotal& target, const Enclosure& odds, const Rational& ratio = 1);

  /// An action's joint loss after a total, in the tilted unit; `left_out` is not in it.
  Enclosure loss(std::size_t action, std::size_t total) const { return weighted(costs[action], total); }
  /// The sum over steps of `by_step` times how likely the others' total is one from which the step leads to this one.
  Enclosure weighted(const std::vector<Enclosure>& by_step, std::size_t total) const;
  /// Totals first .. end - 1 are all that matter.
  std::size_t first() const { return others.first; }
  std::size_t end() const { return others.first + others.size + costs.front().size() - 1; }

  Enclosure expectation;  ///< of ratio^s
  StepCosts costs;        ///< times ratio^step
  TruncatedLaw others;    ///< the tilted law of the others' total
  Enclosure left_out;     ///< holds what its `rest` adds to all totals together, whatever the actions are: from 0
};

/// No less than the joint losses after a total and all beyond it together, whatever the actions are: beyond is above for a ratio
/// of more than 1, and below for one of less.
Enclosure losses_beyond(const TargetTotal& target, const Enclosure& odds, const Rational& ratio, std::size_t total);

}  // namespace fractile::flow
