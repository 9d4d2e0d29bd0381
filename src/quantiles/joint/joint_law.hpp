// The exact law of a joint selection, by enumeration. The sampler is tested against it, and audits certify it.
#pragma once

#include <map>
#include <vector>

#include "exact/enclosure.hpp"
#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

/// All selections, with any total, whose j-th split has below[j] records of the span below it.
struct JointOutcome {
  std::vector<std::uint64_t> below;
  Enclosure probability;
};

/// Cost: (records + 1)^quantiles * records * denominator.
std::vector<JointOutcome> joint_law(const JointProblem& problem);

/// The same law by splits. Additional cost: splits^quantiles.
std::map<std::vector<Split>, Enclosure> joint_splits_law(const JointProblem& problem);

/// The probability of every ordered tuple of `representatives`, divided by its base weight and by the number of permutations of
/// equal splits; for lattices that are too large to list. If every run of two laws with one base measure has a representative, the
/// laws are as far apart as these densities.
std::map<std::vector<Split>, Enclosure> joint_density(const JointProblem& problem,
                                                      const std::vector<Split>& representatives);

}  // namespace fractile
