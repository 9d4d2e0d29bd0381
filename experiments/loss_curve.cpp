#include "experiments/loss_curve.hpp"

#include <algorithm>

#include "libraries/fmt.hpp"

namespace fractile::experiments {
namespace {

constexpr std::size_t threads = 2;
constexpr int decimals = 36;  // after the point; losses are known to about 40

std::size_t count_of(const std::vector<flow::LossPoint>& points, flow::Change change) {
  return static_cast<std::size_t>(std::ranges::count(points, change, &flow::LossPoint::change));
}

/// The text from which Exponent::parse reads this epsilon.
std::string epsilon_text(const Exponent& epsilon) {
  return epsilon.is_log() ? epsilon.to_string() : epsilon.coefficient().to_decimal();
}

}  // namespace

std::size_t LossCurve::rises() const { return count_of(points, flow::Change::rises); }
std::size_t LossCurve::undecided() const { return count_of(points, flow::Change::undecided); }

std::vector<Rational> even_steps(const Rational& most, std::uint64_t count) {
  const Rational unit(1, 1'000'000'000);
  const Rational step = most / Rational(count);
  std::vector<Rational> steps;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Rational exact = step * Rational(i);
    steps.push_back((exact / unit + Rational(1, 2)).floor() * unit);
  }
  return steps;
}

void compute(std::vector<LossCurve>& curves, const std::vector<Exponent>& epsilons, const Observer& observer) {
  std::size_t before = 0;
  for (LossCurve& curve : curves) {
    curve.without_release = flow::expected_loss(flow::prior_of(curve.analyst, curve.pipeline),
                                                flow::loss_of(curve.analyst, curve.pipeline));
    curve.points = flow::loss_curve(curve.pipeline, curve.analyst, epsilons, threads, [&](std::size_t done) {
      if (observer.progress) observer.progress(before + done, curves.size() * epsilons.size());
    });
    before += epsilons.size();
  }
}

std::string decimal_of(const flow::RealBounds& value) { return value.to_decimal(decimals); }

std::string to_csv(const std::vector<LossCurve>& curves) {
  std::string text = "epsilon,mechanism,prior,loss,change\n";
  for (const LossCurve& curve : curves) {
    for (const flow::LossPoint& point : curve.points) {
      text += fmt::format("{},{},{},{},{}\n", epsilon_text(point.epsilon), curve.mechanism, curve.prior,
                          decimal_of(point.loss), flow::to_string(point.change));
    }
  }
  return text;
}

}  // namespace fractile::experiments
