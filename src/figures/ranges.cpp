// Rows of boxes and whiskers.
#include <algorithm>

#include "exact/own_environment.hpp"
#include "figures/frame.hpp"
#include "figures/markup.hpp"
#include "libraries/fmt.hpp"

namespace fractile::figures {

using namespace detail;

namespace {

constexpr double width = 640;
constexpr double row_height = 20;
constexpr double most_label = 200;  // pixels
constexpr double half_box = 6;

/// The whisker with its ends, and the marks.
std::string whisker(const Range& row, const Scale& scale, double y) {
  std::string d = fmt::format("M{}H{}", pair(scale.at(row.least), y), pixels(scale.at(row.most)));
  for (const double mark : row.marks) d += fmt::format("M{}v6", pair(scale.at(mark), y - 3));
  return d;
}

std::string box_of(const Range& row, const Scale& scale, double y) {
  if (!row.box_from || !row.box_to) return {};
  return fmt::format("M{}H{}v{}H{}z", pair(scale.at(*row.box_from), y - half_box), pixels(scale.at(*row.box_to)),
                     pixels(2 * half_box), pixels(scale.at(*row.box_from)));
}

}  // namespace

std::string to_svg(const RangeFigure& figure, ShownIn shown_in) {
  const OwnEnvironment own;
  const std::string remark;
  const Labels labels{figure.name, figure.title, remark, figure.description};
  std::vector<std::string> row_labels;
  for (const Range& row : figure.rows) row_labels.push_back(row.label);
  row_labels = shortened_names(row_labels, most_label, font_size);
  double label_width = 0;
  for (const std::string& label : row_labels) label_width = std::max(label_width, text_width(label) * font_size);
  const double top = heading_height(labels, shown_in, width) + 8;
  const Box box{label_width + 18, width - 24, top, top + row_height * static_cast<double>(figure.rows.size()) + 6};
  const Scale scale(figure.x, box.left, box.right);
  std::string names;
  std::string whiskers;
  std::string boxes;
  std::string middles;
  double y = box.top + row_height / 2 + 3;
  for (std::size_t i = 0; i < figure.rows.size(); ++i) {
    const Range& row = figure.rows[i];
    names += text_element(row_labels[i], {box.left - 8, y + 4, Anchor::end});
    whiskers += whisker(row, scale, y);
    boxes += box_of(row, scale, y);
    if (row.middle) middles += fmt::format("M{}v{}", pair(scale.at(*row.middle), y - half_box), pixels(2 * half_box));
    y += row_height;
  }
  std::string content = x_axis(scale, box) + names + "<g class=\"s0\">" + path_element(whiskers, "e") +
                        path_element(boxes, "bx") + path_element(middles, "e", " stroke-width=\"3\"") + "</g>";
  content += text_element(shortened(figure.x_label, width - 20, font_size),
                          {(box.left + box.right) / 2, box.bottom + 36, Anchor::middle});
  return framed(content, width, box.bottom + 46, labels, shown_in);
}

}  // namespace fractile::figures
