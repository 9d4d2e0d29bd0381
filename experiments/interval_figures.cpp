#include <algorithm>
#include <array>

#include "experiments/interval_coverage.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::interval_coverage {
namespace {

constexpr std::array colours{"#1b6ca8", "#c8102e", "#2e7d32", "#8e44ad", "#b9770e",
                             "#00838f", "#6d4c41", "#455a64", "#ad1457", "#7a8b00"};

Line line_of(const Plan& plan, const IntervalLaw& law) {
  const auto number = static_cast<std::size_t>(std::ranges::find(plan.laws, &law) - plan.laws.begin());
  return {law.title, colours[number % colours.size()], static_cast<int>(number % 4) + 1, 2,
          static_cast<int>(number) + 1};
}

std::string title_of(const Budget& budget) {
  return budget.measure() == Measure::pure ? "epsilon = " + budget.epsilon().to_string()
                                           : "rho = " + budget.rho().to_string();
}

/// The lines of one budget, one per law. `point_of` returns a point, or a point with y = 0 if there is none.
template <class PointOf>
std::vector<Line> lines_of(const Plan& plan, const std::vector<Cell>& cells, const Budget& budget,
                           const PointOf& point_of) {
  std::vector<Line> lines;
  for (const IntervalLaw* const law : plan.laws) {
    Line line = line_of(plan, *law);
    for (const Cell& cell : cells) {
      if (cell.law != law || title_of(cell.budget) != title_of(budget) || cell.of != IntervalSubject::population ||
          cell.quantiles != 3)
        continue;
      const Point point = point_of(cell);
      if (point.y > 0) line.points.push_back(point);
    }
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Axis rows_axis(const Plan& plan) {
  const auto [least, most] = std::ranges::minmax(plan.rows);
  return {true,
          static_cast<double>(least) / 1.3,
          static_cast<double>(most) * 1.3,
          {10, 100, 1000, 10'000, 100'000, 1'000'000}};
}

Point coverage_of(const Cell& cell) {
  const Estimate covered = cell.least_covered();
  const auto rows = static_cast<double>(cell.rows);
  const double reach = 1.96 * covered.standard_error;
  return {rows, covered.mean, covered.mean - reach, std::min(1.0, covered.mean + reach)};
}

Point width_of(const Cell& cell) {
  const double ratio = cell.width_ratio();
  return {static_cast<double>(cell.rows), ratio, ratio, ratio};
}

double least_of(const std::vector<Line>& lines) {
  double least = 1;
  for (const Line& line : lines) {
    for (const Point& point : line.points) least = std::min(least, point.least);
  }
  return least;
}

double most_of(const std::vector<Line>& lines) {
  double most = 1;
  for (const Line& line : lines) {
    for (const Point& point : line.points) most = std::max(most, point.most);
  }
  return most;
}

/// The lines for intervals of the table and this number of quantiles, one per law. Their points are in the order of the number of records
/// between two quantiles.
std::vector<Line> half_widths(const Plan& plan, const std::vector<Cell>& cells, std::uint64_t quantiles) {
  constexpr double least = 0.1;  // smaller half widths are drawn here, on a logarithmic axis
  std::vector<Line> lines;
  for (const IntervalLaw* const law : plan.laws) {
    Line line = line_of(plan, *law);
    for (const Cell& cell : cells) {
      if (cell.law != law || !cell.widths || cell.quantiles != quantiles) continue;
      const double half = std::max(cell.widths->half, least);
      line.points.push_back({cell.widths->between, half, half, half});
    }
    std::ranges::sort(line.points, {}, &Point::x);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Panel half_width_panel(std::uint64_t quantiles, std::vector<Line> lines) {
  double least = 1e300;
  double most = 0;
  for (const Line& line : lines) {
    least = std::min(least, line.points.front().x);
    most = std::max(most, line.points.back().x);
  }
  const std::vector<double> tens{0.01, 0.1, 1, 10, 100, 1000, 10'000, 100'000};
  return {fmt::format("{} quantile{}", quantiles, quantiles == 1 ? "" : "s"), Axis{true, least / 1.3, most * 1.3, tens},
          Axis{true, 0.08, most_of(lines) * 1.3, tens}, std::move(lines)};
}

}  // namespace

std::vector<Figure> figures_of(const Plan& plan, const std::vector<Cell>& cells) {
  const std::string remark =
      fmt::format("quartiles of the population at the level {}, {} tables each. An experiment, not a private release.",
                  plan.level.to_string(), plan.trials);
  Figure coverage{"interval_coverage",
                  "Coverage of the quartile that is held least often",
                  remark + " Bands: 1.96 standard errors.",
                  "records n",
                  "coverage",
                  {}};
  Figure width{"interval_width", "Width of all intervals together, compared with non-private ones",
               remark,           "records n",
               "times as wide",  {}};
  for (const Budget& budget : plan.budgets) {
    std::vector<Line> covered = lines_of(plan, cells, budget, coverage_of);
    const double least = std::min(plan.level.to_double() - 0.01, least_of(covered) - 0.005);
    if (!covered.empty())
      coverage.panels.push_back({title_of(budget), rows_axis(plan), Axis{false, least, 1.002}, std::move(covered)});
    std::vector<Line> widths = lines_of(plan, cells, budget, width_of);
    const double most = most_of(widths) * 1.1;
    if (!widths.empty())
      width.panels.push_back({title_of(budget), rows_axis(plan),
                              Axis{true, 0.95, most, {1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 300, 1000}},
                              std::move(widths)});
  }
  Figure half{
      "interval_half_width",
      "Half widths of intervals of the table",
      fmt::format("medians over all ends at the level {}, {} tables each. An experiment, not a private release.",
                  plan.level.to_string(), plan.trials),
      "records between two quantiles, times epsilon / D",
      "records to an end, times epsilon / D",
      {}};
  for (const std::uint64_t quantiles : plan.quantile_counts) {
    std::vector<Line> lines = half_widths(plan, cells, quantiles);
    if (!lines.empty()) half.panels.push_back(half_width_panel(quantiles, std::move(lines)));
  }
  std::vector<Figure> figures;
  for (Figure* const figure : {&coverage, &width, &half}) {
    if (!figure->panels.empty()) figures.push_back(std::move(*figure));
  }
  return figures;
}

}  // namespace fractile::experiments::interval_coverage
