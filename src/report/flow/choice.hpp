// The words and numbers for a chosen epsilon, for text, JSON, CSV and pages.
#pragma once

#include <vector>

#include "fractile/reports.hpp"
#include "report/flow/flow_blocks.hpp"
#include "report/flow/flow_numbers.hpp"

namespace fractile::report_detail {

/// The ends of a range in decimals. The ends of a known range are rounded inwards, by at most 10^-9 unless the range is narrower. The ends
/// of an unknown range are rounded outwards.
struct SafeEnds {
  Pair epsilons;
  Pair odds;
};
SafeEnds safe_ends(const flow::ServedRange& range);

/// The ranges with this answer. A narrow unknown range that only separates two ranges with different answers is not listed.
std::vector<flow::ServedRange> ranges_with(const ChoiceReport& report, flow::ServedRange::Answer answer);

/// "served", "not-served", "undecided".
const char* verdict_of(const ChoiceReport& report);

Blocks blocks_of(const ChoiceReport& report);

}  // namespace fractile::report_detail
