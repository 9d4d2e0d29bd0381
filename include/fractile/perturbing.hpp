// The paper's programs, drawing for real: a participant perturbs their value, and a collector combines the answers.
// Source: kronecker-utility 2023, algorithms 1 to 3. Proof: docs/proofs/perturbing.md
// Thread-safety: threads may share a pipeline, each with random bits of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/random.hpp"

namespace fractile::flow {

/// A participant's program (algorithm 1, for any perturber; of a bar, the first loop of algorithm 3): the index of an answer, drawn from
/// the value's row of the perturber's channel at this epsilon, exactly, given perfect bits. Throws `usage` when there
/// is no such row, and where participants' perturbers differ: name one of perturber.each().
/// Proof: docs/proofs/perturbing.md
std::size_t perturbed(const Perturber& perturber, const Exponent& epsilon, std::size_t value, RandomBits& bits);

/// The collector's program (the second loop of algorithms 2 and 3): the name of the observation that the post-processor makes of the
/// participants' answers, or of the bars. Draws nothing. Throws `usage` unless there is a valid answer for each of them.
std::string collected(const Pipeline& pipeline, const std::vector<std::size_t>& answers);

/// Both together (algorithms 2 and 3): the name of an observation, drawn from the secret's row of the pipeline's channel. `secret` is one
/// of PipelineChannel::secrets. Throws `usage` for a release, which fractile::release() draws.
std::string released(const Pipeline& pipeline, const Exponent& epsilon, const std::vector<std::size_t>& secret,
                     RandomBits& bits);

}  // namespace fractile::flow
