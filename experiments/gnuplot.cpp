#include "experiments/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fractile::experiments {
namespace {

constexpr double deviations = 1.96;  // of a normal law, for 95 %

// --- Data -------------------------------------------------------------------------------------------------------------

std::string block_name(std::size_t panel, std::size_t line) { return fmt::format("$panel{}_line{}", panel, line); }

std::string point_text(const Line::Point& point, double least) {
  const double reach = deviations * point.estimate.standard_error;
  const auto shown = [&](double value) { return std::max(value, least); };
  return fmt::format("{} {:.6g} {:.6g} {:.6g}\n", point.quantiles, shown(point.estimate.mean),
                     shown(point.estimate.mean - reach), shown(point.estimate.mean + reach));
}

std::string data_text(const Figure& figure) {
  std::string text = "# quantiles, mean, lower and upper end of the band\n";
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::vector<Line>& lines = figure.panels[p].lines;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      text += fmt::format("{} << END\n", block_name(p, l));
      for (const Line::Point& point : lines[l].points) text += point_text(point, figure.least_y);
      text += "END\n";
    }
  }
  return text;
}

// --- Style ------------------------------------------------------------------------------------------------------------

std::size_t style_of(const StudiedMechanism& mechanism) {
  return static_cast<std::size_t>(&mechanism - studied_mechanisms().data()) + 1;
}

std::string styles_text() {
  std::string text;
  for (const StudiedMechanism& mechanism : studied_mechanisms()) {
    const std::size_t style = style_of(mechanism);
    text +=
        fmt::format("set style line {0} linecolor rgb \"{1}\" dashtype {2} linewidth 2 pointtype {3} pointsize 0.7\n",
                    style, mechanism.colour, mechanism.dash, 3 + style);
  }
  return text;
}

// --- Where things stand, in parts of the page -------------------------------------------------------------------------

struct Box {
  double left, right, bottom, top;
};

constexpr Box page{0.055, 0.985, 0.165, 0.895};
constexpr Box key_box{0.03, 0.985, 0.005, 0.085};
constexpr double column_gap = 0.042;
constexpr double row_gap = 0.075;

struct Grid {
  std::size_t columns;
  std::size_t rows;
};

Grid grid_for(std::size_t panels) {
  if (panels <= 3) return {panels, 1};
  const std::size_t columns = panels == 4 ? 2 : 3;
  return {columns, (panels + columns - 1) / columns};
}

Box box_of(std::size_t panel, const Grid& grid) {
  const auto part = [](std::size_t count) { return static_cast<double>(count); };
  const double width = (page.right - page.left + column_gap) / part(grid.columns);
  const double height = (page.top - page.bottom + row_gap) / part(grid.rows);
  const double left = page.left + part(panel % grid.columns) * width;
  const double top = page.top - part(panel / grid.columns) * height;
  return {left, left + width - column_gap, top - height + row_gap, top};
}

std::string margins(const Box& box) {
  return fmt::format(
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset bmargin at screen {:.4f}\nset tmargin at screen "
      "{:.4f}\n",
      box.left, box.right, box.bottom, box.top);
}

// --- Panels -----------------------------------------------------------------------------------------------------------

std::string joined_plots(const std::vector<std::string>& plots) {
  std::string text = "plot ";
  for (std::size_t i = 0; i < plots.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", \\\n  ", plots[i]);
  return text + "\n";
}

/// Bands under lines.
std::string plot_text(const Panel& panel, std::size_t number) {
  std::vector<std::string> plots;
  for (std::size_t l = 0; l < panel.lines.size(); ++l) {
    plots.push_back(
        fmt::format("{} using 1:3:4 with filledcurves linecolor rgb \"{}\" fillstyle transparent solid 0.15 "
                    "noborder notitle",
                    block_name(number, l), panel.lines[l].mechanism->colour));
  }
  for (std::size_t l = 0; l < panel.lines.size(); ++l) {
    plots.push_back(fmt::format("{} using 1:2 with linespoints linestyle {} notitle", block_name(number, l),
                                style_of(*panel.lines[l].mechanism)));
  }
  return joined_plots(plots);
}

struct Range {
  double least;
  double most;
};

/// Of the means, with room for the bands at which they are not too wide.
Range y_range(const Figure& figure, const Panel& panel) {
  Range range{1e300, 0};
  for (const Line& line : panel.lines) {
    for (const Line::Point& point : line.points) {
      range.least = std::min(range.least, std::max(point.estimate.mean, figure.least_y));
      range.most = std::max(range.most, point.estimate.mean + deviations * point.estimate.standard_error);
    }
  }
  return {range.least / 1.6, std::max(range.most, range.least) * 1.2};
}

Range x_range(const Figure& figure, const Panel& panel) {
  Range range{1e300, 0};
  for (const Line& line : panel.lines) {
    for (const Line::Point& point : line.points) {
      range.least = std::min(range.least, static_cast<double>(point.quantiles));
      range.most = std::max(range.most, static_cast<double>(point.quantiles));
    }
  }
  return figure.logarithmic_x ? Range{range.least / 1.06, range.most * 1.06} : Range{0, range.most + 1};
}

/// 1, 2 and 5 in every decade that the range touches; over many decades, 1 alone.
std::string y_tics_text(const Range& range) {
  const std::vector<int> digits = range.most / range.least < 200 ? std::vector{1, 2, 5} : std::vector{1};
  std::string text;
  for (int exponent = -4; exponent < 9; ++exponent) {
    for (const int digit : digits)
      text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", digit * std::pow(10, exponent));
  }
  return fmt::format("set ytics ({})\n", text);
}

std::string ranges_text(const Figure& figure, const Panel& panel) {
  const Range x = x_range(figure, panel);
  const Range y = y_range(figure, panel);
  return fmt::format("set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n{}", x.least, x.most, y.least, y.most,
                     y_tics_text(y));
}

std::string panel_text(const Figure& figure, std::size_t number, const Grid& grid) {
  const bool leftmost = number % grid.columns == 0;
  const bool lowest = number + grid.columns >= figure.panels.size();
  std::string text = margins(box_of(number, grid)) + ranges_text(figure, figure.panels[number]);
  text += fmt::format("set title \"{}\" font \",14\" offset 0,-0.6\n", figure.panels[number].title);
  text += fmt::format("set ylabel \"{}\" offset 0.5,0\n", leftmost ? figure.y_label : "");
  text += fmt::format("set xlabel \"{}\" offset 0,0.4\n", lowest ? "number of quantiles m" : "");
  return text + plot_text(figure.panels[number], number);
}

// --- The page ---------------------------------------------------------------------------------------------------------

std::string axes_text(const Figure& figure) {
  std::string text =
      "set logscale y\nset grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb \"#d8d8d8\"\nset border 3\nset tics "
      "nomirror\n";
  text += "unset key\n";
  if (!figure.logarithmic_x) return text + "set xtics (1, 5, 10, 15, 20, 25, 30, 35)\n";
  return text + "set logscale x\nset xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)\n";
}

std::string heading_text(const Figure& figure) {
  return fmt::format(
      "set label 1 \"{}\" at screen 0.5,0.972 center font \",19\"\nset label 2 \"{}\" at screen 0.5,0.942 center font "
      "\",12\" textcolor rgb \"#555555\"\n",
      figure.title, figure.remark);
}

bool is_shown(const Figure& figure, const StudiedMechanism& mechanism) {
  return std::ranges::any_of(figure.panels, [&](const Panel& panel) {
    return std::ranges::find(panel.lines, &mechanism, &Line::mechanism) != panel.lines.end();
  });
}

/// A panel without axes that holds nothing but the key.
std::string key_text(const Figure& figure) {
  std::vector<std::string> plots;
  for (const StudiedMechanism& mechanism : studied_mechanisms()) {
    if (!is_shown(figure, mechanism)) continue;
    plots.push_back(
        fmt::format("NaN with linespoints linestyle {} title \"{}\"", style_of(mechanism), mechanism.title));
  }
  return "unset label\nunset title\nunset xlabel\nunset ylabel\nunset logscale\nunset border\nunset tics\nunset grid\n"
         "set xrange [0:1]\nset yrange [0:1]\n"
         "set key center center horizontal maxcols 5 samplen 4 width -2 Left reverse font \",13\"\n" +
         margins(key_box) + joined_plots(plots);
}

std::string page_text(const Figure& figure) {
  const Grid grid = grid_for(figure.panels.size());
  std::string text = "set multiplot\n" + axes_text(figure) + heading_text(figure);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    text += panel_text(figure, p, grid);
    if (p == 0) text += "unset label 1\nunset label 2\n";
  }
  return text + key_text(figure) + "unset multiplot\nunset output\nreset\n";
}

/// Font sizes are in points, of which the two terminals do not make equally many pixels.
std::string terminals_text(const Figure& figure, const std::string& page_of_it) {
  const std::string png =
      "if (strstrt(GPVAL_TERMINALS, \"pngcairo\") > 0) { set terminal pngcairo size 1600,1000 font \"sans,12\" } else "
      "{ "
      "set terminal png size 1600,1000 }\n";
  const std::string svg = "set terminal svg size 1600,1000 font \"sans-serif,13\" background rgb \"white\"\n";
  return fmt::format("{0}set output \"{2}.png\"\n{4}{3}\n{1}set output \"{2}.svg\"\n{4}{3}", png, svg, figure.name,
                     page_of_it, styles_text());
}

// --- The process ------------------------------------------------------------------------------------------------------

/// Runs in `folder`, mute. posix_spawn's answer, and the process in `process`.
int spawn(const std::string& folder, const std::string& script, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  std::string program = "gnuplot";
  std::string argument = script;
  const std::array arguments{program.data(), argument.data(), static_cast<char*>(nullptr)};
  const int answer = posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return answer;
}

}  // namespace

std::string gnuplot_script(const Figure& figure) {
  return fmt::format("# Draws {0}.png and {0}.svg: gnuplot {0}.gp\n{1}\n{2}", figure.name, data_text(figure),
                     terminals_text(figure, page_text(figure)));
}

Drawn draw(const std::string& folder, const std::string& script) {
  pid_t process = 0;
  const int answer = spawn(folder, script, process);
  if (answer == ENOENT) return Drawn::no_gnuplot;
  if (answer != 0) return Drawn::failed;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Drawn::yes : Drawn::failed;
}

}  // namespace fractile::experiments
