#include "report/release/analyst_words.hpp"

#include <fmt/core.h>

namespace fractile::report_detail {
namespace {

Rational printed_unit() { return Rational(10).pow(9); }

}  // namespace

std::string served_from(const ServedEpsilons& served) {
  return served.served_from ? ((*served.served_from * printed_unit()).ceil() / printed_unit()).to_decimal() : "";
}

std::string not_served_to(const ServedEpsilons& served) {
  return served.not_served_to ? ((*served.not_served_to * printed_unit()).floor() / printed_unit()).to_decimal() : "";
}

std::string wish_of(const ReleaseAnalyst& analyst) {
  if (analyst.loss == ReleaseAnalyst::Loss::missed_records) {
    return fmt::format("the value misses its quantile by at most {} records in the mean", analyst.most.to_decimal());
  }
  return fmt::format("the value misses its quantile by more than {} records with probability at most {}", analyst.than,
                     analyst.most.to_decimal());
}

std::string analyst_meaning(const PlannedAnalyst& planned) {
  const ServedEpsilons& served = planned.served;
  const std::string low = served.low.to_decimal();
  const std::string high = served.high.to_decimal();
  const std::string among =
      fmt::format(",\namong {} records whose values are spread as in {}", planned.rows, planned.reference);
  if (!served.served_from) {
    return fmt::format("No epsilon from {} to {} is certain to serve the analyst of {}:\n{}", low, high, planned.name,
                       wish_of(planned.analyst)) +
           among;
  }
  const bool is_all = *served.served_from == served.low;
  return fmt::format(
             "{} the analyst of {}:\n{}",
             is_all ? fmt::format("Every epsilon from {} to {} serves", low, high)
                    : fmt::format("The least epsilon that is certain to serve is {}. It serves", served_from(served)),
             planned.name, wish_of(planned.analyst)) +
         among;
}

std::vector<Row> analyst_rows(const PlannedAnalyst& planned) {
  const ServedEpsilons& served = planned.served;
  const std::string low = served.low.to_decimal();
  const std::string high = served.high.to_decimal();
  std::vector<Row> rows{{"epsilon", "to", "the analyst"}};
  if (served.not_served_to) rows.push_back({low, not_served_to(served), "is not served"});
  if (served.served_from) rows.push_back({served_from(served), high, "is served"});
  return rows;
}

}  // namespace fractile::report_detail
