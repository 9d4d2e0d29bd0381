#include "figures/markup.hpp"

#include <cmath>

#include "libraries/fmt.hpp"

namespace fractile::figures {

std::string escaped(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

namespace detail {

std::string pixels(double value) {
  const auto tenths = static_cast<long long>(std::llround(value * 10));
  const long long whole = tenths / 10;
  const long long rest = tenths < 0 ? -tenths % 10 : tenths % 10;
  const char* const sign = tenths < 0 && whole == 0 ? "-" : "";
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}{}.{}", sign, whole, rest);
}

std::string pair(double x, double y) { return pixels(x) + "," + pixels(y); }

std::string text_element(const std::string& text, const TextPlace& place) {
  if (text.empty()) return {};
  const char* const anchor = place.anchor == Anchor::start    ? ""
                             : place.anchor == Anchor::middle ? R"( text-anchor="middle")"
                                                              : R"( text-anchor="end")";
  const std::string css = *place.css_class == '\0' ? "" : fmt::format(" class=\"{}\"", place.css_class);
  return fmt::format(R"(<text x="{}" y="{}"{}{}>{}</text>)", pixels(place.x), pixels(place.y), anchor, css,
                     escaped(text));
}

std::string path_element(const std::string& d, const std::string& css_class, const std::string& more) {
  if (d.empty()) return {};
  return fmt::format(R"(<path class="{}"{} d="{}"/>)", css_class, more, d);
}

std::string rectangle(double left, double top, double width, double height, const char* css_class) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", css_class, pixels(left), pixels(top),
                     pixels(width), pixels(height));
}

std::string shortened(const std::string& text, double width, double size) {
  if (text_width(text) * size <= width) return text;
  std::string kept = text;
  while (!kept.empty() && text_width(kept + "…") * size > width) {
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xC0U) == 0x80) kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept + "…";
}

}  // namespace detail
}  // namespace fractile::figures
