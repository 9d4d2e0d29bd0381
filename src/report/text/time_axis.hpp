// An axis of dates and times: its tics stand where calendars and clocks have them.
#pragma once

#include "figures/figures.hpp"
#include "fractile/ranks.hpp"

namespace fractile::report_detail {

/// From `least` to `most` in ticks, with a little room on both sides.
figures::Axis time_axis(ValueKind kind, double least, double most);

}  // namespace fractile::report_detail
