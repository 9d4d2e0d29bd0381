// Laws of whole numbers in fixed point: the probabilities that are not negligible, a bound of their errors, and a bound of the
// rest.
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
  Integer error;      ///< a bound of the error of each, in the same units
  Enclosure rest;

  /// The probability of first + i.
  Enclosure mass(std::size_t i) const;
  /// The probabilities of the first 0, 1, .., size of them together.
  std::vector<Enclosure> sums() const;
};

/// The law of a number that is always 0.
TruncatedLaw nobody();

/// The law with these probabilities of first, first + 1, ...
TruncatedLaw fixed_point(std::size_t first, const std::vector<Enclosure>& masses, const Enclosure& rest);

/// The binomial law: how many of n are counted, each with probability p in (0, 1).
TruncatedLaw binomial(const Enclosure& p, std::size_t n);

/// The law of the sum of two independent numbers, without the negligible probabilities at both ends.
TruncatedLaw convolved(const TruncatedLaw& a, const TruncatedLaw& b);

/// The law of the sum of `count` independent numbers with this law.
TruncatedLaw power(const TruncatedLaw& law, std::size_t count);

}  // namespace fractile::flow
