// Confidence intervals: brackets about the wanted quantiles, selected with them, and noisy counts of the cells between these.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/draws.hpp"
#include "quantiles/interval_law.hpp"
#include "quantiles/stages.hpp"

namespace fractile {

/// How a budget is divided; the shares add up to 1.
struct IntervalShares {
  Rational points;  ///< the wanted quantiles
  Rational brackets;
  Rational cells;
};
IntervalShares shares_of(const IntervalRequest& request);

/// The quantiles that are selected for a query with intervals, and what each of them is for.
struct BracketedQuantiles {
  std::vector<Rational> quantiles;
  std::vector<Role> roles;
  std::vector<std::size_t> owners;  ///< the wanted quantile that it is a bracket of, or is
};

/// From what is public alone. Around each quantile some ranks q - d and q + d, where its interval is expected to end.
BracketedQuantiles with_brackets(const QuantileQuery& query);

/// Error(usage) unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// The positions that part the cells, one a bracket, never decreasing: a record below one is at a smaller position. Below a lower
/// bracket are the records before it, below an upper bracket those on it as well; or what is below the cut before, when that is more.
std::vector<Position> cuts_of(const std::vector<std::uint64_t>& selected, const std::vector<Role>& roles);

/// One count a cell, one more than there are cuts.
std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts);

/// What is published of a release's cells, and the intervals that follow.
class CountedCells {
 public:
  /// `share`: the budget that the noisy counts spent.
  CountedCells(const QuantileQuery& query, const Lattice& lattice, std::vector<Position> cuts,
               const std::vector<std::int64_t>& counts, const Budget& share);

  /// One interval a quantile of the query. Any level may be asked for, whatever was counted, and several.
  std::vector<Interval> intervals(const Rational& level) const;

 private:
  const QuantileQuery& query_;
  const Lattice& lattice_;
  std::vector<Position> cuts_;
  std::vector<int128> below_;  // noisy counts up to each cut, from none
  CriticalValues critical_;
};

}  // namespace fractile
