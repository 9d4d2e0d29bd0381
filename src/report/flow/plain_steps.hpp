// Whether every small step to less epsilon is noise on top, for those who check: by interpolation, where small steps are found by solving
// over polynomials. Proof: docs/proofs/stability.md, "Theorems checked"
#pragma once

#include <optional>

#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

/// Over odds from .. to. Nothing of releases, where it would take more than seconds, and where signs do not tell.
std::optional<bool> small_steps(const flow::Pipeline& pipeline, const Rational& from, const Rational& to);

}  // namespace fractile::report_detail
