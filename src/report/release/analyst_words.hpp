// Which epsilons serve an analyst of a release, in words.
#pragma once

#include <string>
#include <vector>

#include "fractile/plan_report.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// An end of a range in decimals, rounded into the range by 10^-9 at most.
std::string served_from(const ServedEpsilons& served);
std::string not_served_to(const ServedEpsilons& served);

/// "misses by at most 20 records in the mean".
std::string wish_of(const ReleaseAnalyst& analyst);
/// A sentence without its end: what serves, and from where on.
std::string analyst_meaning(const PlannedAnalyst& planned);
/// A heading, and a row a range.
std::vector<Row> analyst_rows(const PlannedAnalyst& planned);

}  // namespace fractile::report_detail
