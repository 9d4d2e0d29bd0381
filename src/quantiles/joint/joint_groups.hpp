// Groups of neighboring splits: what a quantile's place is first told by. Proof: docs/proofs/joint_total.md, section "Groups".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quantiles/joint/joint_problem.hpp"
#include "quantiles/joint/joint_proposal.hpp"
#include "quantiles/joint/rate_powers.hpp"
#include "quantiles/joint/wide_real.hpp"

namespace fractile {

/// A partition of a span's splits into intervals, made finer where it matters. Nothing is listed but the groups, so that
/// neither records nor candidates cost anything by their number.
class SplitGroups {
 public:
  /// One group. All masses are multiplied by 2^scale.
  SplitGroups(const JointProblem& problem, const RatePowers& powers, int scale);

  std::size_t size() const { return groups_.size(); }
  SplitPart part(std::size_t i) const { return groups_[i].part; }
  /// How many records of the span lie below its first split, and below its last one.
  std::int64_t lowest(std::size_t i) const { return groups_[i].lowest; }
  std::int64_t highest(std::size_t i) const { return groups_[i].highest; }
  /// At least its share of the base measure.
  const WideReal& mass(std::size_t i) const { return groups_[i].mass; }
  /// At least exp(-rate (before - after) v) for the number v of records below any of its splits; both in -1 .. 1.
  const WideReal& factor(std::size_t i, int before, int after) const {
    return groups_[i].factors[static_cast<unsigned>(before - after + 2)];
  }

  /// Records of the span.
  std::int64_t records() const { return static_cast<std::int64_t>(problem_->span.records()); }
  /// At least exp(-rate * sign * records).
  const WideReal& all_records(int sign) const { return all_records_[static_cast<unsigned>(sign + 1)]; }
  /// How many records of the span lie below a split of it.
  std::uint64_t rank_of(Split split) const;
  /// Parts group i's splits where rank `rank` is reached first, for each of these, increasing; whether there is one.
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
