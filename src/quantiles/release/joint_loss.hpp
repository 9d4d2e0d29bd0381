// The mean loss of an analyst of several quantiles that are selected at once, on a table that is known.
// Proof: docs/proofs/choosing.md, "Releases": several quantiles
#pragma once

#include <optional>
#include <vector>

#include "fractile/planning.hpp"
#include "quantiles/joint/joint_problem.hpp"

namespace fractile {

/// Bounds the mean loss of a selection among all splits of the problem's table, for these quantiles, in order. Nothing where floating point
/// cannot carry it, and where it would take more than seconds: about the quantiles times the ranks that are likely for one, some two hundred
/// times.
std::optional<LossBounds> joint_loss(const JointProblem& problem, const std::vector<Rational>& quantiles,
                                     const ReleaseAnalyst& analyst);

}  // namespace fractile
