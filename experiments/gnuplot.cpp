#include "experiments/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace fractile::experiments {
namespace {

// --- Data -------------------------------------------------------------------------------------------------------------

std::string block_name(std::size_t panel, std::size_t line) { return fmt::format("$panel{}_line{}", panel, line); }

std::string data_text(const Figure& figure) {
  std::string text = "# x, y, lower and upper end of the band\n";
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::vector<Line>& lines = figure.panels[p].lines;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      text += fmt::format("{} << END\n", block_name(p, l));
      for (const Point& point : lines[l].points) {
        text += fmt::format("{:.10g} {:.10g} {:.10g} {:.10g}\n", point.x, point.y, point.least, point.most);
      }
      text += "END\n";
    }
  }
  return text;
}

// --- Style ------------------------------------------------------------------------------------------------------------

/// A line of every title, in order.
std::vector<const Line*> titled_lines(const Figure& figure) {
  std::vector<const Line*> lines;
  for (const Panel& panel : figure.panels) {
    for (const Line& line : panel.lines) {
      if (std::ranges::find(lines, line.title, &Line::title) == lines.end()) lines.push_back(&line);
    }
  }
  return lines;
}

std::string look_of(const Line& line) {
  const std::string look =
      fmt::format("linecolor rgb \"{}\" dashtype {} linewidth {}", line.colour, line.dash, line.width);
  if (line.mark == 0) return "with lines " + look;
  return fmt::format("with linespoints {} pointtype {} pointsize 0.7", look, line.mark);
}

bool has_band(const Line& line) {
  return std::ranges::any_of(line.points, [](const Point& point) { return point.least < point.most; });
}

// --- Where things stand, in parts of the page -------------------------------------------------------------------------

struct Box {
  double left, right, bottom, top;
};

constexpr Box page{0.055, 0.985, 0.165, 0.895};
constexpr Box key_box{0.03, 0.985, 0.005, 0.085};
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

/// Where there is room, there is more of it for the numbers at an axis.
double column_gap(const Grid& grid) { return grid.columns < 3 ? 0.06 : 0.042; }

Box box_of(std::size_t panel, const Grid& grid) {
  const auto part = [](std::size_t count) { return static_cast<double>(count); };
  const double width = (page.right - page.left + column_gap(grid)) / part(grid.columns);
  const double height = (page.top - page.bottom + row_gap) / part(grid.rows);
  const double left = page.left + part(panel % grid.columns) * width;
  const double top = page.top - part(panel / grid.columns) * height;
  return {left, left + width - column_gap(grid), top - height + row_gap, top};
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
    if (!has_band(panel.lines[l])) continue;
    plots.push_back(
        fmt::format("{} using 1:3:4 with filledcurves linecolor rgb \"{}\" fillstyle transparent solid 0.15 "
                    "noborder notitle",
                    block_name(number, l), panel.lines[l].colour));
  }
  for (std::size_t l = 0; l < panel.lines.size(); ++l) {
    plots.push_back(fmt::format("{} using 1:2 {} notitle", block_name(number, l), look_of(panel.lines[l])));
  }
  return joined_plots(plots);
}

std::string tics_text(const std::vector<double>& tics) {
  if (tics.empty()) return "autofreq";
  std::string text;
  for (const double tic : tics) text += fmt::format("{}{:.10g}", text.empty() ? "" : ", ", tic);
  return "(" + text + ")";
}

/// `name`: "x", "y".
std::string axis_text(const std::string& name, const Axis& axis) {
  return fmt::format("{0} logscale {1}\nset {1}range [{2:.10g}:{3:.10g}]\nset {1}tics {4}\n",
                     axis.logarithmic ? "set" : "unset", name, axis.least, axis.most, tics_text(axis.tics));
}

std::string panel_text(const Figure& figure, std::size_t number, const Grid& grid) {
  const bool leftmost = number % grid.columns == 0;
  const bool lowest = number + grid.columns >= figure.panels.size();
  const Panel& panel = figure.panels[number];
  std::string text = margins(box_of(number, grid)) + axis_text("x", panel.x) + axis_text("y", panel.y);
  text += fmt::format("set title \"{}\" font \",14\" offset 0,-0.6\n", panel.title);
  text += fmt::format("set ylabel \"{}\" offset 0.5,0\n", leftmost ? figure.y_label : "");
  text += fmt::format("set xlabel \"{}\" offset 0,0.4\n", lowest ? figure.x_label : "");
  return text + plot_text(panel, number);
}

// --- The page ---------------------------------------------------------------------------------------------------------

constexpr const char* axes_text =
    "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb \"#d8d8d8\"\nset border 3\nset tics nomirror\n"
    "set format \"%.10g\"\nunset key\n";

std::string heading_text(const Figure& figure) {
  return fmt::format(
      "set label 1 \"{}\" at screen 0.5,0.972 center font \",19\"\nset label 2 \"{}\" at screen 0.5,0.942 center font "
      "\",12\" textcolor rgb \"#555555\"\n",
      figure.title, figure.remark);
}

/// A panel without axes that holds nothing but the key.
std::string key_text(const Figure& figure) {
  std::vector<std::string> plots;
  for (const Line* const line : titled_lines(figure)) {
    plots.push_back(fmt::format("NaN {} title \"{}\"", look_of(*line), line->title));
  }
  return "unset label\nunset title\nunset xlabel\nunset ylabel\nunset logscale\nunset border\nunset tics\nunset grid\n"
         "set xrange [0:1]\nset yrange [0:1]\n"
         "set key center center horizontal maxcols 5 samplen 4 width -2 Left reverse font \",13\"\n" +
         margins(key_box) + joined_plots(plots);
}

std::string page_text(const Figure& figure) {
  const Grid grid = grid_for(figure.panels.size());
  std::string text = std::string("set multiplot\n") + axes_text + heading_text(figure);
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
  return fmt::format("{0}set output \"{2}.png\"\n{3}\n{1}set output \"{2}.svg\"\n{3}", png, svg, figure.name,
                     page_of_it);
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
