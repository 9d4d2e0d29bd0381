// Several counts at once: how many give each answer, or have a 1 in each place of an answer's digits.
#pragma once

#include <vector>

#include "flow/pipeline/composition.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Whether the post-processor is one of these.
bool tallies(const PostProcessor& post);

/// For each answer: the counts of all answers when this one is given once.
std::vector<Tuple> single_answers(std::size_t answers);

/// For each answer: what it adds to each count. Throws `usage` when a digit is not 0 or 1.
std::vector<Tuple> tallied(const Pipeline& pipeline);

/// All possible counts for `participants` answers, increasing. Throws `usage` for more than a million.
std::vector<Tuple> reachable_tallies(const std::vector<Tuple>& steps, std::size_t participants);

}  // namespace fractile::flow
