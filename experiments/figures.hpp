// What a figure shows, not how it is drawn: panels of lines over axes.
#pragma once

#include <string>
#include <vector>

namespace fractile::experiments {

/// A point of a line, and of the band around it.
struct Point {
  double x;
  double y;
  double least;  ///< the band's ends; y when there is none
  double most;
};

struct Line {
  std::string title;   ///< in the key, which tells every title once: lines of one title look alike
  std::string colour;  ///< "#rrggbb"
  int dash = 1;        ///< gnuplot's dashtype; 1 is a full line
  double width = 2;
  int mark = 0;  ///< gnuplot's pointtype at every point; 0: none
  std::vector<Point> points = {};
};

struct Axis {
  bool logarithmic = false;
  double least = 0;
  double most = 1;
  std::vector<double> tics = {};  ///< none: the drawing program's choice
};

struct Panel {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Line> lines;
};

struct Figure {
  std::string name;  ///< of its files: "figure_4"
  std::string title;
  std::string remark;  ///< under the title
  std::string x_label;
  std::string y_label;
  std::vector<Panel> panels;
};

}  // namespace fractile::experiments
