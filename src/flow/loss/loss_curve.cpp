#include <algorithm>
#include <functional>
#include <mutex>
#include <type_traits>

#include "exact/own_environment.hpp"
#include "exact/workers.hpp"
#include "flow/loss/loss_model.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

bool tells_nothing_at_zero(const Perturber& perturber) {
  if (!perturber.each().empty()) return std::ranges::all_of(perturber.each(), tells_nothing_at_zero);
  return perturber.release() != nullptr || perturber.is_randomized_response() || perturber.is_geometric();
}

}  // namespace

RealBounds loss_without_release(const Pipeline& pipeline, const Analyst& analyst) {
  const OwnEnvironment own;
  if (tells_nothing_at_zero(pipeline.perturber)) {
    const LossModel model(pipeline, analyst);
    if (model.visit([](const auto& kind) { return std::is_same_v<std::decay_t<decltype(kind)>, GuessedMode>; })) {
      return model.loss_bounds(Exponent());  // there may be too many histograms to list
    }
  }
  const Rational loss = expected_loss(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  return {loss, loss};
}

Change change_between(const RealBounds& before, const RealBounds& here) {
  if (here.lower > before.upper) return Change::rises;
  if (here.upper < before.lower) return Change::falls;
  return here.lower == before.upper && here.upper == before.lower ? Change::flat : Change::undecided;
}

const char* to_string(Change change) {
  switch (change) {
    case Change::falls:
      return "falls";
    case Change::rises:
      return "rises";
    case Change::flat:
      return "flat";
    case Change::undecided:
      break;
  }
  return "undecided";
}

std::vector<LossPoint> loss_curve(const Pipeline& pipeline, const Analyst& analyst,
                                  const std::vector<Exponent>& epsilons, std::size_t threads,
                                  const std::function<void(std::size_t done)>& progress) {
  const OwnEnvironment own;
  if (std::ranges::adjacent_find(epsilons, std::ranges::greater_equal()) != epsilons.end()) {
    throw Error(ErrorCode::usage, "a curve's epsilons do not increase", "give each once, the smallest first");
  }
  const LossModel model(pipeline, analyst);
  std::vector<LossPoint> points(epsilons.size());
  std::mutex mutex;
  std::size_t done = 0;
  share_among_threads(threads, epsilons.size(), [&](std::size_t i) {
    points[i] = {epsilons[i], model.loss_bounds(epsilons[i]), Change::undecided};
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done);
  });
  RealBounds before = model.loss_bounds(Exponent());
  for (LossPoint& point : points) {
    // At epsilon = 0 both enclosures are of one number.
    point.change = point.epsilon.is_zero() ? Change::flat : change_between(before, point.loss);
    before = point.loss;
  }
  return points;
}

}  // namespace fractile::flow
