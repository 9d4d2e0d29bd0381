// How wide intervals will be, and from how many records on their ends are settled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/planning.hpp"

namespace fractile {

/// records_that_settle(), also for the query of a group.
std::optional<std::uint64_t> settled_from(const QuantileQuery& query);

/// `widths`: medians on a reference table of `simulated` rows, when `rows` rows are expected. Nothing without intervals.
std::optional<PlannedIntervals> planned_intervals(const QuantileQuery& query, std::vector<double> widths,
                                                  std::uint64_t simulated, std::uint64_t rows);

}  // namespace fractile
