// Laws of whole numbers, in balls: those that matter, and a bound for the rest.
// Proof: docs/proofs/known_others.md, "Enclosed"
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"

namespace fractile::flow {

constexpr std::int64_t law_bits = 192;

/// Probabilities of first, first + 1, ... in balls; the others add up to at most `rest`.
struct Stretch {
  std::size_t first = 0;
  std::vector<Enclosure> masses;
  Enclosure rest;
};

/// Always 0.
Stretch nobody();

/// How many of n are counted, each with probability p in (0, 1).
Stretch binomial(const Enclosure& p, std::size_t n);

/// Of the sum of independent numbers.
Stretch convolved(const Stretch& a, const Stretch& b);

/// Of the sum of so many independent ones.
Stretch power(const Stretch& law, std::size_t count);

}  // namespace fractile::flow
