#include "figures/frame.hpp"

#include <algorithm>
#include <vector>

#include "figures/markup.hpp"
#include "libraries/fmt.hpp"

namespace fractile::figures {
namespace {

// Contrasts on white and on #15181c: text 4.5:1 or more, lines 3:1 or more.
constexpr const char* light_rules =
    "svg{color:#1b1b1b}svg text{fill:currentColor;font:12px sans-serif}svg .h{font-size:16px;font-weight:bold}"
    ".bg{fill:#fff}.gr{stroke:#d9d9d9;fill:none}.ax{stroke:#767676;fill:none}.sh{fill:#c01f3a;fill-opacity:.25;stroke:#"
    "c01f3a}"
    ".l,.e{fill:none;stroke:currentColor}.l{stroke-linejoin:round}.b{fill:currentColor;fill-opacity:.16}.bx{fill:#"
    "cfe3f5;"
    "stroke:#0b61a4}.m{fill:currentColor;stroke:none}"
    ".s0{color:#0b61a4}.s1{color:#b45f06}.s2{color:#0b7a4b}.s3{color:#7b3fa0}.s4{color:#c01f3a}.s5{color:#595959}";
constexpr const char* dark_rules =
    "@media(prefers-color-scheme:dark){svg{color:#e8e8e8}.bg{fill:#15181c}.gr{stroke:#3a3f46}.ax{stroke:#8c949e}"
    ".sh{fill:#ff8a9a;fill-opacity:.3;stroke:#ff8a9a}.bx{fill:#1d3b57;stroke:#6db6ff}.s0{color:#6db6ff}.s1{color:#"
    "ffb366}.s2{color:"
    "#5fd3a3}.s3{color:#cf9cf2}.s4{color:#ff8a9a}.s5{color:#c0c0c0}}";

}  // namespace

std::string style() { return std::string(light_rules).append(dark_rules); }

namespace detail {

namespace {

constexpr double title_line = 20;
constexpr double remark_line = 16;

/// As many lines as a text takes.
std::vector<std::string> wrapped(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.empty() && text_width(lines.back() + " " + word) * size <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
    at = end + 1;
  }
  return lines;
}

struct Heading {
  std::vector<std::string> title;
  std::vector<std::string> remark;
};

Heading heading_of(const Labels& labels, double width) {
  constexpr double bold = 1.1;
  constexpr double margin = 8;
  return {wrapped(labels.title, width - 2 * margin, title_size * bold),
          wrapped(labels.remark, width - 2 * margin, font_size)};
}

std::string heading_text(const Labels& labels, double width) {
  const Heading heading = heading_of(labels, width);
  std::string text;
  double y = 2;
  for (const std::string& line : heading.title) {
    y += title_line;
    text += text_element(line, {width / 2, y, Anchor::middle, "h"});
  }
  for (const std::string& line : heading.remark) {
    y += remark_line;
    text += text_element(line, {width / 2, y, Anchor::middle});
  }
  return text;
}

}  // namespace

double heading_height(const Labels& labels, ShownIn shown_in, double width) {
  if (shown_in == ShownIn::page) return 0;
  const Heading heading = heading_of(labels, width);
  return 8 + title_line * static_cast<double>(heading.title.size()) +
         remark_line * static_cast<double>(heading.remark.size());
}

std::string framed(const std::string& content, double width, double height, const Labels& labels, ShownIn shown_in) {
  const bool is_file = shown_in == ShownIn::file;
  const std::string id = escaped(labels.name);
  std::string text = fmt::format(R"(<svg{} viewBox="0 0 {} {}" role="img" aria-labelledby="{}-t {}-d">)",
                                 is_file ? fmt::format(R"( xmlns="http://www.w3.org/2000/svg" width="{}" height="{}")",
                                                       pixels(width), pixels(height))
                                         : "",
                                 pixels(width), pixels(height), id, id);
  text += fmt::format(R"(<title id="{0}-t">{1}</title><desc id="{0}-d">{2}</desc>)", id, escaped(labels.title),
                      escaped(labels.description.empty() ? labels.remark : labels.description));
  if (is_file) {
    text += fmt::format("<style>{}{}</style>", light_rules, labels.dark ? dark_rules : "");
    text += rectangle(0, 0, width, height, "bg") + heading_text(labels, width);
  }
  return text + content + "</svg>" + (is_file ? "\n" : "");
}

double y_numbers_width(const Axis& axis, double height) {
  double widest = 0;
  for (const Tic& tic : tics_of(axis, static_cast<int>(height / 40))) widest = std::max(widest, text_width(tic.text));
  return widest * font_size;
}

std::string x_axis(const Scale& scale, const Box& box) {
  std::string grid;
  std::string numbers;
  double free_from = -1e9;
  for (const Tic& tic : tics_of(scale.axis(), static_cast<int>((box.right - box.left) / 70))) {
    const double x = scale.at(tic.value);
    grid += fmt::format("M{}V{}", pair(x, box.top), pixels(box.bottom + 4));
    const double half = text_width(tic.text) * font_size / 2;
    if (x - half < free_from) continue;
    free_from = x + half + 6;
    numbers += text_element(tic.text, {x, box.bottom + 17, Anchor::middle});
  }
  return path_element(grid, "gr") +
         path_element(fmt::format("M{}H{}", pair(box.left, box.bottom), pixels(box.right)), "ax") + numbers;
}

std::string y_axis(const Scale& scale, const Box& box) {
  std::string grid;
  std::string numbers;
  double free_below = 1e9;
  for (const Tic& tic : tics_of(scale.axis(), static_cast<int>((box.bottom - box.top) / 40))) {
    const double y = scale.at(tic.value);
    grid += fmt::format("M{}H{}", pair(box.left - 4, y), pixels(box.right));
    if (y > free_below) continue;
    free_below = y - font_size - 2;
    numbers += text_element(tic.text, {box.left - 7, y + 4, Anchor::end});
  }
  return path_element(grid, "gr") +
         path_element(fmt::format("M{}V{}", pair(box.left, box.top), pixels(box.bottom)), "ax") + numbers;
}

}  // namespace detail
}  // namespace fractile::figures
