// The words and numbers for a chosen epsilon, for text, JSON, CSV and pages.
#pragma once

#include <string>
#include <vector>

#include "fractile/reports.hpp"
#include "report/flow/flow_blocks.hpp"
#include "report/flow/flow_numbers.hpp"

namespace fractile::report_detail {

/// A range in decimals. The ends of a known range lie within it: the lower end is rounded upwards and the upper end downwards, by
/// at most 10^-9 unless the range is narrower. The unknown part lies within them.
struct SafeEnds {
  Pair epsilons;
  Pair odds;
};
SafeEnds safe_ends(const flow::ServedRange& range);

/// Those with this answer. Among unknown ranges, the place where one known range ends and the next begins is not listed.
std::vector<flow::ServedRange> ranges_with(const ChoiceReport& report, flow::ServedRange::Answer answer);

/// "served", "not-served", "undecided".
const char* verdict_of(const ChoiceReport& report);

Blocks blocks_of(const ChoiceReport& report);

}  // namespace fractile::report_detail
