// How wide intervals will be, and from how many records on their ends are settled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/planning.hpp"

namespace fractile {

/// records_that_settle(), of the query of a group as well.
std::optional<std::uint64_t> settled_from(const QuantileQuery& query);

/// `widths`: medians on a reference table of `simulated` rows, of which `rows` are expected; nothing without intervals.
std::optional<PlannedIntervals> planned_intervals(const QuantileQuery& query, std::vector<double> widths,
                                                  std::uint64_t simulated, std::uint64_t rows);

}  // namespace fractile
