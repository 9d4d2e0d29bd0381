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
  Rational lower;  ///< attained at some order alpha
  Rational upper;  ///< exceeded at no order alpha
};

/// The bounds differ by at most about one in a thousand, and are close enough to decide on which side of `claim` the slope lies,
/// unless it is within a millionth of `claim`. Once the slope is certified to be at most `enough`, the bounds are not refined
/// further.
RenyiSlope largest_renyi_slope(const std::vector<Likelihoods>& outcomes, const Rational& claim, const Rational& enough);

}  // namespace fractile
