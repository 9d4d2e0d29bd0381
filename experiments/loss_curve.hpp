// Curves of a paper: what pipelines are worth to an analyst against epsilon, and where the loss certainly rises.
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
  std::vector<flow::LossPoint> points = {};  ///< the first one's change is since epsilon = 0, where nothing is released

  std::size_t rises() const;      ///< at how many points
  std::size_t undecided() const;  ///< likewise
};

/// count, ..., 2, 1 parts of `most` in increasing order, to nine decimals.
std::vector<Rational> even_steps(const Rational& most, std::uint64_t count);

/// Fills in the losses at these epsilons, on two threads.
void compute(std::vector<LossCurve>& curves, const std::vector<Exponent>& epsilons, const Observer& observer);

/// With some 35 digits and certainly 30.
std::string decimal_of(const flow::RealBounds& value);

/// "epsilon,mechanism,prior,loss,change" and one line per point.
std::string to_csv(const std::vector<LossCurve>& curves);

}  // namespace fractile::experiments
