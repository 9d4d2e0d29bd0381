#include "flow/local_sum.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "flow/ellipse.hpp"
#include "flow/joint_weights.hpp"
#include "flow/known_sums.hpp"
#include "flow/listed_loss.hpp"
#include "flow/noise.hpp"
#include "flow/rows.hpp"

namespace fractile::flow {
namespace {

/// On the ellipse, all joint losses together, whatever the actions are.
Enclosure modulus_of(const Pipeline& pipeline, const JointWeights& joint, const Cell& cell) {
  std::vector<Enclosure> moduli;
  for (const std::vector<Polynomial>& row : pipeline.perturber.noise().numerators) {
    moduli.push_back(largest_sum_of_moduli(row, pipeline.perturber.noise().denominator, cell));
  }
  return highest_losses(joint, moduli) *
         modulus_of_sum(moduli, composition_of(pipeline.secret.known, pipeline.values.size()));
}

/// After a total. What the laws leave out may be anywhere.
ListedObservation after(std::size_t total, const std::vector<KnownSum>& at_nodes,
                        const std::vector<std::size_t>& actions) {
  ListedObservation result{actions, {}};
  for (const std::size_t action : actions) {
    result.losses.push_back(through_nodes([&](std::size_t i) {
      Enclosure loss = at_nodes[i].loss(action, total);
      arb_add(loss.arb(), loss.arb(), at_nodes[i].left_out.arb(), chebyshev_bits);
      return loss;
    }));
  }
  return result;
}

/// After all totals that hardly ever come, when the target has added a step: next to nothing, whatever the actions are. But an action
/// that costs no more for each of the steps is no worse, however unlikely they are.
ListedObservation far_away(std::size_t step, const std::vector<KnownSum>& at_nodes,
                           const std::vector<std::size_t>& actions) {
  ListedObservation result{actions, {}};
  result.losses.assign(actions.size(), through_nodes([&](std::size_t i) { return at_nodes[i].left_out; }));
  for (const std::size_t action : actions) {
    result.compared.push_back(through_nodes([&](std::size_t i) { return at_nodes[i].costs[action][step]; }));
  }
  return result;
}

}  // namespace

double range_of_sum(const Pipeline& pipeline) {
  const std::vector<std::size_t> steps = additions_of(pipeline).steps;
  return static_cast<double>(*std::ranges::max_element(steps)) * static_cast<double>(pipeline.participants);
}

bool has_few_sums(const Pipeline& pipeline) {
  constexpr double most = 20'000;
  return range_of_sum(pipeline) <= most;
}

std::unique_ptr<LocalLoss> local_sum(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell) {
  if (!is_right_of_zero(cell)) return nullptr;
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  const Enclosure modulus = modulus_of(pipeline, joint, cell);
  if (!(modulus.upper_double() <= largest_modulus * largest_loss(joint).lower_double())) return nullptr;

  std::vector<KnownSum> at_nodes;
  at_nodes.reserve(Interpolation::nodes);
  for (const Enclosure& odds : odds_at_nodes(cell)) at_nodes.emplace_back(pipeline, analyst, odds);
  std::size_t first = at_nodes.front().first();
  std::size_t end = at_nodes.front().end();
  for (const KnownSum& sum : at_nodes) {
    first = std::min(first, sum.first());
    end = std::max(end, sum.end());
  }
  std::vector<std::size_t> actions(joint.weights.columns());
  std::iota(actions.begin(), actions.end(), std::size_t{0});
  std::vector<ListedObservation> list;
  for (std::size_t total = first; total < end; ++total) list.push_back(after(total, at_nodes, actions));
  const std::size_t steps = at_nodes.front().costs.front().size();
  for (std::size_t step = 0; step < steps; ++step) list.push_back(far_away(step, at_nodes, actions));
  return std::make_unique<ListedLoss>(std::move(list), modulus, largest_loss(joint));
}

}  // namespace fractile::flow
