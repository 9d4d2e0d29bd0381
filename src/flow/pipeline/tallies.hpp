// Several counts at once: how many give each answer, or have a 1 in each place of an answer's digits.
#pragma once

#include <vector>

#include "flow/pipeline/composition.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the post-processor is one of these.
bool tallies(const PostProcessor& post);

/// By answer: how many give each, when it is given once.
std::vector<Tuple> single_answers(std::size_t answers);

/// By answer: what it adds to each count. Throws `usage` when a bit is no digit 0 or 1.
std::vector<Tuple> tallied(const Pipeline& pipeline);

/// All that `participants` answers may come to, increasing. Throws `usage` when that is more than a million.
std::vector<Tuple> reachable_tallies(const std::vector<Tuple>& steps, std::size_t participants);

}  // namespace fractile::flow
