// Confidence intervals: brackets about the wanted quantiles, selected with them, and noisy counts of the cells between these.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// What is selected for a query with intervals, and where these may end. From what is public alone: around each quantile some ranks
/// q - d and q + d where its interval is expected to end.
Brackets with_brackets(const QuantileQuery& query);

/// Error(usage) unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// The positions that part the cells, and whose cut each is.
struct PlacedCuts {
  std::vector<Position> positions;   ///< never decreasing: a record below a cut is at a smaller position
  std::vector<std::size_t> targets;  ///< which of Brackets::cuts each is: those of one kind of end stay in their order
};

/// Each cut is at the candidate that is interpolated between those selected: a lower end's before it, an upper end's after it. So the
/// lower cut of a quantile may come before the upper cuts of quantiles below it, where both are at one candidate, a tie. An upper one
/// never comes before a lower one whose target is before its own. When most of those selected are round numbers, cuts between two of them
/// are moved inwards to round numbers. The innermost cut of an end moves to its point when the next of those selected ties with that.
PlacedCuts cuts_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice);

/// One count a cell, one more than there are cuts.
std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts);

/// What is published of a release's cells, and the intervals that follow.
class CountedCells {
 public:
  /// `selected`: a candidate for each of brackets.selected; `counts`: the noisy ones. All must outlive this.
  CountedCells(const QuantileQuery& query, const Lattice& lattice, const Brackets& brackets,
               const std::vector<std::uint64_t>& selected, const std::vector<std::int64_t>& counts);

  /// One interval a quantile of the query. Any level may be asked for, whatever was counted, and several.
  std::vector<Interval> intervals(const Rational& level);

 private:
  const QuantileQuery& query_;
  const Lattice& lattice_;
  const Brackets& brackets_;
  PlacedCuts cuts_;
  std::vector<int128> below_;  // noisy counts up to each cut, from none
  CriticalValues critical_;
};

}  // namespace fractile
