// Panels of lines over axes.
#include <algorithm>
#include <array>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "figures/frame.hpp"
#include "figures/markup.hpp"
#include "libraries/fmt.hpp"

namespace fractile::figures {

using namespace detail;

namespace {

// --- Looks ------------------------------------------------------------------------------------------------------------

constexpr std::array dashes{"", "7 3", "2 3", "9 3 2 3", "12 4", "5 2 2 2 2 2", "1 5", "14 3 3 3"};
constexpr int colours = 6;

/// A shape around a point, as pieces of a path.
std::string mark_at(double x, double y, int mark) {
  constexpr double r = 3.6;
  switch ((mark - 1) % 8) {
    case 0:  // a disc
      return fmt::format("M{}a{r},{r} 0 1 0 {d},0a{r},{r} 0 1 0 -{d},0z", pair(x - r, y), fmt::arg("r", pixels(r)),
                         fmt::arg("d", pixels(2 * r)));
    case 1:  // a square
      return fmt::format("M{}h6.4v6.4h-6.4z", pair(x - 3.2, y - 3.2));
    case 2:  // a diamond
      return fmt::format("M{}l4.4,4.4l-4.4,4.4l-4.4,-4.4z", pair(x, y - 4.4));
    case 3:  // triangles
      return fmt::format("M{}l4.2,7h-8.4z", pair(x, y - 4.4));
    case 4:
      return fmt::format("M{}l4.2,-7h-8.4z", pair(x, y + 4.4));
    case 5:  // a plus
      return fmt::format("M{}h2v3h3v2h-3v3h-2v-3h-3v-2h3z", pair(x - 1, y - 4));
    case 6:  // an hourglass
      return fmt::format("M{}h7l-7,8h7z", pair(x - 3.5, y - 4));
    default:  // a bar
      return fmt::format("M{}h8v3h-8z", pair(x - 4, y - 1.5));
  }
}

/// A line of every title, in order.
std::vector<const Line*> titled_lines(const Figure& figure) {
  std::vector<const Line*> lines;
  for (const Panel& panel : figure.panels) {
    for (const Line& line : panel.lines) {
      if (!line.title.empty() && std::ranges::find(lines, line.title, &Line::title) == lines.end()) {
        lines.push_back(&line);
      }
    }
  }
  return lines;
}

std::string group_start(const Line& line, const std::vector<const Line*>& titled) {
  if (!line.colour.empty()) return fmt::format("<g color=\"{}\">", escaped(line.colour));
  const auto place = std::ranges::find(titled, line.title, [](const Line* each) { return each->title; });
  const auto number = place == titled.end() ? titled.size() : static_cast<std::size_t>(place - titled.begin());
  return fmt::format("<g class=\"s{}\">", number % colours);
}

std::string stroke_of(const Line& line) {
  const auto at = static_cast<std::size_t>(std::clamp(line.dash, 1, static_cast<int>(dashes.size())) - 1);
  return fmt::format(" stroke-width=\"{}\"{}", pixels(line.width),
                     *dashes.at(at) == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes.at(at)));
}

// --- Lines ------------------------------------------------------------------------------------------------------------

struct Scales {
  Scale x;
  Scale y;
};

/// A path through the points, at this member of each.
std::string curve_of(const Line& line, const Scales& scales, double Point::*height) {
  std::string d;
  for (const Point& point : line.points) {
    d += fmt::format("{}{}", d.empty() ? "M" : "L", pair(scales.x.at(point.x), scales.y.at(point.*height)));
  }
  return d;
}

std::string band_of(const Line& line, const Scales& scales) {
  if (std::ranges::none_of(line.points, [](const Point& p) { return p.least < p.most; })) return {};
  std::string d = curve_of(line, scales, &Point::most);
  std::for_each(line.points.rbegin(), line.points.rend(),
                [&](const Point& point) { d += "L" + pair(scales.x.at(point.x), scales.y.at(point.least)); });
  return d + "z";
}

/// Bars with a short stroke at each end.
std::string bars_of(const Line& line, const Scales& scales) {
  constexpr double half = 4;
  std::string d;
  for (const Point& point : line.points) {
    if (!(point.least < point.most)) continue;
    const double x = scales.x.at(point.x);
    const double y = scales.y.at(point.y);
    if (line.spread == Spread::upright) {
      for (const double end : {point.least, point.most}) {
        d += fmt::format("M{}h{}", pair(x - half, scales.y.at(end)), pixels(2 * half));
      }
      d += fmt::format("M{}V{}", pair(x, scales.y.at(point.least)), pixels(scales.y.at(point.most)));
    } else {
      for (const double end : {point.least, point.most}) {
        d += fmt::format("M{}v{}", pair(scales.x.at(end), y - half), pixels(2 * half));
      }
      d += fmt::format("M{}H{}", pair(scales.x.at(point.least), y), pixels(scales.x.at(point.most)));
    }
  }
  return d;
}

std::string marks_of(const Line& line, const Scales& scales) {
  std::string d;
  if (line.mark == 0) return d;
  for (const Point& point : line.points) {
    if (!scales.x.contains(point.x) || !scales.y.contains(point.y)) continue;
    d += mark_at(scales.x.at(point.x), scales.y.at(point.y), line.mark);
  }
  return d;
}

/// All but the marks, half of which may stand outside the axes.
std::string drawn(const Line& line, const Scales& scales, const std::vector<const Line*>& titled) {
  std::string text = group_start(line, titled);
  if (line.spread == Spread::band) {
    text += path_element(band_of(line, scales), "b");
  } else {
    text += path_element(bars_of(line, scales), "e", " stroke-width=\"1.5\"");
  }
  if (line.joined) text += path_element(curve_of(line, scales, &Point::y), "l", stroke_of(line));
  return text + "</g>";
}

std::string shades_of(const Panel& panel, const Scale& scale, const Box& box) {
  std::string text;
  for (const Shade& shade : panel.shades) {
    const double from = std::clamp(scale.at(shade.from), box.left, box.right);
    const double to = std::clamp(scale.at(shade.to), box.left, box.right);
    constexpr double least = 2;  // so that the narrowest is seen
    const double width = std::max(least, to - from);
    text += rectangle(std::min(from, box.right - least), box.top, width, box.bottom - box.top, "sh");
  }
  return text;
}

/// `id`: of the clip, which keeps lines inside the axes.
std::string panel_text(const Panel& panel, const Box& box, const std::string& id,
                       const std::vector<const Line*>& titled) {
  const Scales scales{Scale(panel.x, box.left, box.right), Scale(panel.y, box.bottom, box.top)};
  std::string text = fmt::format(R"(<clipPath id="{}"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)", id,
                                 pixels(box.left - 1), pixels(box.top - 1), pixels(box.right - box.left + 2),
                                 pixels(box.bottom - box.top + 2));
  text += shades_of(panel, scales.x, box) + x_axis(scales.x, box) + y_axis(scales.y, box);
  text += fmt::format("<g clip-path=\"url(#{})\">", id);
  for (const Line& line : panel.lines) text += drawn(line, scales, titled);
  text += "</g>";
  for (const Line& line : panel.lines) {
    if (line.mark != 0) text += group_start(line, titled) + path_element(marks_of(line, scales), "m") + "</g>";
  }
  return text;
}

// --- Where things stand -----------------------------------------------------------------------------------------------

struct Grid {
  std::size_t columns;
  std::size_t rows;
};

Grid grid_for(std::size_t panels) {
  if (panels <= 3) return {std::max<std::size_t>(panels, 1), 1};
  const std::size_t columns = panels == 4 ? 2 : 3;
  return {columns, (panels + columns - 1) / columns};
}

double panel_width(const Grid& grid) { return grid.columns == 1 ? 640 : grid.columns == 2 ? 430 : 360; }

/// The pieces of a key, in as many lines as they need.
struct Key {
  std::string text;
  double height;
};

Key key_of(const std::vector<const Line*>& titled, double top, double width) {
  if (titled.size() < 2) return {{}, 0};
  constexpr double sample = 34;
  constexpr double line_height = 20;
  constexpr double margin = 12;
  std::vector<std::string> titles = mapped(titled, &Line::title);
  titles = shortened_names(titles, width - sample - 3 * margin, font_size);
  std::string text;
  double x = margin;
  double y = top + 14;
  for (std::size_t i = 0; i < titled.size(); ++i) {
    const Line* const line = titled[i];
    const std::string& title = titles[i];
    const double wide = sample + text_width(title) * font_size + 14;
    if (x > margin && x + wide > width) {
      x = margin;
      y += line_height;
    }
    text += group_start(*line, titled);
    if (line->joined) text += path_element(fmt::format("M{}h28", pair(x, y - 4)), "l", stroke_of(*line));
    if (line->mark != 0) text += path_element(mark_at(x + 14, y - 4, line->mark), "m");
    text += "</g>" + text_element(title, {x + sample, y});
    x += wide;
  }
  return {text, y - top + 8};
}

}  // namespace

std::string to_svg(const Figure& figure, ShownIn shown_in) {
  const OwnEnvironment own;
  const Grid grid = grid_for(figure.panels.size());
  const std::vector<const Line*> titled = titled_lines(figure);
  const bool themed = std::ranges::all_of(titled, [](const Line* line) { return line->colour.empty(); });
  const Labels labels{figure.name, figure.title, figure.remark, figure.description, themed};
  const double width = panel_width(grid) * static_cast<double>(grid.columns);
  const bool with_titles = std::ranges::any_of(figure.panels, [](const Panel& panel) { return !panel.title.empty(); });
  double numbers = 0;
  for (const Panel& panel : figure.panels) numbers = std::max(numbers, y_numbers_width(panel.y, figure.panel_height));
  const double before = 12 + numbers + 6;
  const double title_room = with_titles ? 22 : 10;
  double top = heading_height(labels, shown_in, width) + (figure.y_label.empty() ? 6 : 22);
  std::vector<std::string> titles = mapped(figure.panels, &Panel::title);
  titles = shortened_names(titles, panel_width(grid) - 22 - before, font_size);
  std::string content = text_element(shortened(figure.y_label, width - 20, font_size), {8, top - 6});
  for (std::size_t row = 0, p = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns && p < figure.panels.size(); ++column, ++p) {
      const double left = static_cast<double>(column) * panel_width(grid);
      const Box box{left + before, left + panel_width(grid) - 22, top + title_room,
                    top + title_room + figure.panel_height};
      const Panel& panel = figure.panels[p];
      content += text_element(titles[p], {(box.left + box.right) / 2, top + 12, Anchor::middle});
      content += panel_text(panel, box, fmt::format("{}-c{}", escaped(figure.name), p), titled);
    }
    top += title_room + figure.panel_height + 26;
  }
  content += text_element(shortened(figure.x_label, width - 20, font_size), {width / 2, top + 10, Anchor::middle});
  const Key key = key_of(titled, top + 18, width);
  return framed(content + key.text, width, top + 22 + key.height, labels, shown_in);
}

}  // namespace fractile::figures
