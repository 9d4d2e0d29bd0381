// Confidence intervals: brackets about the wanted quantiles, selected with them, and noisy counts of the cells between these.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/draws.hpp"
#include "quantiles/stages.hpp"

namespace fractile {

/// The share of a budget that the cells' counts have.
Rational cells_share();

/// The quantiles that are selected for a query with intervals, and what each of them is for.
struct BracketedQuantiles {
  std::vector<Rational> quantiles;
  std::vector<Role> roles;
};

/// From what is public alone. Around each quantile some ranks q - d and q + d, where its interval is expected to end.
BracketedQuantiles with_brackets(const QuantileQuery& query);

/// Error(usage) unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// The positions that part the cells, in order, repeated ones too: a record below one is at a smaller position. Below a lower bracket
/// are the records before it, below an upper bracket those on it as well.
std::vector<Position> cuts_of(const std::vector<std::uint64_t>& selected, const std::vector<Role>& roles);

/// One count a cell, one more than there are cuts.
std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts);

/// One interval a quantile of the query, from what is published: noisy counts of the cells. `share`: the budget that these spent.
std::vector<Interval> intervals_of(const QuantileQuery& query, const Lattice& lattice,
                                   const std::vector<Position>& cuts, const std::vector<std::int64_t>& counts,
                                   const Budget& share);

}  // namespace fractile
