// Groups of neighboring splits: a quantile's place is first known by its group. Proof: docs/proofs/joint_total.md, section
// "Groups".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quantiles/joint/joint_problem.hpp"
#include "quantiles/joint/joint_proposal.hpp"
#include "quantiles/joint/rate_powers.hpp"
#include "quantiles/joint/wide_real.hpp"

namespace fractile {

/// A partition of a span's splits into intervals, which is refined where it matters. Only groups are listed, so the cost depends
/// neither on the number of records nor on that of candidates.
class SplitGroups {
 public:
  /// Begins with one group. All masses are multiplied by 2^scale.
  SplitGroups(const JointProblem& problem, const RatePowers& powers, int scale);

  std::size_t size() const { return groups_.size(); }
  SplitPart part(std::size_t i) const { return groups_[i].part; }
  /// How many records of the span lie below the group's first split, and below its last split.
  std::int64_t lowest(std::size_t i) const { return groups_[i].lowest; }
  std::int64_t highest(std::size_t i) const { return groups_[i].highest; }
  /// At least the group's share of the base measure.
  const WideReal& mass(std::size_t i) const { return groups_[i].mass; }
  /// At least exp(-rate (before - after) v) for every number v of records below a split of the group; `before` and `after` are in
  /// -1 .. 1.
  const WideReal& factor(std::size_t i, int before, int after) const {
    return groups_[i].factors[static_cast<unsigned>(before - after + 2)];
  }

  /// Records of the span.
  std::int64_t records() const { return static_cast<std::int64_t>(problem_->span.records()); }
  /// At least exp(-rate * sign * records).
  const WideReal& all_records(int sign) const { return all_records_[static_cast<unsigned>(sign + 1)]; }
  /// How many records of the span lie below one of its splits.
  std::uint64_t rank_of(Split split) const;
  /// Divides group i at the first split that reaches each of these increasing ranks. Returns whether there is such a split.
  bool cut(std::size_t i, const std::vector<std::int64_t>& ranks);

 private:
  struct Group {
    SplitPart part;
    std::int64_t lowest;
    std::int64_t highest;
    WideReal mass;
    std::array<WideReal, 5> factors;
  };
  Group group_of(SplitPart part) const;

  const JointProblem* problem_;
  const RatePowers* powers_;
  int scale_;
  std::array<WideReal, 3> all_records_;
  std::vector<Group> groups_;
};

}  // namespace fractile
