// Pairs of odds, or of bases, at which a counter-example to stability is searched for.
#pragma once

#include <utility>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::flow {

/// In each pair, the larger one comes first.
using Pairs = std::vector<std::pair<Rational, Rational>>;

/// Fifteen neighboring pairs within the range, the widest first.
Pairs pairs_within(const Rational& from, const Rational& to);

}  // namespace fractile::flow
