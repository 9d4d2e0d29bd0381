// One person's value is unknown, all others' are known, and those with certain answers are counted: the channel has rank 2, so
// that thousands of people are no trouble (kronecker-utility 2023, section 9.2 and appendix D.1).
// Proof: docs/proofs/known_others.md
#pragma once

#include "exact/enclosure.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// Whether the functions below take the pipeline.
bool counts_with_known_others(const Pipeline& pipeline);

/// The analyst's expected loss at rational odds. Time about N^2 log(odds) bit operations, memory N log(odds) bits.
Rational exact_loss_among_known(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// The same at odds that are only enclosed, with an absolute error of some 2^-140 of the largest loss. Time about the
/// square root of N times its logarithm.
Enclosure loss_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds);

}  // namespace fractile::flow
