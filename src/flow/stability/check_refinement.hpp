// check_refinement() for a pipeline whose canonical form is known.
#pragma once

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// `simple`: canonical_pipeline(pipeline). The answer names secrets and observations of the pipeline itself.
PipelineRefinement check_refinement(const Pipeline& pipeline, const Pipeline& simple, const Rational& from,
                                    const Rational& to);

}  // namespace fractile::flow
