// The exact law of a joint selection, by enumeration: what the sampler is tested against and audits certify.
#pragma once

#include <map>
#include <vector>

#include "exact/enclosure.hpp"
#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

/// Selections whose j-th split has below[j] records of the span below it, all totals together.
struct JointOutcome {
  std::vector<std::uint64_t> below;
  Enclosure probability;
};

/// Cost: (records + 1)^quantiles * records * denominator.
std::vector<JointOutcome> joint_law(const JointProblem& problem);

/// The same by splits. Cost: splits^quantiles in addition.
std::map<std::vector<Split>, Enclosure> joint_splits_law(const JointProblem& problem);

/// The probability of every ordered tuple of `representatives`, divided by its base weight and by the permutations of equal
/// ones: for lattices that are too large to list. Laws with one base measure are as far apart as these densities are, when
/// every run of either has a representative.
std::map<std::vector<Split>, Enclosure> joint_density(const JointProblem& problem,
                                                      const std::vector<Split>& representatives);

}  // namespace fractile
