// Totals among many known others as columns of a channel, in floating point. They only suggest a bet: docs/proofs/stability.md,
// "Known others".
#pragma once

#include "flow/loss/target_total.hpp"
#include "flow/refinement/single_bet.hpp"

namespace fractile::flow {

/// The totals that occur more often than once in some 2^100 cases.
RoughColumns likely_totals(const TargetTotal& sum, const Rational& odds);

/// All totals, however rare: each is computed with the others' law tilted so that the total is likely. If there are very many, only
/// some of them, including both ends.
RoughColumns all_totals(const TargetTotal& sum, const Rational& odds);

}  // namespace fractile::flow
