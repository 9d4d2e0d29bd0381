// What an explanation says of counts, shares and means.
#pragma once

#include "fractile/release.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

/// A section; nothing without statistics.
void explain_statistics(Page& page, const Release& release);

}  // namespace fractile::report_detail
