// Comparisons of released quantiles: differences and ratios with confidence intervals, for no further budget.
// Thread-safety: what is here are values and functions of them; threads may share values that none changes.
#pragma once

#include <cstddef>
#include <optional>

#include "fractile/exact.hpp"
#include "fractile/release.hpp"

namespace fractile {

/// A published number with the interval of what it estimates; in the column's unit, or without a unit (ratios).
struct Estimate {
  Rational value;
  Rational lower;
  Rational upper;
  bool or_below = false;  ///< the lower end comes from the end of the possible values, beyond which nothing is known
  bool or_above = false;  ///< likewise
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// A second quantile compared with a first.
struct Comparison {
  Estimate difference;            ///< second - first
  std::optional<Estimate> ratio;  ///< second / first; absent unless the first and all of its interval are above 0
};

/// The i-th quantile of a group of a release with intervals, with its interval at level_in_pairs(). Throws `usage` without intervals.
Estimate estimate_in_pairs(const Release& release, const Release::Group& group, std::size_t i);

/// Compares two quantiles of one release (an interquartile range), or the same quantile in two groups, chosen before the values
/// were seen. When both estimates come from estimate_in_pairs(), both ends of the difference and of the ratio hold at once with the
/// level that the release's intervals were asked for, each comparison by itself; with `together`, so do all comparisons of the same
/// two groups, and of one release.
/// Proof: docs/proofs/intervals.md
Comparison compare(const Estimate& first, const Estimate& second);

}  // namespace fractile
