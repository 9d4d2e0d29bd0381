#include "experiments/loss_curve.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "experiments/workers.hpp"

namespace fractile::experiments {
namespace {

constexpr std::size_t threads = 2;
constexpr int decimals = 36;  // after the point, of losses known to some 40

std::size_t count_of(const std::vector<LossPoint>& points, Change change) {
  return static_cast<std::size_t>(std::ranges::count(points, change, &LossPoint::change));
}

void mark_changes(LossCurve& curve) {
  flow::RealBounds before{curve.without_release, curve.without_release};
  for (LossPoint& point : curve.points) {
    point.change = change_between(before, point.loss);
    before = point.loss;
  }
}

/// As Exponent::parse reads it.
std::string epsilon_text(const Exponent& epsilon) {
  return epsilon.is_log() ? epsilon.to_string() : epsilon.coefficient().to_decimal();
}

const char* rises_text(Change change) {
  switch (change) {
    case Change::falls:
      return "no";
    case Change::rises:
      return "yes";
    case Change::undecided:
      break;
  }
  return "undecided";
}

}  // namespace

Change change_between(const flow::RealBounds& before, const flow::RealBounds& here) {
  if (here.lower > before.upper) return Change::rises;
  return here.upper < before.lower ? Change::falls : Change::undecided;
}

std::size_t LossCurve::rises() const { return count_of(points, Change::rises); }
std::size_t LossCurve::undecided() const { return count_of(points, Change::undecided); }

std::vector<Rational> even_steps(const Rational& most, std::uint64_t count) {
  const Rational unit(1, 1'000'000'000);
  const Rational step = most / Rational(static_cast<std::int64_t>(count));
  std::vector<Rational> steps;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Rational exact = step * Rational(static_cast<std::int64_t>(i));
    steps.push_back((exact / unit + Rational(1, 2)).floor() * unit);
  }
  return steps;
}

void compute(std::vector<LossCurve>& curves, const std::vector<Exponent>& epsilons, const Observer& observer) {
  for (LossCurve& curve : curves) {
    curve.without_release = flow::prior_uncertainty(flow::prior_of(curve.analyst, curve.pipeline),
                                                    flow::loss_of(curve.analyst, curve.pipeline));
    curve.points.assign(epsilons.size(), LossPoint{});
  }
  const auto one_point = [&](std::size_t work) {
    LossCurve& curve = curves[work / epsilons.size()];
    const Exponent& epsilon = epsilons[work % epsilons.size()];
    curve.points[work % epsilons.size()] = {epsilon, flow::utility_bounds(curve.pipeline, curve.analyst, epsilon),
                                            Change::undecided};
  };
  work_in_threads(threads, curves.size() * epsilons.size(), one_point, observer.progress);
  for (LossCurve& curve : curves) mark_changes(curve);
}

std::string decimal_of(const flow::RealBounds& value) { return value.to_decimal(decimals); }

std::string to_csv(const std::vector<LossCurve>& curves) {
  std::string text = "epsilon,mechanism,prior,loss,rises\n";
  for (const LossCurve& curve : curves) {
    for (const LossPoint& point : curve.points) {
      text += fmt::format("{},{},{},{},{}\n", epsilon_text(point.epsilon), curve.mechanism, curve.prior,
                          decimal_of(point.loss), rises_text(point.change));
    }
  }
  return text;
}

}  // namespace fractile::experiments
