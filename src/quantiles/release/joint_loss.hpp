// The mean loss of an analyst of several quantiles that are selected at once, on a known table.
// Proof: docs/proofs/choosing.md, "Releases": several quantiles
#pragma once

#include <optional>
#include <vector>

#include "fractile/planning.hpp"
#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

/// Bounds the mean loss of a selection among all splits of the problem's table, for these quantiles, in order. Nothing where the
/// range of floating point does not suffice, and where the computation would take more than seconds: its time is some two hundred
/// times the number of quantiles times the number of ranks that are likely for one quantile.
std::optional<LossBounds> joint_loss(const JointProblem& problem, const std::vector<Rational>& quantiles,
                                     const ReleaseAnalyst& analyst);

}  // namespace fractile
