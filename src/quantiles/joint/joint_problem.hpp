// What a joint selection selects from, and what each choice costs.
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

/// Which share of the records each of the k + 1 cells is to have: weights[j] / denominator, adding up to 1.
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

/// A selection as the mechanism's definition has it; the sampler and the exact law both read it.
struct JointProblem {
  const RankProfile& profile;
  RankSpan span;
  std::uint64_t subcells;
  BaseMeasure base;
  JointTarget target;
  Exponent rate;                    ///< at most largest_joint_rate()
  std::optional<TotalGrid> totals;  ///< empty: the number of records of the span

  /// denominator * sum |g_j - t w_j| for splits that have `below` records of the span below them.
  uint128 scaled_cost(std::uint64_t total, const std::vector<std::uint64_t>& below) const;
};

/// Rates above this are of no use, whatever the budget: e^-64 a record.
Exponent largest_joint_rate();

/// How many tables were filled, and with how many entries.
struct JointWork {
  std::uint64_t tables = 0;
  std::uint64_t entries = 0;
};

}  // namespace fractile
