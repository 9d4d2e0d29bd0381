#include "flow/known_sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "flow/joint_weights.hpp"
#include "flow/rows.hpp"

namespace fractile::flow {
namespace {

/// By value: the probabilities of the steps that its answer adds to the sum.
std::vector<std::vector<Enclosure>> step_laws(const Noise<Enclosure>& noise, const std::vector<std::size_t>& steps) {
  std::vector<std::vector<Enclosure>> laws;
  laws.reserve(noise.values());
  for (const std::vector<Enclosure>& row : noise.numerators) {
    std::vector<Enclosure> law(*std::ranges::max_element(steps) + 1);
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      Enclosure p;
      arb_div(p.arb(), row[answer].arb(), noise.denominator.arb(), enclosure_bits);
      arb_add(law[steps[answer]].arb(), law[steps[answer]].arb(), p.arb(), enclosure_bits);
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

/// By action and step: what a unit of probability costs, when the others' sum is that much below the total.
std::vector<std::vector<Enclosure>> costs_of(const JointWeights& joint,
                                             const std::vector<std::vector<Enclosure>>& laws) {
  std::vector<std::vector<Enclosure>> costs;
  for (std::size_t w = 0; w < joint.weights.columns(); ++w) {
    std::vector<Enclosure> cost(laws.front().size());
    for (std::size_t x = 0; x < laws.size(); ++x) {
      const Enclosure weight = Enclosure::of(joint.weights(x, w) / joint.common, enclosure_bits);
      for (std::size_t s = 0; s < cost.size(); ++s) add_product(cost[s], weight, laws[x][s]);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

/// What an action costs for a unit of probability, whatever it is for each step.
Enclosure highest_cost(const std::vector<std::vector<Enclosure>>& costs) {
  Enclosure all;
  for (std::size_t s = 0; s < costs.front().size(); ++s) {
    Enclosure highest;
    for (const std::vector<Enclosure>& cost : costs) {
      arb_max(highest.arb(), highest.arb(), cost[s].arb(), enclosure_bits);
    }
    arb_add(all.arb(), all.arb(), highest.arb(), enclosure_bits);
  }
  return all;
}

}  // namespace

bool adds_known_others(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && pipeline.secret.kind == Secret::Kind::target &&
         pipeline.post.kind == PostProcessor::Kind::sum;
}

KnownSum::KnownSum(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) : others(nobody()) {
  const auto laws = step_laws(noise_at(pipeline.perturber.noise(), odds), additions_of(pipeline).steps);
  costs = costs_of(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline)), laws);
  const Composition histogram = composition_of(pipeline.secret.known, pipeline.values.size());
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    others = convolved(others, power(fixed_point(0, laws[value], {}), histogram[value]));
  }
  left_out = from_zero_to(product(highest_cost(costs), others.rest));
}

Enclosure KnownSum::loss(std::size_t action, std::size_t total) const {
  const std::vector<Enclosure>& cost = costs[action];
  Enclosure sum;
  for (std::size_t s = 0; s < cost.size() && s <= total; ++s) {
    const std::size_t below = total - s;
    if (below < others.first || below >= others.first + others.size) continue;
    add_product(sum, cost[s], others.mass(below - others.first));
  }
  return sum;
}

Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  pipeline.validate();
  const KnownSum sum(pipeline, analyst, odds);
  Enclosure loss = sum.left_out;
  for (std::size_t total = sum.first(); total < sum.end(); ++total) {
    Enclosure least = sum.loss(0, total);
    for (std::size_t action = 1; action < sum.costs.size(); ++action) {
      arb_min(least.arb(), least.arb(), sum.loss(action, total).arb(), enclosure_bits);
    }
    arb_add(loss.arb(), loss.arb(), least.arb(), enclosure_bits);
  }
  return loss;
}

}  // namespace fractile::flow
