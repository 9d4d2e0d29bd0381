#include "experiments/quantile_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "libraries/fmt.hpp"

namespace fractile::experiments::approximate_quantiles {
namespace {

/// A figure of gaps, one panel per set.
struct GapFigure {
  const char* name;
  const char* title;
  const char* budget;
  std::uint64_t most_quantiles;
  bool logarithmic_x;
  bool declared;
};

constexpr std::uint64_t all = ~std::uint64_t{0};

constexpr std::array gap_figures{
    GapFigure{"figure_4", "Figure 4: average gap, epsilon = 1", "pure", all, true, false},
    GapFigure{"figure_4_declared", "Figure 4, granularity declared: average gap, epsilon = 1", "pure", all, true, true},
    GapFigure{"figure_5", "Figure 5: average gap of up to 35 quantiles, epsilon = 1", "pure", 35, false, false},
    GapFigure{"figure_6", "Figure 6: average gap, rho = 1/2 (zero-concentrated)", "zcdp", all, true, false},
    GapFigure{"figure_6_declared", "Figure 6, granularity declared: average gap, rho = 1/2 (zero-concentrated)", "zcdp",
              all, true, true},
    GapFigure{"figure_7", "Figure 7: average gap of up to 35 quantiles, rho = 1/2 (zero-concentrated)", "zcdp", 35,
              false, false},
};

constexpr double least_gap = 0.05;
constexpr double least_milliseconds = 1e-4;

std::string remark_on(const std::vector<Row>& rows) {
  return fmt::format(
      "Each point is the mean over {0} samples of {1} records, with bounds -100 and 100. Bands: 1.96 standard errors. "
      "Means below {2} are drawn at {2}. An experiment, not a private release.",
      rows.front().trials, sample_size, least_gap);
}

/// The rows of one budget, up to some m, for sets with or without a declared granularity.
std::vector<Row> chosen(const std::vector<Row>& rows, std::string_view budget, std::uint64_t most, bool declared) {
  std::vector<Row> result;
  for (const Row& row : rows) {
    if (row.budget->name == budget && row.quantiles <= most && row.set->declared == declared) result.push_back(row);
  }
  return result;
}

// --- Lines ------------------------------------------------------------------------------------------------------------

constexpr double deviations = 1.96;  // standard deviations of a normal law, for 95 %

/// Means and bands below `least` are drawn at `least`.
Point point_of(std::uint64_t quantiles, const Estimate& estimate, double least) {
  const double reach = deviations * estimate.standard_error;
  const auto shown = [&](double value) { return std::max(value, least); };
  return {static_cast<double>(quantiles), shown(estimate.mean), shown(estimate.mean - reach),
          shown(estimate.mean + reach)};
}

Line empty_line(const StudiedMechanism& mechanism) {
  const auto number = static_cast<int>(&mechanism - studied_mechanisms().data());
  return {mechanism.title, mechanism.colour, mechanism.dash, 2, 4 + number};
}

Line& line_of(std::vector<Line>& lines, const StudiedMechanism& mechanism) {
  const auto known = std::ranges::find(lines, mechanism.title, &Line::title);
  return known != lines.end() ? *known : lines.emplace_back(empty_line(mechanism));
}

// --- Axes -------------------------------------------------------------------------------------------------------------

const std::vector<double> few_tics{1, 5, 10, 15, 20, 25, 30, 35};
const std::vector<double> many_tics{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

Axis x_axis(const std::vector<Line>& lines, bool logarithmic) {
  double least = 1e300;
  double most = 0;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  if (logarithmic) return {true, least / 1.06, most * 1.06, many_tics};
  return {false, 0, most + 1, few_tics};
}

/// Tics at 1, 2 and 5 in every decade; over many decades, only at 1.
std::vector<double> decade_tics(double ratio) {
  const std::vector<int> digits = ratio < 200 ? std::vector{1, 2, 5} : std::vector{1};
  std::vector<double> tics;
  for (int exponent = -4; exponent < 9; ++exponent) {
    for (const int digit : digits) tics.push_back(digit * std::pow(10, exponent));
  }
  return tics;
}

/// An axis for the means. It has room for the bands where they are not too wide.
Axis y_axis(const std::vector<Line>& lines) {
  double least = 1e300;
  double most = 0;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.most);
    }
  }
  least /= 1.6;
  most *= 1.2;
  return {true, least, most, decade_tics(most / least)};
}

Panel panel_of(std::string title, std::vector<Line> lines, bool logarithmic_x) {
  const Axis x = x_axis(lines, logarithmic_x);
  const Axis y = y_axis(lines);
  return {std::move(title), x, y, std::move(lines)};
}

// --- Figures ----------------------------------------------------------------------------------------------------------

constexpr const char* x_label = "number of quantiles m";

std::vector<Line> gap_lines(const std::vector<Row>& rows, const StudiedSet& set) {
  std::vector<Line> lines;
  for (const Row& row : rows) {
    if (row.set != &set) continue;
    line_of(lines, *row.mechanism).points.push_back(point_of(row.quantiles, row.gap, least_gap));
  }
  return lines;
}

Figure gap_figure(const GapFigure& spec, const std::vector<Row>& rows) {
  Figure figure{spec.name, spec.title, remark_on(rows), x_label, "average gap (records)", {}};
  for (const StudiedSet& set : studied_sets()) {
    std::vector<Line> lines = gap_lines(rows, set);
    if (!lines.empty()) figure.panels.push_back(panel_of(set.title, std::move(lines), spec.logarithmic_x));
  }
  return figure;
}

/// A line of the median times, averaged over the sets.
Line time_line(const std::vector<Row>& rows, const StudiedMechanism& mechanism) {
  std::map<std::uint64_t, Average> times;
  for (const Row& row : rows) {
    if (row.mechanism == &mechanism) times[row.quantiles].add(row.microseconds.median / 1000);
  }
  Line line = empty_line(mechanism);
  for (const auto& [quantiles, average] : times) {
    line.points.push_back(point_of(quantiles, {average.estimate().mean, 0}, least_milliseconds));
  }
  return line;
}

Figure time_figure(const std::vector<Row>& rows) {
  std::vector<Line> lines;
  for (const StudiedMechanism& mechanism : studied_mechanisms()) {
    Line line = time_line(rows, mechanism);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  const std::string remark =
      fmt::format("median of {} samples of {} records, the records already counted; mean over the sets",
                  rows.front().trials, sample_size);
  return {"figure_8",
          "Figure 8: time of a release, epsilon = 1",
          remark,
          x_label,
          "time (milliseconds)",
          {panel_of("", std::move(lines), true)}};
}

}  // namespace

std::vector<Figure> figures_of(const std::vector<Row>& rows) {
  std::vector<Figure> figures;
  for (const GapFigure& spec : gap_figures) {
    const std::vector<Row> shown = chosen(rows, spec.budget, spec.most_quantiles, spec.declared);
    if (!shown.empty()) figures.push_back(gap_figure(spec, shown));
  }
  const std::vector<Row> timed = chosen(rows, "pure", all, false);
  if (!timed.empty()) figures.push_back(time_figure(timed));
  return figures;
}

}  // namespace fractile::experiments::approximate_quantiles
