// Brackets of intervals: which quantiles are selected around the wanted ones, where intervals may end, and how budget and failure
// probability are divided. All of this follows from public facts.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// How many times preliminary_share() of the budget is spent on the count that determines the brackets. It is more for intervals of
/// the table, since their widths depend more on the count.
int shares_of_rows(const QuantileQuery& query);

/// What a query with intervals selects among about this many records, and where the intervals may end: around each quantile q, at
/// some ranks q - d and q + d near the expected ends of its interval.
Brackets with_brackets(const QuantileQuery& query, std::uint64_t rows);
/// The same when only these of the wanted quantiles are selected, and the others interpolated.
Brackets with_brackets(const QuantileQuery& query, std::uint64_t rows, const std::vector<Rational>& points);

/// Throws `usage` unless intervals of this kind are known for the query.
void require_intervals(const QuantileQuery& query);

/// About how many records lie between a quantile and an end of its interval, if no values are tied.
double expected_half_width(const QuantileQuery& query, const Rational& quantile, std::uint64_t rows);

/// Whether all but about one in a hundred ends of the query's intervals are found among this many records. All other ends are ends
/// of the range.
bool ends_are_settled(const QuantileQuery& query, std::uint64_t rows);

/// How the failure probability of a request is divided.
struct IntervalFailures {
  double of_end = 0;  ///< for each end of each interval
  double of_n = 0;    ///< for the bounds of the number of records, in total

  IntervalFailures(const IntervalRequest& request, std::size_t quantiles);
};

/// Approximate deviations, in records: of the noise of one cell's count, and of a selected point's rank error.
double deviation_of_counts(const QuantileQuery& query, const IntervalShares& shares);
double deviation_of_points(const QuantileQuery& query, const IntervalShares& shares);

}  // namespace fractile
