// Decides whether every small step to a smaller epsilon only adds noise. This code serves to check certificates and interpolates, whereas the
// search for small steps solves over polynomials.
// Proof: docs/proofs/stability.md, "Theorems checked"
#pragma once

#include <optional>

#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

/// For the odds from .. to. Returns nothing for releases of several quantiles, where it takes more than seconds, and where signs do not
/// decide.
std::optional<bool> small_steps(const flow::Pipeline& pipeline, const Rational& from, const Rational& to);

}  // namespace fractile::report_detail
