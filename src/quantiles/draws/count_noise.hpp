// The noise of counts, and of sums.
// Proof: docs/proofs/count_tree.md
// Proof: docs/proofs/counts.md
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "exact/gaussian.hpp"
#include "exact/laplace.hpp"
#include "fractile/release.hpp"
#include "quantiles/draws/odometer.hpp"

namespace fractile {

/// The noise of every count on a tree. A record is counted in `height` nodes; replacing a record changes up to 2 * height counts by
/// 1. pure: discrete Laplace, rate epsilon / (changed counts * records per person). zCDP: discrete Gaussian, sigma^2 = changed
/// counts * (records per person)^2 / (2 rho).
class CountTreeNoise {
 public:
  /// From the query's budget, relation and records per person. Throws `usage` when rho is so small that sigma^2 > 2^80.
  CountTreeNoise(const QuantileQuery& query, int height);

  /// The noise of a single count of all records. Replacing a record moves this count by no more than adding or removing one.
  static CountTreeNoise of_all_records(QuantileQuery query);
  /// The noise of a sum over the records of numbers between -most and most. Throws `usage` as above.
  static CountTreeNoise of_sum(const QuantileQuery& query, const Rational& most);

  Measure measure() const { return measure_; }
  /// Only for pure budgets, and only for zCDP budgets.
  const Exponent& rate() const { return rate_; }
  const Rational& sigma_squared() const { return sigma_squared_; }
  /// The count with noise, clamped to +-2^61.
  std::int64_t noisy(std::int64_t count, RandomBits& bits, Filter filter = {}) const;
  NoisePrice price() const { return {rate_, sigma_squared_, added_, changed_}; }

 private:
  using Law = std::variant<DiscreteLaplace, DiscreteGaussian>;

  /// `most_moved`: the largest difference between neighbors' numbers before noise, for one record per person.
  CountTreeNoise(const QuantileQuery& query, const Rational& most_moved, const Rational& most_squared);

  Measure measure_;
  Exponent rate_;
  Rational sigma_squared_;
  Rational added_ = 1;
  Rational changed_ = 1;
  std::shared_ptr<const Law> law_;
};

}  // namespace fractile
