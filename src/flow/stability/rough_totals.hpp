// Totals among many known people as a channel's columns, in floating point: what suggests a bet. Nothing of it is certain.
// docs/proofs/stability.md, "Known others".
#pragma once

#include "flow/loss/target_total.hpp"
#include "flow/refinement/single_bet.hpp"

namespace fractile::flow {

/// Those that come up more often than once in some 2^100 cases.
RoughColumns likely_totals(const TargetTotal& sum, const Rational& odds);

/// All totals, however rare: each is seen where the others' law is tilted so that it is likely. Where there are very many, some, both ends
/// among them.
RoughColumns all_totals(const TargetTotal& sum, const Rational& odds);

}  // namespace fractile::flow
