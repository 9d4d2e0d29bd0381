// One participant's value is unknown, all others' are known, and a count or a sum of the perturbed values is released. This is
// feasible for thousands of participants (kronecker-utility 2023, section 9.2 and appendix D.1).
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

/// By action and step: the cost per unit of probability when the target adds that step.
using StepCosts = std::vector<std::vector<Enclosure>>;

/// The loss of an analyst who sees the total of a target's answer and the others', counted in steps above the least.
class TargetTotal {
 public:
  static bool fits(const Pipeline& pipeline);
  TargetTotal(const Pipeline& pipeline, const Analyst& analyst);

  /// A count takes about N^2 log(odds) bit operations and N log(odds) bits of memory. A sum takes memory and time proportional to
  /// the number of participants times the number of totals; throws `usage` where that is millions.
  Rational exact_loss(const Rational& odds) const;
  /// The absolute error is some 2^-140 of the largest loss. The time is about the square root of the number of participants: for a
  /// count times its logarithm, for a sum times the range of a value in steps.
  Enclosure loss(const Enclosure& odds) const;
  bool is_soon_exact(const Rational& odds) const;

  /// Whether it is a count: then an answer adds one step or none, and an action whose loss is at most another's after two totals
  /// has this property after all totals between. So ranges of totals are decided at once, while the totals of a sum are decided one
  /// by one.
  bool is_count() const { return is_count_; }
  /// By answer.
  const std::vector<std::size_t>& steps() const { return steps_; }
  std::size_t longest_step() const { return longest_step_; }
  /// The numbers of others, by value. Others whose answers are certain only shift a count, and are left out of it.
  const Composition& others() const { return others_; }
  std::size_t other_people() const { return std::accumulate(others_.begin(), others_.end(), std::size_t{0}); }
  /// The greatest total; the least one is 0.
  std::size_t last_total() const { return longest_step_ * (other_people() + 1); }

  StepLaws step_laws(const Enclosure& odds) const { return by_step(laws_, odds, 1); }
  /// The costs of the actions; actions with the same costs are one.
  StepCosts step_costs(const Enclosure& odds) const { return by_step(costs_, odds, joint_.common); }
  /// By action and different step: polynomials in odds, in units of 1 / (joint().common * the noise's denominator).
  const std::vector<std::vector<Polynomial>>& costs() const { return costs_; }
  /// By value and different step, increasing: the numerator of the probability.
  const std::vector<std::vector<Polynomial>>& laws() const { return laws_; }
  const std::vector<std::size_t>& different_steps() const { return different_steps_; }
  const Polynomial& denominator() const;
  const JointWeights& joint() const { return joint_; }
  const Pipeline& pipeline() const { return pipeline_; }

 private:
  /// Evaluates rows of numerators, by different step and over `common` times the noise's denominator, at these odds and by step.
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

/// The unit expectation / ratio^total of joint losses after a total, when the probability of each total s of the others is
/// multiplied by ratio^s.
struct TiltedUnit {
  TiltedUnit(const TargetTotal& target, const Enclosure& odds, Rational of);
  Enclosure after(std::size_t total) const;

  Rational ratio;
  Enclosure expectation;  ///< of ratio^s
};

/// The totals that are likely enough in a tilted unit, at some odds.
struct TiltedTotal {
  TiltedTotal(const TargetTotal& target, const Enclosure& odds, const Rational& ratio = 1);

  /// An action's joint loss after a total, in the tilted unit, without left_out.
  Enclosure loss(std::size_t action, std::size_t total) const { return weighted(costs[action], total); }
  /// The sum over steps of by_step[step] times the probability that the others' total is `total` minus this step.
  Enclosure weighted(const std::vector<Enclosure>& by_step, std::size_t total) const;
  /// Only totals first() .. end() - 1 matter.
  std::size_t first() const { return others.first; }
  std::size_t end() const { return others.first + others.size + costs.front().size() - 1; }

  Enclosure expectation;  ///< of ratio^s
  StepCosts costs;        ///< times ratio^step
  TruncatedLaw others;    ///< the tilted law of the others' total
  Enclosure left_out;     ///< from 0 to what the law's `rest` adds to all totals together, for any actions
};

/// An upper bound of the joint losses after a total and all totals beyond it together, for any actions. Beyond means above for a
/// ratio of more than 1, and below for a ratio of less than 1.
Enclosure losses_beyond(const TargetTotal& target, const Enclosure& odds, const Rational& ratio, std::size_t total);

}  // namespace fractile::flow
