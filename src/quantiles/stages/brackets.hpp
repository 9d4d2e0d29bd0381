// Brackets of intervals: what is selected about the wanted quantiles, where intervals may end, and how budget and failure probability are
// divided. From what is public alone.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// How many preliminary_share()s of the budget the count costs from which brackets follow: of the table, widths depend on it more.
int shares_of_rows(const QuantileQuery& query);

/// What is selected for a query with intervals among about this many records, and where these may end: around each quantile some ranks
/// q - d and q + d where its interval is expected to end.
Brackets with_brackets(const QuantileQuery& query, std::uint64_t rows);

/// Throws `usage` unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// About how many records lie between a quantile and an end of its interval, among so many that none is tied.
double expected_half_width(const QuantileQuery& query, const Rational& quantile, std::uint64_t rows);

/// Whether all but about one in a hundred ends of the query's intervals are found among this many records. The others are the range's.
bool ends_are_settled(const QuantileQuery& query, std::uint64_t rows);

/// How the failure probability of a request is divided.
struct IntervalFailures {
  double of_end = 0;  ///< each end of each interval
  double of_n = 0;    ///< of the bounds of the number of records, once

  IntervalFailures(const IntervalRequest& request, std::size_t quantiles);
};

/// The noise of the counts of a query's cells, which have this share of its budget.
CountTreeNoise noise_of_cells(QuantileQuery query, const Budget& share);

/// About the deviation of the noise of one cell's count, and of the rank error of a selected point, in records.
double deviation_of_counts(const QuantileQuery& query, const IntervalShares& shares);
double deviation_of_points(const QuantileQuery& query, const IntervalShares& shares);

}  // namespace fractile
