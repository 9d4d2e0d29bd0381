// Decides whether the theorem that a certificate names applies to a pipeline. Shares no code with check_stability().
#pragma once

#include <string>

#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

enum class Applies { yes, no, unchecked };

/// Whether the theorem `name`, as to_string(flow::Theorem) prints it, applies over the odds from .. to. Unchecked where this code does not
/// decide, or where it would take more than seconds. Proof: docs/proofs/stability.md, "Stable" and "Theorems checked"
Applies theorem_applies(const std::string& name, const flow::Pipeline& pipeline, const Rational& from,
                        const Rational& to);

}  // namespace fractile::report_detail
