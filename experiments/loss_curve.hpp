// What a pipeline is worth to an analyst, against epsilon: his expected loss at many epsilons, and where it certainly
// rises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/observer.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::experiments {

/// From one point to the next: enclosures that do not meet tell, enclosures that do leave it open.
enum class Change { falls, rises, undecided };
Change change_between(const flow::RealBounds& before, const flow::RealBounds& here);

struct LossPoint {
  Exponent epsilon;
  flow::RealBounds loss;
  Change change;  ///< since the point before; of the first since epsilon = 0, where nothing is released
};

struct LossCurve {
  std::string mechanism;  ///< "geometric"
  std::string prior;      ///< "uniform"
  flow::Pipeline pipeline;
  flow::Analyst analyst;
  Rational without_release = 0;
  std::vector<LossPoint> points = {};

  std::size_t rises() const;      ///< at how many points
  std::size_t undecided() const;  ///< likewise
};

/// count, ..., 2, 1 parts of `most` in increasing order, to nine decimals.
std::vector<Rational> even_steps(const Rational& most, std::uint64_t count);

/// Fills in the losses at these epsilons, on two threads.
void compute(std::vector<LossCurve>& curves, const std::vector<Exponent>& epsilons, const Observer& observer);

/// With some 35 digits and certainly 30.
std::string decimal_of(const flow::RealBounds& value);

/// "epsilon,mechanism,prior,loss,rises" and a line a point.
std::string to_csv(const std::vector<LossCurve>& curves);

}  // namespace fractile::experiments
