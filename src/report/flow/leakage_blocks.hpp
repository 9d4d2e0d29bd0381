// How often a guess is right, as part of another report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/reports.hpp"
#include "report/flow/flow_blocks.hpp"
#include "report/text/json_writer.hpp"

namespace fractile::report_detail {

/// Whether a guess was asked for, and there is an epsilon that serves.
inline bool has_answers(const std::optional<LeakageReport>& report) { return report && !report->answers.empty(); }

/// What is guessed, and one row per epsilon.
Blocks blocks_of(const LeakageReport& report);
/// Writes the members of to_json()'s object.
void write_members(Writer& json, const LeakageReport& report);
/// For each answer: epsilon as a decimal, and how often the guess is right before the release, after it, and at most under the promise. The
/// numbers have the digits of a sweep.
std::vector<std::vector<std::string>> guess_cells(const LeakageReport& report);

}  // namespace fractile::report_detail
