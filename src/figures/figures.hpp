// Figures as SVG: lines over axes, and ranges by row. Nothing is drawn by chance, a clock or a font of this machine, so that
// equal figures are equal bytes. Texts must be as shown_text (report/text/shown_text.hpp) has them; their markup is escaped here.
// Thread-safety: a figure is a value; threads may share it while none changes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fractile::figures {

/// A point of a line, and of what is drawn around it.
struct Point {
  double x;
  double y;
  double least;  ///< the ends of the band or the bar; y (of sideways bars x) when there is none
  double most;
};

/// A band along a line; or at each point a bar along the y axis, or along the x axis.
enum class Spread { band, upright, sideways };

struct Line {
  std::string title;        ///< in the key, which names every title once: lines of one title look alike
  std::string colour = {};  ///< "#rrggbb", on white; empty: one that is legible on light and dark pages
  int dash = 1;             ///< 1 is a full line; 2 to 8 are dashed
  double width = 2;
  int mark = 0;  ///< a shape at every point, 1 to 8 and then again; 0: none
  std::vector<Point> points = {};
  Spread spread = Spread::band;
  bool joined = true;  ///< whether a line is drawn from point to point
};

struct Axis {
  bool logarithmic = false;
  double least = 0;
  double most = 1;
  std::vector<double> tics = {};        ///< empty: chosen here
  bool percent = false;                 ///< 0.25 is written "25 %"
  std::vector<std::string> words = {};  ///< what is written beside each of `tics`; empty: their numbers
};

/// A range of the x axis over the whole height of a panel.
struct Shade {
  double from;
  double to;
};

struct Panel {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Line> lines;
  std::vector<Shade> shades = {};
};

struct Figure {
  std::string name;  ///< of its file, without an ending: "figure_4"; letters, digits, strokes and underscores
  std::string title;
  std::string remark;  ///< under the title
  std::string x_label;
  std::string y_label;
  std::vector<Panel> panels;
  std::string description = {};  ///< for those who do not see it
  double panel_height = 250;     ///< of the axes, in pixels
};

/// A row of a figure of ranges: a thin line from `least` to `most`, a box, a stroke in the middle, and marks.
struct Range {
  std::string label;
  double least;
  double most;
  std::optional<double> box_from = {};  ///< with box_to
  std::optional<double> box_to = {};
  std::optional<double> middle = {};
  std::vector<double> marks = {};
};

struct RangeFigure {
  std::string name;
  std::string title;
  std::string x_label;
  Axis x;
  std::vector<Range> rows;  ///< from top to bottom
  std::string description = {};
};

/// page: an element for an HTML page whose style includes style(). file: a whole document, with its style and its title drawn.
enum class ShownIn { page, file };

std::string to_svg(const Figure& figure, ShownIn shown_in);
std::string to_svg(const RangeFigure& figure, ShownIn shown_in);

/// The style rules for both, for light and dark pages.
std::string style();

/// Text between tags and in quoted attributes of HTML, SVG and XML: the five characters that mean something there as entities.
std::string escaped(const std::string& text);

/// How wide a line of text is drawn, in parts of the font's size; for sans-serif fonts this errs on the wide side.
double text_width(const std::string& text);

}  // namespace fractile::figures
