// Laws of whole numbers in fixed point: those that matter, how far they may be off, and a bound for the rest.
// Proof: docs/proofs/target_loss.md, "Enclosed"
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"

namespace fractile::flow {

constexpr std::int64_t law_bits = 224;

/// Probabilities of `first` .. `first + size - 1`; those of all other numbers add up to at most `rest`.
struct TruncatedLaw {
  std::size_t first = 0;
  std::size_t size = 0;
  Polynomial masses;  ///< coefficient i: the probability of first + i in units of 2^-law_bits
  Integer error;      ///< that each is off by at most, in the same units
  Enclosure rest;

  /// The probability of first + i.
  Enclosure mass(std::size_t i) const;
  /// The probabilities of the first 0, 1, .., size of them together.
  std::vector<Enclosure> sums() const;
};

/// Always 0.
TruncatedLaw nobody();

/// The law with these probabilities of first, first + 1, ...
TruncatedLaw fixed_point(std::size_t first, const std::vector<Enclosure>& masses, const Enclosure& rest);

/// How many of n are counted, each with probability p in (0, 1).
TruncatedLaw binomial(const Enclosure& p, std::size_t n);

/// The law of the sum of two independent numbers; what is negligible at both ends is left out.
TruncatedLaw convolved(const TruncatedLaw& a, const TruncatedLaw& b);

/// The law of the sum of `count` independent numbers with this law.
TruncatedLaw power(const TruncatedLaw& law, std::size_t count);

}  // namespace fractile::flow
