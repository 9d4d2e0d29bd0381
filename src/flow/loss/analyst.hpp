// An analyst's prior and loss, for secrets that are listed already.
#pragma once

#include "flow/pipeline/secrets.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Like the public prior_of() and loss_of(); `secrets` are the pipeline's.
Prior prior_of(const Analyst& analyst, const Secrets& secrets);
Loss loss_of(const Analyst& analyst, const Pipeline& pipeline, const Secrets& secrets);

}  // namespace fractile::flow
