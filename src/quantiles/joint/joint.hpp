// One exponential mechanism over several quantiles at once: a total t and ordered splits v_1 <= ... <= v_k with probability
// proportional to
//     exp(-rate * sum_j |g_j - t w_j|) * product of the base weights of the v_j / product of the multiplicities' factorials,
// where g_j counts the records between v_(j-1) and v_j. With the total selected this is joint_total; with t fixed to the
// number of records it is JointExp (Gillenwater, Joseph and Kulesza 2021; approximate-quantiles 2021, section 4.1).
// Proof: docs/proofs/joint_total.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/exact.hpp"
#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/selection.hpp"
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

/// What was selected. `below` counts the records of the whole profile below each split. The total is an estimate of the
/// node's number of records that is as private as the rest.
struct JointChoice {
  std::vector<Split> splits;
  std::vector<std::uint64_t> below;
  std::uint64_t total;
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

class JointTables;

/// How many tables were filled, and with how many entries.
struct JointWork {
  std::uint64_t tables = 0;
  std::uint64_t entries = 0;
};

/// Draws from a problem's law, exactly: a proposal from tables of upper bounds, then one lazy coin. Totals are listed
/// (ListedTotals) where records can be near the targets; boxes of totals and splits are parted (JointBoxes) elsewhere.
class JointSelection {
 public:
  explicit JointSelection(const JointProblem& problem);
  ~JointSelection();
  JointSelection(const JointSelection&) = delete;
  JointSelection& operator=(const JointSelection&) = delete;

  JointChoice draw(RandomBits& bits, Filter filter = {});
  /// Proposals so far. Depends on the data: never publish it.
  std::uint64_t trials() const { return trials_; }
  /// So far. Depends on the data as well.
  JointWork work() const;

 private:
  const JointProblem& problem_;
  std::unique_ptr<JointTables> tables_;
  std::uint64_t trials_ = 0;
};

}  // namespace fractile
