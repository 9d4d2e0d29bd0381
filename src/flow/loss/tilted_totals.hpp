// Views of neighboring sums in which these are likely, however unlikely they really are.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "flow/loss/target_total.hpp"

namespace fractile::flow {

/// Totals first .. last of the target's and the others' steps. Bounds use the unit in which the probability of the others' sum s is
/// multiplied by ratio^s, which makes these totals likely. Laws are computed with another ratio, which many views share, and in
/// which these totals are not too unlikely.
struct TiltedTotals {
  Rational ratio;
  Rational law;
  std::size_t first;
  std::size_t last;
  double unit;   ///< approximately log2 of the expectation of ratio^s
  double slope;  ///< log2 of the ratio

  /// Approximately an upper bound of log2 of the total's probability.
  double weight(std::size_t total) const { return unit - static_cast<double>(total) * slope; }
};

/// All totals, in order, each in a view in which it is likely at these odds. Where totals are likely, both ratios are 1.
std::vector<TiltedTotals> tilted_totals(const TargetTotal& target, const Rational& odds);

}  // namespace fractile::flow
