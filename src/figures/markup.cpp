#include "figures/markup.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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

namespace {

/// Whether a byte goes on with a character of UTF-8.
bool is_within(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Where the first character begins in which two texts differ.
std::size_t first_difference(const std::string& a, const std::string& b) {
  auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  while (at > 0 && at < a.size() && is_within(a[at])) --at;
  return at;
}

/// The least place, at most `from`, from which on the text is at most this wide; `from` where there is none.
std::size_t widest_end(const std::string& text, std::size_t from, double width, double size) {
  std::size_t at = from;
  while (at > 0) {
    std::size_t before = at - 1;
    while (before > 0 && is_within(text[before])) --before;
    if (text_width(text.substr(before)) * size > width) break;
    at = before;
  }
  return at;
}

/// The beginning, an ellipsis, and the text from `apart` on or a little before.
std::string without_middle(const std::string& text, std::size_t apart, double width, double size) {
  const std::string beginning = shortened(text, width / 3, size);
  const double rest = width - text_width(beginning) * size;
  return beginning + shortened(text.substr(widest_end(text, apart, rest, size)), rest, size);
}

}  // namespace

std::string shortened(const std::string& text, double width, double size) {
  if (text_width(text) * size <= width) return text;
  std::string kept = text;
  while (!kept.empty() && text_width(kept + "…") * size > width) {
    while (!kept.empty() && is_within(kept.back())) kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept + "…";
}

std::vector<std::string> shortened_names(const std::vector<std::string>& names, double width, double size) {
  std::vector<std::string> result;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (const std::string& name : names) {
    result.push_back(shortened(name, width, size));
    if (result.back() != name) alike[result.back()].push_back(result.size() - 1);
  }
  for (const auto& [beginning, places] : alike) {
    if (places.size() == 1) continue;
    for (const std::size_t i : places) {
      std::size_t apart = 0;
      for (const std::size_t j : places) {
        if (names[i] != names[j]) apart = std::max(apart, first_difference(names[i], names[j]));
      }
      if (apart > 0) result[i] = without_middle(names[i], apart, width, size);
    }
  }
  return result;
}

}  // namespace detail
}  // namespace fractile::figures
