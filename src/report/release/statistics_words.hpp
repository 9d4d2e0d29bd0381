// What an explanation says of counts, shares and means.
#pragma once

#include <string>

#include "fractile/release.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

/// A section; nothing without statistics.
void explain_statistics(Page& page, const Release& release);

/// How surely they hold, and what they do not say.
void explain_statistics_terms(Page& page, const StatisticsTerms& terms, const Release& release);

/// A number with its interval beside it; "none" where there is none.
CellTable::Cell statistic_cell(const StatisticRow& row);

/// "records", "share below 12.5".
std::string statistic_in_words(const Page& page, const StatisticRow& row);

}  // namespace fractile::report_detail
