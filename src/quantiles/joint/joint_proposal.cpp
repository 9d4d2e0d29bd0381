#include "quantiles/joint/joint_proposal.hpp"

#include <algorithm>

#include "fractile/error.hpp"

namespace fractile {

bool UnitDraw::offers(std::uint64_t weight) {
  sum_ += weight;
  if (sum_ > std::uint64_t{1} << unit_bits) throw Error(ErrorCode::internal, "a table entry is below its parts");
  if (found_ || target_ >= sum_) return false;
  found_ = true;
  weight_ = weight;
  return true;
}

namespace {

/// exp(-rate * cost).
Enclosure target_of(const JointProblem& problem, const Proposal& proposal, std::int64_t precision) {
  const Enclosure cost = Enclosure::of_whole(problem.scaled_cost(proposal.total, proposal.below));
  return (-(Enclosure::of(problem.rate, precision) * cost / problem.target.denominator)).exp();
}

/// Multiplies by (mass of its part / all mass) for each quantile, and divides by r! for r of them that share one.
void times_parts(Enclosure& result, const JointProblem& problem, const Proposal& proposal) {
  const Enclosure base = Enclosure::of_whole(problem.base.total());
  std::uint64_t sharing = 0;
  for (std::size_t j = 0; j < proposal.parts.size(); ++j) {
    const SplitPart& part = proposal.parts[j];
    sharing = j > 0 && proposal.parts[j - 1].start == part.start ? sharing + 1 : 1;
    result = result * Enclosure::of_whole(problem.base.mass(part.start, part.end)) / base / sharing;
  }
}

}  // namespace

Enclosure acceptance(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale,
                     std::int64_t precision) {
  Enclosure result = target_of(problem, proposal, precision);
  const std::size_t quantiles = proposal.below.size();
  times_parts(result, problem, proposal);
  for (const std::uint64_t weight : proposal.weights) result = result / weight;
  const auto twos = static_cast<slong>(quantiles) * scale - static_cast<slong>(total.exponent) +
                    static_cast<slong>(unit_bits * proposal.weights.size());
  return scaled(result * proposal.slice / Enclosure::of_double(total.leading), twos);
}

std::vector<Split> splits_of(const Proposal& proposal, const JointProblem& problem, RandomBits& bits) {
  if (!proposal.splits.empty()) return proposal.splits;
  std::vector<Split> splits;
  for (const SplitPart& part : proposal.parts) splits.push_back(problem.base.draw(part.start, part.end, bits));
  std::ranges::sort(splits);
  return splits;
}

}  // namespace fractile
