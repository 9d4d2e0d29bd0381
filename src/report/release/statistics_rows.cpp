#include "report/release/statistics_rows.hpp"

#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "report/release/counted_words.hpp"

namespace fractile::report_detail {
namespace {

StatisticRow row_of(std::string statistic, std::string at, const Statistics::Records& records,
                    const std::optional<WeightsDescription>& weights) {
  const auto text = [&](std::uint64_t end) { return counted_amount(weights, static_cast<std::int64_t>(end)); };
  return {std::move(statistic), std::move(at), counted_amount(weights, records.value), text(records.interval.lower),
          text(records.interval.upper)};
}

/// `text` formats a value.
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
  const std::optional<WeightsDescription>& weights = release.source.weights;
  const std::string what = weights ? "weight" : "count";
  std::vector<StatisticRow> rows{row_of(what, "", statistics.count, weights)};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const std::string at = value_text(kind, below[i]);
    rows.push_back(row_of(what + " below", at, statistics.below[i], weights));
    rows.push_back(row_of("share below", at, statistics.shares[i], [](const Rational& r) { return r.to_decimal(); }));
  }
  if (statistics.mean) {
    rows.push_back(row_of("mean", "", *statistics.mean, [&](const Rational& r) { return value_text(kind, r); }));
  }
  return rows;
}

std::string statistics_in_words(const StatisticsRequest& request, ValueKind kind, const SourceDescription& source) {
  const bool have_weights = source.weights.has_value();
  std::string text = have_weights ? "the records' total weight" : "the number of " + counted_noun(source);
  for (std::size_t i = 0; i < request.below.size(); ++i) {
    const std::string value = value_text(kind, request.below[i]);
    if (i == 0) {
      text += fmt::format("{} the {} and shares below {}", request.mean ? "," : ", and",
                          have_weights ? "weights" : "numbers", value);
    } else {
      text += (i + 1 < request.below.size() ? ", " : " and ") + value;
    }
  }
  if (!request.mean) return text;
  return text + (request.below.empty() ? "" : ",") + (have_weights ? " and the weighted mean" : " and the mean");
}

}  // namespace fractile::report_detail
