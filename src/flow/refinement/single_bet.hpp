// One observation of the second channel that no mixture of the first one's observations is like, as often as they come up. What is found is
// a suggestion. docs/proofs/refinement.md, "A single bet".
#pragma once

#include <optional>
#include <vector>

#include "fractile/flow.hpp"

namespace fractile::flow {

/// A channel's columns in floating point, without those of zeros. However unlikely an observation is, its numbers are of ordinary size.
struct RoughColumns {
  std::vector<std::vector<double>> directions = {};  ///< by column and secret; they add up to 1
  std::vector<double> magnitudes = {};               ///< by column: the binary logarithm of what its entries add up to
};
RoughColumns columns_of(const Matrix& channel);

/// A bet that hardly any observation of the first channel makes worth taking, and one of the second does.
struct SingleBet {
  std::vector<Rational> costs;  ///< by secret: what it costs to take, of either sign, within -2 .. 2
  double magnitude;  ///< the binary logarithm of how likely that observation is, when all secrets are equally so

  /// " once in some 10^12 cases", where it is rarer than once in a million.
  std::string how_seldom() const;
};

/// The observation by which an analyst gains most, among some thirty, of which two are those at the ends. Nothing where none gains more than
/// rounding errors, or channels are large.
std::optional<SingleBet> single_bet(const RoughColumns& from, const RoughColumns& to);

}  // namespace fractile::flow
