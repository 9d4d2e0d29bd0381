#include "quantiles/joint/joint_groups.hpp"

#include "ranks/span.hpp"

namespace fractile {

SplitGroups::SplitGroups(const JointProblem& problem, const RatePowers& powers, int scale)
    : problem_(&problem),
      powers_(&powers),
      scale_(scale),
      all_records_{powers.up(problem.span.records()), 1, powers.down(problem.span.records())} {
  groups_.push_back(group_of({problem.span.lowest, problem.span.highest + 1}));
}

std::uint64_t SplitGroups::rank_of(Split split) const {
  return records_below(problem_->profile, problem_->subcells, split) - problem_->span.first_rank;
}

SplitGroups::Group SplitGroups::group_of(SplitPart part) const {
  const std::uint64_t lowest = rank_of(part.start);
  const std::uint64_t highest = rank_of(part.end - 1);
  const double share = static_cast<double>(problem_->base.mass(part.start, part.end)) /
                       static_cast<double>(problem_->base.total()) * (1 + 0x1p-48);
  const WideReal up = powers_->up(highest);
  const WideReal down = powers_->down(lowest);
  return {part,
          static_cast<std::int64_t>(lowest),
          static_cast<std::int64_t>(highest),
          WideReal(share, scale_),
          {up * up, up, 1, down, down * down}};
}

bool SplitGroups::cut(std::size_t i, const std::vector<std::int64_t>& ranks) {
  std::vector<Group> parts;
  Split start = groups_[i].part.start;
  const Split end = groups_[i].part.end;
  const auto add = [&](Split to) {
    if (to > start) parts.push_back(group_of({start, to}));
    start = std::max(start, to);
  };
  for (const std::int64_t rank : ranks) {
    add(first_entry(start, end, [&](Split split) { return static_cast<std::int64_t>(rank_of(split)) >= rank; }));
  }
  add(end);
  if (parts.size() == 1) return false;
  groups_[i] = parts.front();
  groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.begin() + 1, parts.end());
  return true;
}

}  // namespace fractile
