#include "flow/windows/isolate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/loss/joint_weights.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/windows/rise.hpp"

namespace fractile::flow {
namespace {

/// The analyst's expected loss as a function of base: the sum over y of the least of some polynomials, over a common denominator.
class SymbolicLoss {
 public:
  explicit SymbolicLoss(const DenseLoss& loss) {
    const ScaledRows<Polynomial> rows = symbolic_rows(loss.pipeline(), loss.outline());
    const Matrix weights = joint_weights(loss.prior(), loss.losses()).weights;
    denominator_ = rows.denominator;
    for (std::size_t y = 0; y < loss.outline().observation_names.size(); ++y) {
      checkpoint();
      choices_.emplace_back();
      for (std::size_t w = 0; w < weights.columns(); ++w) {
        Polynomial sum;
        for (std::size_t x = 0; x < weights.rows(); ++x) {
          add_product(sum, rows.numerators[x][y], Polynomial::constant(weights(x, w)));
        }
        if (std::ranges::find(choices_.back(), sum) == choices_.back().end()) choices_.back().push_back(std::move(sum));
      }
    }
  }

  /// The bases at which some best action may change.
  std::vector<RealBounds> crossings(const Rational& from, const Rational& to) const {
    std::vector<RealBounds> result;
    for (const std::vector<Polynomial>& choices : choices_) {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          std::ranges::move(real_roots(choices[i] - choices[j], from, to), std::back_inserter(result));
      }
    }
    return result;
  }

  /// A polynomial with the sign of the loss's derivative, wherever the best actions are those at `base`.
  Polynomial slope_near(const Rational& base) const {
    Polynomial numerator;
    for (const std::vector<Polynomial>& choices : choices_) {
      const Polynomial* least = nullptr;
      Rational value;
      for (const Polynomial& choice : choices) {
        const Rational here = choice.at(base);
        if (least != nullptr && here >= value) continue;
        least = &choice;
        value = here;
      }
      numerator = numerator + *least;
    }
    return numerator.derivative() * denominator_ - numerator * denominator_.derivative();
  }

 private:
  std::vector<std::vector<Polynomial>> choices_;  // by observation: the different polynomials
  Polynomial denominator_;
};

/// The points in order; points whose bounds overlap are merged.
std::vector<RealBounds> merged(std::vector<RealBounds> points) {
  std::ranges::sort(points, {}, &RealBounds::lower);
  std::vector<RealBounds> result;
  for (RealBounds& point : points) {
    if (result.empty() || result.back().upper < point.lower) {
      result.push_back(std::move(point));
    } else {
      result.back().upper = std::max(result.back().upper, point.upper);
    }
  }
  return result;
}

Rational middle(const Rational& a, const Rational& b) { return (a + b) / 2; }

/// Windows between two bases.
std::vector<UnstableWindow> windows_within(const SymbolicLoss& loss, const Rational& from, const Rational& to) {
  std::vector<UnstableWindow> windows;
  std::vector<RealBounds> points = loss.crossings(from, to);
  points.push_back({from, from});
  points.push_back({to, to});
  const std::vector<RealBounds> pieces = merged(std::move(points));
  bool rises = false;  // whether the loss rises in the part before
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    checkpoint();
    const Polynomial slope = loss.slope_near(middle(pieces[i].upper, pieces[i + 1].lower));
    std::vector<RealBounds> turns = real_roots(slope, pieces[i].upper, pieces[i + 1].lower);
    turns.push_back(pieces[i]);
    turns.push_back(pieces[i + 1]);
    turns = merged(std::move(turns));
    for (std::size_t j = 0; j + 1 < turns.size(); ++j) {
      const bool rises_here = slope.at(middle(turns[j].upper, turns[j + 1].lower)).sign() > 0;
      if (rises_here && rises) windows.back().to = turns[j + 1];
      if (rises_here && !rises) windows.push_back({turns[j], turns[j + 1]});
      rises = rises_here;
    }
  }
  return windows;
}

RealBounds power_of(const RealBounds& base, std::int64_t degree) {
  return {base.lower.pow(degree), base.upper.pow(degree)};
}

}  // namespace

std::vector<UnstableWindow> isolated_windows(const LossModel& model, const Rational& from, const Rational& to) {
  const Pipeline& pipeline = model.pipeline();
  std::vector<UnstableWindow> windows =
      windows_within(SymbolicLoss(model.dense()), base_bounds(pipeline, from).lower, base_bounds(pipeline, to).upper);
  const std::int64_t degree = pipeline.perturber.root_degree();
  for (UnstableWindow& window : windows) {
    std::optional<Rise> proof = rise_between(model, window.from.upper, window.to.lower);
    window = {power_of(window.from, degree), power_of(window.to, degree), std::move(proof)};
  }
  return windows;
}

}  // namespace fractile::flow
