// An axis of dates and times, with tics that follow calendars and clocks.
#pragma once

#include "figures/figures.hpp"
#include "fractile/ranks.hpp"

namespace fractile::report_detail {

/// An axis from `least` to `most` in ticks, with a little room on both sides.
figures::Axis time_axis(ValueKind kind, double least, double most);

}  // namespace fractile::report_detail
