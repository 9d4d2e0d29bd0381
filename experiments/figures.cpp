#include "experiments/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace fractile::experiments {
namespace {

/// A figure of gaps, a panel a set.
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
      "mean of {0} samples of {1} records, bounds -100 and 100; bands: 1.96 standard errors; less than {2} is drawn as "
      "{2}. An experiment, not a private release.",
      rows.front().trials, sample_size, least_gap);
}

/// Rows of one budget, up to some m, of sets with or without declared granularity.
std::vector<Row> chosen(const std::vector<Row>& rows, std::string_view budget, std::uint64_t most, bool declared) {
  std::vector<Row> result;
  for (const Row& row : rows) {
    if (row.budget->name == budget && row.quantiles <= most && row.set->declared == declared) result.push_back(row);
  }
  return result;
}

Line& line_of(std::vector<Line>& lines, const StudiedMechanism* mechanism) {
  const auto known = std::ranges::find(lines, mechanism, &Line::mechanism);
  if (known != lines.end()) return *known;
  return lines.emplace_back(Line{mechanism, {}});
}

Panel gap_panel(const std::vector<Row>& rows, const StudiedSet& set) {
  Panel panel{set.title, {}};
  for (const Row& row : rows) {
    if (row.set == &set) line_of(panel.lines, row.mechanism).points.push_back({row.quantiles, row.gap});
  }
  return panel;
}

Figure gap_figure(const GapFigure& spec, const std::vector<Row>& rows) {
  Figure figure{spec.name, spec.title, remark_on(rows), "average gap (records)", spec.logarithmic_x, least_gap, {}};
  for (const StudiedSet& set : studied_sets()) {
    Panel panel = gap_panel(rows, set);
    if (!panel.lines.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

/// The mean over the sets of the median times.
Line time_line(const std::vector<Row>& rows, const StudiedMechanism& mechanism) {
  std::map<std::uint64_t, Average> times;
  for (const Row& row : rows) {
    if (row.mechanism == &mechanism) times[row.quantiles].add(row.microseconds.median / 1000);
  }
  Line line{&mechanism, {}};
  for (const auto& [quantiles, average] : times) line.points.push_back({quantiles, {average.estimate().mean, 0}});
  return line;
}

Figure time_figure(const std::vector<Row>& rows) {
  Panel panel{"", {}};
  for (const StudiedMechanism& mechanism : studied_mechanisms()) {
    Line line = time_line(rows, mechanism);
    if (!line.points.empty()) panel.lines.push_back(std::move(line));
  }
  const std::string remark =
      fmt::format("median of {} samples of {} records, the records already counted; mean over the sets",
                  rows.front().trials, sample_size);
  return {
      "figure_8", "Figure 8: time of a release, epsilon = 1", remark, "time (milliseconds)", true, least_milliseconds,
      {panel}};
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

}  // namespace fractile::experiments
