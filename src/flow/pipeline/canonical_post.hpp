// Post-processors that reveal the same about all tuples of values are equivalent; the simplest of them represents them.
#pragma once

#include <cstddef>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// An equivalent post-processor: its output and that of the pipeline's post-processor determine each other. It is an identity if
/// there is one, or else a count, a sum, a mode, or the pipeline's own. Beyond 4,096 tuples, only two cases are tried: the sum of
/// two values (a count), and rounding that distinguishes all values (an identity). Simplifies only families of channels whose
/// secrets are everyone's values or one target's; otherwise returns the pipeline's own.
PostProcessor canonical_post(const Pipeline& pipeline);

/// For each observation of `simple`, which is the pipeline with canonical_post(), the index of the pipeline's equivalent
/// observation. Throws `usage` as outline_of() does.
std::vector<std::size_t> own_places(const Pipeline& pipeline, const Pipeline& simple);

/// One perturber for all participants, if theirs are all the same; and a named family, if a matrix in odds is one.
Perturber canonical_perturber(const Pipeline& pipeline);

/// The pipeline of one participant, whose value is the secret.
Pipeline alone(const Pipeline& pipeline);

/// The same for the target, who is the last participant.
Pipeline target_alone(const Pipeline& pipeline);

/// Whether every answer, or bar, is shown by itself, perhaps rounded.
bool is_side_by_side(const Pipeline& pipeline);

/// The pipeline with both canonical parts.
Pipeline canonical_pipeline(const Pipeline& pipeline);

}  // namespace fractile::flow
