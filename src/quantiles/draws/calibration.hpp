// From a budget to the rate of every selection: rate * (range of the score) is what a selection costs.
// Proof: docs/proofs/single_quantile.md (ranges), docs/proofs/approximate_quantiles.md (levels).
#pragma once

#include <cstdint>

#include "fractile/quantiles.hpp"

namespace fractile {

/// The most that one neighboring change can spread a score's changes over the candidates, max - min, in units of
/// 1/denominator. add_remove: 2 max(num, den - num). change_one inside one node: 2 den. Half of either at alpha 0 and 1,
/// where the score is monotone (so den both times).
std::uint64_t score_range(const QuantileFraction& alpha, Neighbors neighbors);

/// floor(log2 m) + 1: the levels of Algorithm 1 for m quantiles.
int levels_for(std::size_t quantiles);

/// As how many levels the paper counts them: log2 m + 1, rounded up.
Rational published_levels(std::size_t quantiles);

/// Rates of the selections of a query. A node that is not the root may see one half of a replaced record while another
/// node sees the other half; `alone` tells that this cannot happen.
class Calibration {
 public:
  Calibration(const QuantileQuery& query, const Rational& levels);
  /// For a selection by a score in units of 1/denominator.
  Exponent rate(const QuantileFraction& alpha, bool alone) const;
  /// For a selection whose scores' changes spread over at most range_added when a record is added, range_changed when one
  /// is changed.
  Exponent rate(const Rational& range_added, const Rational& range_changed, bool alone) const;

 private:
  Neighbors neighbors_;
  Exponent range_within_;  // bounded range that one node may spend on a change inside it
  Exponent range_across_;  // the same for each of two nodes that share a change
};

}  // namespace fractile
