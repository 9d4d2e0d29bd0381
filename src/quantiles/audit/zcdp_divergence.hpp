// The largest D_alpha / alpha of two laws over all orders alpha > 1, certified from both sides.
// Proof: docs/proofs/audit.md
#pragma once

#include <vector>

#include "exact/enclosure.hpp"

namespace fractile {

/// An outcome's probability under two laws.
struct Likelihoods {
  Enclosure p;
  Enclosure q;
};

/// D_alpha(P || Q) = ln(sum p^alpha q^(1 - alpha)) / (alpha - 1), for alpha > 1.
Enclosure renyi_divergence(const std::vector<Likelihoods>& outcomes, const Rational& alpha);

/// sup over alpha > 1 of D_alpha / alpha.
struct RenyiSlope {
  Rational lower;  ///< attained at some order
  Rational upper;  ///< at no order more
};

/// At most about one in a thousand apart, unless all of it is certified to be at most `enough`, where it is examined no closer; and
/// close enough to decide on which side of `claim` it is, unless it is within a millionth of that.
RenyiSlope largest_renyi_slope(const std::vector<Likelihoods>& outcomes, const Rational& claim, const Rational& enough);

}  // namespace fractile
