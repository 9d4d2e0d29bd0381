// The rate of every selection, from a budget: a selection costs rate * (range of the score).
// Proof: docs/proofs/single_quantile.md (ranges), docs/proofs/approximate_quantiles.md (levels).
#pragma once

#include <cstdint>

#include "fractile/release.hpp"

namespace fractile {

/// The query with this part of its budget.
QuantileQuery with_part(QuantileQuery query, const Rational& part);

/// The most that one neighboring change can spread a score's changes over the candidates, max - min, in units of 1/denominator.
/// add_remove: 2 max(num, den - num). change_one inside one node: 2 den. At alpha 0 and 1, where the score is monotone, half of
/// these, which is den in both cases.
std::uint64_t score_range(const QuantileFraction& alpha, Neighbors neighbors);

/// floor(log2 m) + 1: the levels of Algorithm 1 for m quantiles.
int levels_for(std::size_t quantiles);

/// The number of levels in the paper: log2 m + 1, rounded up.
Rational published_levels(std::size_t quantiles);

/// The rates of a query's selections. When a record is replaced, one node may lose the old record while another gains the new one.
/// `alone` says that this cannot happen, as for the root.
class Calibration {
 public:
  Calibration(const QuantileQuery& query, const Rational& levels);
  /// For a selection by a score in units of 1/denominator.
  Exponent rate(const QuantileFraction& alpha, bool alone) const;
  /// For a selection whose scores' changes spread over at most range_added when a record is added, and over at most range_changed
  /// when a record is changed.
  Exponent rate(const Rational& range_added, const Rational& range_changed, bool alone) const;

 private:
  Neighbors neighbors_;
  Exponent range_within_;  // bounded range that one node may spend on a change inside it
  Exponent range_across_;  // the same for each of two nodes that share a change
};

}  // namespace fractile
