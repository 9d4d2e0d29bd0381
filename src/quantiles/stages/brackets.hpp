// Brackets of intervals: what is selected about the wanted quantiles, where intervals may end, and how budget and failure probability are
// divided. From what is public alone.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstddef>

#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// What is selected for a query with intervals, and where these may end. From what is public alone: around each quantile some ranks
/// q - d and q + d where its interval is expected to end.
Brackets with_brackets(const QuantileQuery& query);

/// Error(usage) unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// How the failure probability of a request is divided.
struct IntervalFailures {
  double of_end = 0;  ///< each end of each interval
  double of_n = 0;    ///< of the bounds of the number of records, once

  IntervalFailures(const IntervalRequest& request, std::size_t quantiles);
};

/// Of the counts of a query's cells, which have this share of its budget.
CountTreeNoise noise_of_cells(QuantileQuery query, const Budget& share);

}  // namespace fractile
