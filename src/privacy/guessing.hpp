// The largest probability with which the best guess among several possibilities can succeed, when a promise bounds how much
// likelier an observation is under one possibility than under another.
// Proof: docs/proofs/leakage.md, "What epsilon alone allows"
#pragma once

#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// `priors` are the possibilities' prior probabilities, which add up to 1. No observation is more than `odds` >= 1 times as likely
/// under one possibility as under another. The bound is the least possible. Number: Rational or Enclosure.
template <class Number>
Number most_guessed(std::vector<Rational> priors, const Number& odds);

/// The same for possibilities in a row, where odds^i is the bound for possibilities i places apart.
template <class Number>
Number most_guessed_in_line(const std::vector<Rational>& priors, const Number& odds);

}  // namespace fractile
