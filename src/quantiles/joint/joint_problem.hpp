// The choices of a joint selection, and the cost of each.
// Proof: docs/proofs/joint_total.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "quantiles/joint/base_measure.hpp"
#include "ranks/span.hpp"

namespace fractile {

/// The target share of the records of each of the k + 1 cells: weights[j] / denominator. The shares add up to 1.
struct JointTarget {
  std::vector<std::uint64_t> weights;
  std::uint64_t denominator = 1;

  std::size_t quantiles() const { return weights.size() - 1; }
};

/// The totals among which one is selected: 0, step, 2 step, ... up to the first at or above 2^48, beyond all numbers of records.
struct TotalGrid {
  std::uint64_t step;
  std::uint64_t last_index() const { return (RankProfile::max_records + step) / step; }
};

/// A selection as the mechanism defines it, for both the sampler and the exact law.
struct JointProblem {
  const RankProfile& profile;
  RankSpan span;
  std::uint64_t subcells;
  BaseMeasure base;
  JointTarget target;
  Exponent rate;                    ///< at most largest_joint_rate()
  std::optional<TotalGrid> totals;  ///< empty: the total is the number of records of the span

  /// denominator * sum |g_j - t w_j| for splits that have `below` records of the span below them.
  uint128 scaled_cost(std::uint64_t total, const std::vector<std::uint64_t>& below) const;
};

/// Higher rates are not used, however large the budget is: at this rate, each record costs a factor of e^-64.
Exponent largest_joint_rate();

/// How many tables were filled, and with how many entries.
struct JointWork {
  std::uint64_t tables = 0;
  std::uint64_t entries = 0;
};

}  // namespace fractile
