// check_refinement() of a pipeline that is known in simpler words.
#pragma once

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// `simple`: canonical_pipeline(pipeline). The answer is in the words of the pipeline itself.
PipelineRefinement check_refinement(const Pipeline& pipeline, const Pipeline& simple, const Rational& from,
                                    const Rational& to);

}  // namespace fractile::flow
