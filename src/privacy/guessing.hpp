// How often the best guess among several possibilities can succeed at most, where a promise bounds how much likelier an observation is
// under one of them than under another.
// Proof: docs/proofs/leakage.md, "What epsilon alone allows"
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// `priors`: of the possibilities, adding up to 1. No observation is more than `odds` >= 1 times as likely under one of them as under
/// another. The least bound that there is. Number: Rational or Enclosure.
template <class Number>
Number most_guessed(std::vector<Rational> priors, const Number& odds);

/// The same for possibilities in a row, where those i places apart have odds^i.
template <class Number>
Number most_guessed_in_line(const std::vector<Rational>& priors, const Number& odds);

}  // namespace fractile
