// The law of the others' total in doubles. It suggests views; everything that is used of these is checked.
#pragma once

#include <limits>
#include <vector>

#include "flow/loss/target_total.hpp"

namespace fractile::flow {

inline constexpr double log_of_zero = -std::numeric_limits<double>::infinity();

/// A sum of independent steps, tilted: the probability of each step s is multiplied by exp(theta s), and the probabilities are
/// normalized again.
class TotalInDoubles {
 public:
  TotalInDoubles(const TargetTotal& target, const Rational& odds);

  /// The cumulant generating function of the sum at one theta: log E[exp(theta sum)], and its derivative, the tilted mean.
  struct Cumulants {
    double log_moment = 0;
    double tilted_mean = 0;
  };
  Cumulants at(double theta) const;

  /// By how many nats the total that theta makes likely is less likely when `other` tilts the sum.
  double divergence(double theta, double other) const;

 private:
  Composition people_;
  std::vector<std::vector<double>> logs_;  // logarithms of probabilities, by value and step
};

/// A short rational that is about exp(theta).
Rational ratio_of(double theta);

}  // namespace fractile::flow
