// Three secrets, and what is observed in the second channel that no mixture of the first one's observations is like. What is found is a
// suggestion. docs/proofs/refinement.md, "Three secrets".
#pragma once

#include <optional>
#include <vector>

#include "flow/refinement/rough_rows.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

/// By secret: what a bet costs that is free otherwise, 0 for all but three. With `from` no observation makes it worth taking, or hardly; with
/// `to` some do. Within -1 .. 1. Nothing when there is none, of three secrets, whose gain is above rounding errors.
std::optional<std::vector<Rational>> bet_on_three(const RoughRows& from, const RoughRows& to);

/// The bet as losses of two actions, none of which is below 0: to take it, and not to.
Matrix losses_of_bet(const std::vector<Rational>& bet);

}  // namespace fractile::flow
