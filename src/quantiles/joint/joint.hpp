// One exponential mechanism over several quantiles at once: a total t and ordered splits v_1 <= ... <= v_k with probability
// proportional to
// exp(-rate * sum_j |g_j - t w_j|) * product of the base weights of the v_j / product of the multiplicities' factorials, where g_j
// counts the records between v_(j-1) and v_j. If the total is selected as well, this is joint_total; if t is fixed to the number of
// records, it is JointExp (Gillenwater, Joseph and Kulesza 2021; approximate-quantiles 2021, section 4.1).
// Proof: docs/proofs/joint_total.md
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exact/filter.hpp"
#include "exact/uncopied.hpp"
#include "fractile/exact.hpp"
#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

/// What was selected. `below` counts the records of the whole profile below each split. The total estimates the node's number of
/// records, and is as private as the splits.
struct JointChoice {
  std::vector<Split> splits;
  std::vector<std::uint64_t> below;
  std::uint64_t total;
};

class JointTables;

/// Draws from a problem's law, exactly: a proposal from tables of upper bounds, then one lazy coin. Where records can be near the
/// targets, totals are listed (ListedTotals); elsewhere, boxes of totals and splits are divided (JointBoxes).
class JointSelection : Uncopied {
 public:
  explicit JointSelection(const JointProblem& problem);
  ~JointSelection();

  JointChoice draw(RandomBits& bits, Filter filter = {});
  /// The number of proposals so far. It depends on the data: never publish it.
  std::uint64_t trials() const { return trials_; }
  /// The work so far. It depends on the data: never publish it.
  JointWork work() const;

 private:
  const JointProblem& problem_;
  std::unique_ptr<JointTables> tables_;
  std::uint64_t trials_ = 0;
};

}  // namespace fractile
