#include "flow/loss/target_total.hpp"

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/algebra/integer_matrix.hpp"
#include "flow/pipeline/additions.hpp"
#include "flow/pipeline/rows.hpp"

namespace fractile::flow {
namespace {

/// An upper bound, for any action, of its costs per unit of probability, added up over all steps.
Enclosure highest_cost(const StepCosts& costs) {
  Enclosure all;
  for (std::size_t s = 0; s < costs.front().size(); ++s) {
    Enclosure highest;
    for (const std::vector<Enclosure>& cost : costs) highest = Enclosure::larger(highest, cost[s], enclosure_bits);
    all = Enclosure::sum(all, highest, enclosure_bits);
  }
  return all;
}

std::vector<std::size_t> different(std::vector<std::size_t> steps, bool is_count) {
  if (is_count) return {0, 1};
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// By value and step: the sum of the numerators of all answers that add this step.
std::vector<std::vector<Polynomial>> laws_of(const PolynomialNoise& noise, const std::vector<std::size_t>& steps,
                                             const std::vector<std::size_t>& different_steps) {
  std::vector<std::vector<Polynomial>> laws;
  for (const std::vector<Polynomial>& row : noise.numerators) {
    std::vector<Polynomial> law(different_steps.size());
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      Polynomial& p = law[static_cast<std::size_t>(std::ranges::lower_bound(different_steps, steps[answer]) -
                                                   different_steps.begin())];
      p = p + row[answer];
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

}  // namespace

bool TargetTotal::fits(const Pipeline& pipeline) {
  using Kind = PostProcessor::Kind;
  return pipeline.perturber.is_shared() && pipeline.perturber.root_degree() == 1 &&
         pipeline.secret.kind == Secret::Kind::target &&
         (pipeline.post.kind == Kind::count || pipeline.post.kind == Kind::sum);
}

TargetTotal::TargetTotal(const Pipeline& pipeline, const Analyst& analyst)
    : pipeline_(pipeline),
      joint_(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline))),
      is_count_(pipeline.post.kind == PostProcessor::Kind::count),
      steps_(additions_of(pipeline).steps),
      different_steps_(different(steps_, is_count_)),
      longest_step_(different_steps_.back()),
      laws_(laws_of(noise_of(pipeline.perturber), steps_, different_steps_)),
      others_(known_composition(pipeline)) {
  for (std::size_t w = 0; w < joint_.weights.columns(); ++w) {
    checkpoint();
    std::vector<Polynomial> costs(different_steps_.size());
    for (std::size_t x = 0; x < laws_.size(); ++x) {
      const Polynomial weight = Polynomial::constant(joint_.weights(x, w));
      for (std::size_t s = 0; s < costs.size(); ++s) add_product(costs[s], weight, laws_[x][s]);
    }
    if (std::ranges::find(costs_, costs) == costs_.end()) costs_.push_back(std::move(costs));
  }
  for (std::size_t value = 0; is_count_ && value < others_.size(); ++value) {
    if (is_zero(laws_[value].front()) || is_zero(laws_[value].back())) others_[value] = 0;
  }
}

const Polynomial& TargetTotal::denominator() const { return noise_of(pipeline_.perturber).denominator; }

std::vector<std::vector<Enclosure>> TargetTotal::by_step(const std::vector<std::vector<Polynomial>>& rows,
                                                         const Enclosure& odds, const Rational& common) const {
  const Enclosure unit = product(denominator().at(odds, enclosure_bits), Enclosure::of(common, enclosure_bits));
  std::vector<std::vector<Enclosure>> result;
  result.reserve(rows.size());
  for (const std::vector<Polynomial>& numerators : rows) {
    std::vector<Enclosure> row(longest_step_ + 1);
    for (std::size_t i = 0; i < numerators.size(); ++i) {
      row[different_steps_[i]] = Enclosure::quotient(numerators[i].at(odds, enclosure_bits), unit, enclosure_bits);
    }
    result.push_back(std::move(row));
  }
  return result;
}

TiltedUnit::TiltedUnit(const TargetTotal& target, const Enclosure& odds, Rational of)
    : ratio(std::move(of)), expectation(expectation_of(tilted(target.step_laws(odds), ratio), target.others())) {}

Enclosure TiltedUnit::after(std::size_t total) const {
  return expectation / Enclosure::of(ratio, enclosure_bits).pow(total);
}

TiltedTotal::TiltedTotal(const TargetTotal& target, const Enclosure& odds, const Rational& ratio) {
  const StepLaws laws = tilted(target.step_laws(odds), ratio);
  costs = tilted(target.step_costs(odds), ratio);
  expectation = expectation_of(laws, target.others());
  others = total_law(laws, target.others());
  left_out = from_zero_to(product(highest_cost(costs), others.rest));
}

Enclosure TiltedTotal::weighted(const std::vector<Enclosure>& by_step, std::size_t total) const {
  Enclosure sum;
  for (std::size_t s = 0; s < by_step.size() && s <= total; ++s) {
    const std::size_t below = total - s;
    if (below < others.first || below >= others.first + others.size) continue;
    add_product(sum, by_step[s], others.mass(below - others.first));
  }
  return sum;
}

Enclosure losses_beyond(const TargetTotal& target, const Enclosure& odds, const Rational& ratio, std::size_t total) {
  const TiltedUnit unit(target, odds, ratio);
  return product(highest_cost(tilted(target.step_costs(odds), ratio)), unit.after(total));
}

namespace {

/// The sum over totals of the least of the actions' joint losses. For counts, Q(y - 1)/Q(y) never falls as y grows (Q is
/// log-concave), so if an action's loss is at most another's at both ends of a range, it is so within the range.
class LeastOfTotals {
 public:
  LeastOfTotals(const TargetTotal& target, const TiltedTotal& total)
      : target_(target), law_(total.others), costs_(total.costs) {}

  Enclosure sum() {
    const std::vector<std::size_t> all = all_of(costs_.size());
    const std::size_t end = law_.last() + target_.longest_step() + 1;
    const std::size_t last = target_.last_total();
    if (law_.first() > 0) add(0, law_.first() - 1, all);
    add(law_.first(), end - 1, all);
    if (end <= last) add(end, last, all);
    return sum_;
  }

 private:
  /// By different step: the probability that the others' total is one from which the step leads to the totals in question.
  using Masses = std::vector<Enclosure>;

  /// Totals first .. last.
  void add(std::size_t first, std::size_t last, std::vector<std::size_t> candidates) {
    const Masses masses = masses_of(first, last);
    if (is_negligible(masses)) {
      // Losses are not negative, and the least one is at most every other.
      add(from_zero_to(value(candidates.front(), masses)));
    } else if (first == last) {
      Enclosure least = value(candidates.front(), masses);
      for (const std::size_t w : candidates) arb_min(least.arb(), least.arb(), value(w, masses).arb(), law_bits);
      add(least);
    } else {
      if (target_.is_count()) leave_best(candidates, masses_of(first, first), masses_of(last, last));
      if (candidates.size() == 1) return add(value(candidates.front(), masses));
      const std::size_t middle = first + (last - first) / 2;
      add(first, middle, candidates);
      add(middle + 1, last, std::move(candidates));
    }
  }

  /// Drops actions that are certainly no better than another one at both ends of a range of counts.
  void leave_best(std::vector<std::size_t>& candidates, const Masses& left, const Masses& right) const {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t kept = candidates[i];
      std::erase_if(candidates, [&](std::size_t w) {
        return w != kept && certainly_at_most(value(kept, left), value(w, left)) &&
               certainly_at_most(value(kept, right), value(w, right));
      });
      i = static_cast<std::size_t>(std::ranges::find(candidates, kept) - candidates.begin());
    }
  }

  Masses masses_of(std::size_t first, std::size_t last) const {
    Masses masses;
    for (const std::size_t step : target_.different_steps()) {
      masses.push_back(law_.between(first - std::min(first, step), last + 1 - std::min(last + 1, step)));
    }
    return masses;
  }
  Enclosure value(std::size_t w, const Masses& masses) const {
    Enclosure result;
    for (std::size_t s = 0; s < masses.size(); ++s) {
      add_product(result, costs_[w][target_.different_steps()[s]], masses[s]);
    }
    return result;
  }
  static bool is_negligible(const Masses& masses) {
    return std::ranges::all_of(masses, [](const Enclosure& mass) { return mass.upper_double() < 0x1p-150; });
  }
  void add(const Enclosure& loss) { arb_add(sum_.arb(), sum_.arb(), loss.arb(), law_bits); }

  const TargetTotal& target_;
  RunningLaw law_;
  const StepCosts& costs_;
  Enclosure sum_;
};

}  // namespace

Enclosure TargetTotal::loss(const Enclosure& odds) const {
  return LeastOfTotals(*this, TiltedTotal(*this, odds)).sum();
}

}  // namespace fractile::flow
