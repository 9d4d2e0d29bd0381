// What an explanation says about counts, shares and means.
#pragma once

#include <string>
#include <vector>

#include "fractile/release.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

/// A section; writes nothing without statistics.
void explain_statistics(Page& page, const Release& release);

/// With which probability the intervals hold, and what the numbers do not say: one text per paragraph.
std::vector<std::string> statistics_terms_in_words(const StatisticsTerms& terms, const Release& release);

/// A number with its interval next to it; "none" if there is no number.
CellTable::Cell statistic_cell(const StatisticRow& row);

/// "records", "share below 12.5".
std::string statistic_in_words(const Page& page, const StatisticRow& row, const SourceDescription& source);

}  // namespace fractile::report_detail
