// Which epsilons serve an analyst of a release, in words and as a figure.
#pragma once

#include <string>
#include <vector>

#include "figures/figures.hpp"
#include "fractile/reports.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// An end of a range in decimals, rounded into the range by at most 10^-9.
std::string served_from(const ServedEpsilons& served);
std::string not_served_to(const ServedEpsilons& served);

/// A certified bound of a loss or of a probability, in a few digits. The lower bound is rounded down and the upper bound up.
std::string lower_loss(const LossBounds& loss);
std::string upper_loss(const LossBounds& loss);
/// "served", "not-served" or "unknown".
const char* to_string(AnalystTrial::Answer answer);

/// A sentence without its full stop: which epsilons serve, and from where on.
std::string analyst_meaning(const PlannedAnalyst& planned);
/// A heading, and one row per range.
std::vector<Row> analyst_rows(const PlannedAnalyst& planned);

/// A heading, and one row for each epsilon that was tried.
std::vector<Row> trial_rows(const PlannedAnalyst& planned);
/// The losses that were tried against epsilon, and the accepted loss. At least two losses must be known.
figures::Figure trial_figure(const PlannedAnalyst& planned);
/// Whether at least two losses are known.
bool has_trial_figure(const PlannedAnalyst& planned);

}  // namespace fractile::report_detail
