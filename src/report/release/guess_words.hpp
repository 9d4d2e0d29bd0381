// How often a guess about a person is right, in the words of plans and receipts.
#pragma once

#include <string>
#include <vector>

#include "fractile/reports.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// A percentage of at most four significant digits and two decimals, rounded up: "61.04 %".
std::string percent_up(const Rational& probability);

/// "whether a person's value is above 30000".
std::string guess_in_words(const PlannedGuess& guess);

/// A heading, and one row per attacker that says how often they are right.
std::vector<Row> guess_rows(const PlannedGuess& guess);
/// What the rows are about: a sentence on two lines, without its full stop.
std::string guess_meaning(const PlannedGuess& guess);

}  // namespace fractile::report_detail
