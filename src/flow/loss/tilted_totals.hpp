// Sums that are alike: views in which they are likely, however unlikely they are.
// Proof: docs/proofs/windows_totals.md, "Sums"
#pragma once

#include <cstddef>
#include <vector>

#include "flow/loss/target_total.hpp"

namespace fractile::flow {

/// Totals first .. last of the target's and the others' steps. Bounds are for units that follow from taking the others' sum s to be
/// ratio^s times as likely as it is, so that it is likely. Laws are computed with another ratio, which many views share, so that it
/// is not too unlikely for them.
struct TiltedTotals {
  Rational ratio;
  Rational law;
  std::size_t first;
  std::size_t last;
  double unit;   ///< log2 of the expectation of ratio^s, about
  double slope;  ///< log2 of the ratio

  /// log2 of how likely the total is, at most, about.
  double weight(std::size_t total) const { return unit - static_cast<double>(total) * slope; }
};

/// All totals, in order, each in a view in which it is likely at these odds. Where a total is likely, its ratio and its law's are 1.
std::vector<TiltedTotals> tilted_totals(const TargetTotal& target, const Rational& odds);

}  // namespace fractile::flow
