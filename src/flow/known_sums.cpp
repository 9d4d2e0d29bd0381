#include "flow/known_sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "flow/joint_weights.hpp"
#include "flow/rows.hpp"
#include "flow/stretch.hpp"

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

/// After a total, when the others' law is this.
Enclosure cost_after(std::size_t total, const std::vector<Enclosure>& cost, const Stretch& others) {
  Enclosure sum;
  const std::size_t end = others.first + others.size;
  for (std::size_t s = 0; s < cost.size() && s <= total; ++s) {
    const std::size_t below = total - s;
    if (below >= others.first && below < end) add_product(sum, cost[s], others.mass(below - others.first));
  }
  return sum;
}

/// No action costs more for a unit of probability.
Enclosure highest_cost(const std::vector<std::vector<Enclosure>>& costs) {
  Enclosure highest;
  for (const std::vector<Enclosure>& cost : costs) {
    Enclosure all;
    for (const Enclosure& step : cost) arb_add(all.arb(), all.arb(), step.arb(), enclosure_bits);
    arb_max(highest.arb(), highest.arb(), all.arb(), enclosure_bits);
  }
  return highest;
}

}  // namespace

bool adds_known_others(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && pipeline.secret.kind == Secret::Kind::target &&
         pipeline.post.kind == PostProcessor::Kind::sum;
}

Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  pipeline.validate();
  const auto laws = step_laws(noise_at(pipeline.perturber.noise(), odds), additions_of(pipeline).steps);
  const auto costs = costs_of(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline)), laws);
  const Composition histogram = composition_of(pipeline.secret.known, pipeline.values.size());
  Stretch others = nobody();
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    others = convolved(others, power(fixed_point(0, laws[value], {}), histogram[value]));
  }
  Enclosure loss;
  const std::size_t end = others.first + others.size + laws.front().size() - 1;
  for (std::size_t total = others.first; total < end; ++total) {
    Enclosure least = cost_after(total, costs.front(), others);
    for (const std::vector<Enclosure>& cost : costs) {
      arb_min(least.arb(), least.arb(), cost_after(total, cost, others).arb(), enclosure_bits);
    }
    arb_add(loss.arb(), loss.arb(), least.arb(), enclosure_bits);
  }
  Enclosure left_out;
  add_product(left_out, others.rest, highest_cost(costs));
  const Enclosure neglected = from_zero_to(left_out);
  arb_add(loss.arb(), loss.arb(), neglected.arb(), enclosure_bits);
  return loss;
}

}  // namespace fractile::flow
