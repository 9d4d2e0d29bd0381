#include "report/release/analyst_words.hpp"

#include <algorithm>

#include "libraries/fmt.hpp"
#include "report/text/decimals.hpp"

namespace fractile::report_detail {
namespace {

constexpr int epsilon_places = 9;
constexpr int loss_places = 6;

/// The analyst's wish: "the value misses its quantile by more than 20 records with probability at most 0.05".
std::string wish_of(const PlannedAnalyst& planned) {
  const ReleaseAnalyst& analyst = planned.analyst;
  if (analyst.loss == ReleaseAnalyst::Loss::missed_records) {
    return fmt::format("{} its quantile by at most {} {} on average",
                       planned.quantiles == 1 ? "the value misses" : "a value misses",
                       analyst.accepted_loss.to_decimal(), analyst.accepted_loss == Rational(1) ? "record" : "records");
  }
  return fmt::format("{} its quantile by more than {} with probability at most {}",
                     planned.quantiles == 1 ? "the value misses" : "some value misses",
                     counted(analyst.tolerance, "record"), analyst.accepted_loss.to_decimal());
}

std::string serves_in_words(const PlannedAnalyst& planned) {
  const ServedEpsilons& served = planned.served;
  const std::string low = served.low.to_decimal();
  const std::string high = served.high.to_decimal();
  if (!served.never_rises) {
    const std::size_t tried = served.tried.size();
    return served.served_from
               ? fmt::format("{} epsilons were tried, and all from {} on serve. The smallest of these serves", tried,
                             report_detail::served_from(served))
               : fmt::format("None of the {} epsilons that were tried, from {} down, is certain to serve", tried, high);
  }
  if (!served.served_from) return fmt::format("No epsilon from {} to {} is certain to serve", low, high);
  const bool is_all = *served.served_from == served.low;
  return is_all ? fmt::format("Every epsilon from {} to {} serves", low, high)
                : fmt::format("The least epsilon that is certain to serve is {}. It serves",
                              report_detail::served_from(served));
}

}  // namespace

std::string served_from(const ServedEpsilons& served) {
  return served.served_from ? rounded_up(*served.served_from, epsilon_places).to_decimal() : "";
}

std::string not_served_to(const ServedEpsilons& served) {
  return served.not_served_to ? rounded_down(*served.not_served_to, epsilon_places).to_decimal() : "";
}

std::string lower_loss(const LossBounds& loss) { return rounded_down(loss.lower, loss_places).to_decimal(); }

std::string upper_loss(const LossBounds& loss) { return rounded_up(loss.upper, loss_places).to_decimal(); }

const char* to_string(AnalystTrial::Answer answer) {
  switch (answer) {
    case AnalystTrial::Answer::served:
      return "served";
    case AnalystTrial::Answer::not_served:
      return "not-served";
    case AnalystTrial::Answer::unknown:
      break;
  }
  return "unknown";
}

std::string analyst_meaning(const PlannedAnalyst& planned) {
  return fmt::format("{} the analyst of {}:\n{},\namong {} whose values are spread as in {}", serves_in_words(planned),
                     planned.name, wish_of(planned), counted(planned.rows, "record"), planned.reference);
}

std::vector<Row> analyst_rows(const PlannedAnalyst& planned) {
  const ServedEpsilons& served = planned.served;
  const Rational& least = served.never_rises ? served.low : served.tried.front().epsilon;
  std::vector<Row> rows{{"epsilon", "to", "the analyst"}};
  if (served.not_served_to) rows.push_back({least.to_decimal(), not_served_to(served), "is not served"});
  if (served.served_from) rows.push_back({served_from(served), served.high.to_decimal(), "is served"});
  return rows;
}

std::vector<Row> trial_rows(const PlannedAnalyst& planned) {
  const bool is_mean = planned.analyst.loss == ReleaseAnalyst::Loss::missed_records;
  std::vector<Row> rows{
      {"epsilon", is_mean ? "records missed, at least" : "probability, at least", "at most", "the analyst"}};
  for (const AnalystTrial& trial : planned.served.tried) {
    std::string answer = to_string(trial.answer);
    std::ranges::replace(answer, '-', ' ');
    rows.push_back({trial.epsilon.to_decimal(), trial.loss ? lower_loss(*trial.loss) : "",
                    trial.loss ? upper_loss(*trial.loss) : "",
                    trial.answer == AnalystTrial::Answer::unknown ? "not known" : "is " + answer});
  }
  return rows;
}

bool has_trial_figure(const PlannedAnalyst& planned) {
  return std::ranges::count_if(planned.served.tried, [](const AnalystTrial& trial) { return trial.loss.has_value(); }) >
         1;
}

figures::Figure trial_figure(const PlannedAnalyst& planned) {
  const bool is_mean = planned.analyst.loss == ReleaseAnalyst::Loss::missed_records;
  constexpr double least_drawn = 0.01;  // records: smaller losses are drawn here, on a logarithmic axis
  const auto drawn = [&](double loss) { return is_mean ? std::max(loss, least_drawn) : loss; };
  figures::Line line{is_mean ? "records missed on average" : "probability", "", 1, 2, 1};
  for (const AnalystTrial& trial : planned.served.tried) {
    if (!trial.loss) continue;
    const double loss = drawn(trial.loss->upper.to_double());
    line.points.push_back({trial.epsilon.to_double(), loss, loss, loss});
  }
  const double first = line.points.front().x;
  const double last = line.points.back().x;
  const double borne = drawn(planned.analyst.accepted_loss.to_double());
  figures::Line most{"borne", "", 4, 2, 0, {{first, borne, borne, borne}, {last, borne, borne, borne}}};
  double least = borne;
  double largest = borne;
  for (const figures::Point& point : line.points) {
    least = std::min(least, point.y);
    largest = std::max(largest, point.y);
  }
  const figures::Axis x{true, first / 1.05, last * 1.05};
  const figures::Axis y =
      is_mean ? figures::Axis{true, least / 1.5, largest * 1.5} : figures::Axis{false, 0, std::min(1.0, 1.1 * largest)};
  const std::size_t points = line.points.size();
  return {"tried",
          "The analyst's loss against epsilon",
          is_mean && least <= least_drawn ? "losses below a hundredth of a record are drawn at a hundredth" : "",
          "epsilon",
          is_mean ? "records (logarithmic)" : "probability",
          {{"", x, y, {std::move(line), std::move(most)}}},
          fmt::format("{} epsilons; the table has them.", points)};
}

}  // namespace fractile::report_detail
