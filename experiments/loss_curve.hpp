// Curves of a paper: an analyst's expected loss against epsilon for a pipeline, and where the loss certainly rises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/observer.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::experiments {

struct LossCurve {
  std::string mechanism;  ///< "geometric"
  std::string prior;      ///< "uniform"
  flow::Pipeline pipeline;
  flow::Analyst analyst;
  Rational without_release = 0;
  /// The first change is from epsilon = 0, where nothing is released.
  std::vector<flow::LossPoint> points = {};

  std::size_t rises() const;      ///< the number of points at which the loss rises
  std::size_t undecided() const;  ///< the number of points whose change is undecided
};

/// `most` times 1/count, 2/count, ..., 1, rounded to nine decimals.
std::vector<Rational> even_steps(const Rational& most, std::uint64_t count);

/// Fills in the losses at these epsilons, on two threads.
void compute(std::vector<LossCurve>& curves, const std::vector<Exponent>& epsilons, const Observer& observer);

/// About 35 digits, of which 30 are certain.
std::string decimal_of(const flow::RealBounds& value);

/// "epsilon,mechanism,prior,loss,change" and one line per point.
std::string to_csv(const std::vector<LossCurve>& curves);

}  // namespace fractile::experiments
