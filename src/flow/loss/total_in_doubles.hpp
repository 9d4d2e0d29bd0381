// The law of the others' total in doubles: what suggests views, of which nothing is taken to be true that is not checked.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "flow/loss/target_total.hpp"

namespace fractile::flow {

inline constexpr double log_of_zero = -std::numeric_limits<double>::infinity();

/// A sum of independent steps, where the probability of each step s is multiplied by exp(theta s) and all are made to add up to 1 again.
class TotalInDoubles {
 public:
  TotalInDoubles(const TargetTotal& target, const Rational& odds);

  /// The logarithm of the expectation of exp(theta sum), and its derivative by theta: the tilted mean.
  struct Moment {
    double log = 0;
    double mean = 0;
  };
  Moment at(double theta) const;

  /// How much less likely, in natural logarithms, the total that theta makes likely is when `other` tilts the sum.
  double divergence(double theta, double other) const;

 private:
  Composition people_;
  std::vector<std::vector<double>> logs_;  // by value and step
};

/// A short rational that is about exp(theta).
Rational ratio_of(double theta);

}  // namespace fractile::flow
