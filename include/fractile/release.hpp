// Releases: a query and what was counted become published quantiles, of one profile or of groups, within bounds that are known or
// that a part of the budget finds.
// Thread-safety: functions of their arguments; threads may share profiles, each with random bits of its own.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/random.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// Bounds that may be found: 0 and plus or minus step, 2 step, 4 step, ..., 2^doublings step.
/// Source: ours; smaller kin of Algorithm 1 of approximate-quantiles 2021 on a geometric lattice.
struct BoundsSearch {
  Rational step;
  int doublings = 60;

  /// As many doublings as the query's mechanism has room for: 60, or 44 for joint selections.
  static BoundsSearch widest(const Rational& step, const QuantileQuery& query);

  /// All multiples of step between the widest bounds: the lattice that the records are to be counted on. Error(usage) as
  /// Lattice::regular, and unless 1 <= doublings <= 60.
  Lattice lattice() const;
};

/// Bounds that nobody knows, and what may be spent on them.
struct BoundsToFind {
  BoundsSearch search;
  Rational share;  ///< of the budget, in (0, 1), for the bounds; the rest pays for the quantiles
};

/// What a release is asked for. A query alone is one within the bounds of the lattice that was counted on.
struct ReleaseOptions {
  QuantileQuery query;
  /// To be found before the quantiles, with a share of the query's budget, when nobody declared any.
  std::optional<BoundsToFind> bounds;

  ReleaseOptions(QuantileQuery asked,  // NOLINT(google-explicit-constructor): a query is a release's options
                 std::optional<BoundsToFind> to_find = {})
      : query(std::move(asked)), bounds(std::move(to_find)) {}
};

/// Releases the query's quantiles of a profile, among the candidates of its lattice. The output's law is exactly the mechanism's. Time
/// O(distinct log m) and a few passes per level; independent of the lattice's size.
/// With bounds to find, the profile was counted on the lattice of their search, and the bounds are meant to hold the quantiles asked
/// for, not all records: those outside count as the nearest bound. The release's `query` has the rest of the budget, `bounds` tells of
/// all of it, and the whole keeps the query's budget.
/// Errors: usage, as query.validate() of the profile's lattice; with bounds, unless 0 < share < 1, when the query's mechanism does not
/// take the widest bounds, and when the profile was counted on another lattice; internal when random bits fail or draws cost more than
/// the budget, before anything is returned.
/// Proof: docs/proofs/single_quantile.md
/// Proof: docs/proofs/approximate_quantiles.md
/// Proof: docs/proofs/odometer.md
/// Proof: docs/proofs/private_bounds.md
QuantileRelease release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits);

/// What every group runs, so that all of them together keep the promise of `query` to a person whose records lie in any of
/// them: add_remove as it is; change_one as add_remove with twice the records a person, since a replaced record may leave one
/// group and enter another. Error(usage) when no such query is known: an approximate budget unless under add_remove with one
/// record a person; and as validate().
/// Proof: docs/proofs/groups.md
QuantileQuery group_query(const QuantileQuery& query);

/// Releases the query's quantiles of every group; an empty one too. All profiles were counted on one lattice. Every record is in
/// at most one of them, decided by that record alone, and a person has at most query.records_per_person records in all of them
/// together. The query's expected_rows are those of one group. Bounds are found among the records of all groups, and are the same for
/// all. Errors: usage, as group_query() and release() of one profile, when keys and profiles are not equally many, and when profiles
/// were counted on several lattices; internal when random bits fail, before anything is returned.
/// Proof: docs/proofs/groups.md
/// Proof: docs/proofs/private_bounds.md
GroupedRelease release(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                       const ReleaseOptions& options, RandomBits& bits);

}  // namespace fractile
