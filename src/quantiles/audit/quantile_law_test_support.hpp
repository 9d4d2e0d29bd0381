// For tests: the exact law of the candidates that sample_splits() draws.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "exact/law.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/joint/joint_law.hpp"
#include "quantiles/stages/tree_law.hpp"

namespace fractile {

/// The ring of enclosures, for TreeLaw.
struct EnclosureRing {
  using Number = Enclosure;
  static Enclosure whole(std::uint64_t value) { return Enclosure::of(Rational(value)); }
  static std::vector<Enclosure> masses(const std::vector<Run>& runs, const Exponent& rate) {
    return softmax_law(runs, rate);
  }
  static std::map<std::vector<Split>, Enclosure> joint(const JointProblem& problem) {
    return joint_splits_law(problem);
  }
};

/// Cost: (candidates * subcells)^(quantiles - 1) or so.
inline OutputLaw quantile_law(const QuantileTree& tree) { return TreeLaw(tree, EnclosureRing{}).law(); }

}  // namespace fractile
