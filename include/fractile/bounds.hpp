// Bounds that nobody knows: found with a part of the budget, for a release within them.
// Source: ours; smaller kin of Algorithm 1 of approximate-quantiles 2021 on a geometric lattice.
// Thread-safety: functions of their arguments; threads may share profiles, each with random bits of its own.
#pragma once

#include <string>
#include <vector>

#include "fractile/quantiles.hpp"

namespace fractile {

/// Bounds that may be found: 0 and plus or minus step, 2 step, 4 step, ..., 2^doublings step.
struct BoundsSearch {
  Rational step;
  int doublings = 60;

  /// As many doublings as the query's mechanism has room for: 60, or 44 for joint selections.
  static BoundsSearch widest(const Rational& step, const QuantileQuery& query);

  /// All multiples of step between the widest bounds: the lattice that the records are to be counted on. Error(usage) as
  /// Lattice::regular, and unless 1 <= doublings <= 60.
  Lattice lattice() const;
};

/// Releases the query's quantiles of `profile`, which was counted on search.lattice(), within bounds that `share` of the
/// budget finds; the rest pays for the quantiles. The bounds are meant to hold the quantiles asked for, not all records: those
/// outside count as the nearest bound. The release's `query` has the rest of the budget, `bounds` tells of all of it, and the
/// whole keeps the query's budget. Errors: usage, as release_quantiles(), unless 0 < share < 1, when the query's mechanism does not
/// take the widest bounds, and when the profile was counted on another lattice.
/// Proof: docs/proofs/private_bounds.md
QuantileRelease release_with_private_bounds(const RankProfile& profile, const BoundsSearch& search,
                                            const QuantileQuery& query, const Rational& share, RandomBits& bits,
                                            Filter filter = {});

/// The same of groups, as release_groups(): the bounds are found among the records of all of them, and are the same for all.
/// Proof: docs/proofs/private_bounds.md
GroupedRelease release_groups_with_private_bounds(const std::vector<std::string>& keys,
                                                  const std::vector<RankProfile>& profiles, const BoundsSearch& search,
                                                  const QuantileQuery& query, const Rational& share, RandomBits& bits,
                                                  Filter filter = {});

}  // namespace fractile
