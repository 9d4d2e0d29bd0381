// Counts, shares and means as rows of a table, and a description of them in words.
#pragma once

#include <string>
#include <vector>

#include "fractile/release.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// The name of the mechanism that draws statistics.
inline constexpr const char* noise_on_counts = "noise on counts";

/// One number of a group's statistics, in the words of tables and CSV files.
struct StatisticRow {
  std::string statistic;  ///< "count", "count below" (with weights "weight", "weight below"), "share below" or "mean"
  std::string at;         ///< the value below which records are counted; empty otherwise
  std::string value;      ///< empty if there is no value
  std::string lower;
  std::string upper;
};

/// The statistics of a group, in the order of a receipt; empty without statistics.
std::vector<StatisticRow> statistic_rows(const Release& release, const Release::Group& group);

/// "the number of records, the numbers and shares below 12.5 and 20, and the mean"; with weights "the records' total weight, ...".
std::string statistics_in_words(const StatisticsRequest& request, ValueKind kind, const SourceDescription& source);

}  // namespace fractile::report_detail
