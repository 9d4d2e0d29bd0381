#include "report/release/statistics_rows.hpp"

#include <fmt/format.h>

#include "fractile/dates.hpp"

namespace fractile::report_detail {
namespace {

StatisticRow row_of(std::string statistic, std::string at, const Statistics::Records& records) {
  return {std::move(statistic), std::move(at), fmt::format("{}", records.value),
          fmt::format("{}", records.interval.lower), fmt::format("{}", records.interval.upper)};
}

/// `text`: how a value is written.
template <class Text>
StatisticRow row_of(std::string statistic, std::string at, const Statistics::Ratio& ratio, Text text) {
  return {std::move(statistic), std::move(at), ratio.value ? text(*ratio.value) : "", text(ratio.lower),
          text(ratio.upper)};
}

}  // namespace

std::vector<StatisticRow> statistic_rows(const Release& release, const Release::Group& group) {
  if (!group.statistics) return {};
  const Statistics& statistics = *group.statistics;
  const ValueKind kind = release.lattice.kind();
  const std::vector<Rational>& below = release.statistics->request.below;
  std::vector<StatisticRow> rows{row_of("count", "", statistics.count)};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const std::string at = value_text(kind, below[i]);
    rows.push_back(row_of("count below", at, statistics.below[i]));
    rows.push_back(row_of("share below", at, statistics.shares[i], [](const Rational& r) { return r.to_decimal(); }));
  }
  if (statistics.mean) {
    rows.push_back(row_of("mean", "", *statistics.mean, [&](const Rational& r) { return value_text(kind, r); }));
  }
  return rows;
}

std::string statistics_in_words(const StatisticsRequest& request, ValueKind kind) {
  std::string text = "the number of records";
  if (!request.below.empty()) {
    std::vector<std::string> values;
    for (const Rational& each : request.below) values.push_back(value_text(kind, each));
    text += fmt::format("{} the numbers and shares below {}", request.mean ? "," : " and", fmt::join(values, ", "));
  }
  return request.mean ? text + " and the mean" : text;
}

}  // namespace fractile::report_detail
