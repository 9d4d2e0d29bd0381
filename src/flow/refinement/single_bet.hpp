// Finds an observation of the second channel that no mixture of the first channel's observations resembles, given their
// probabilities. The result is a suggestion: docs/proofs/refinement.md, "A single bet".
#pragma once

#include <optional>
#include <vector>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// A channel's columns in floating point, without zero columns. The numbers have ordinary sizes even for very unlikely
/// observations.
struct RoughColumns {
  std::vector<std::vector<double>> directions = {};  ///< by column and secret; they add up to 1
  std::vector<double> magnitudes = {};               ///< by column: the binary logarithm of the sum of its entries
};
RoughColumns columns_of(const Matrix& channel);

/// A bet that is worth taking after one observation of the second channel, and after hardly any observation of the first.
struct SingleBet {
  std::vector<Rational> costs;  ///< by secret: the cost of taking the bet, of either sign, within -2 .. 2
  double magnitude;  ///< the binary logarithm of that observation's probability when all secrets are equally likely

  /// " once in some 10^12 cases" if the observation is rarer than once in a million; otherwise "".
  std::string how_seldom() const;
};

/// The bet on the observation by which an analyst gains most, among some thirty observations, including the two at the ends.
/// Nothing when no gain exceeds rounding errors, and when the channels are large.
std::optional<SingleBet> single_bet(const RoughColumns& from, const RoughColumns& to);

}  // namespace fractile::flow
