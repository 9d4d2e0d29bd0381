// Elements of SVG, as text.
#pragma once

#include <string>
#include <vector>

#include "figures/figures.hpp"

namespace fractile::figures::detail {

/// A coordinate in pixels, to a tenth.
std::string pixels(double value);

/// "x,y".
std::string pair(double x, double y);

enum class Anchor { start, middle, end };

struct TextPlace {
  double x;
  double y;  ///< of the baseline
  Anchor anchor = Anchor::start;
  const char* css_class = "";
};

std::string text_element(const std::string& text, const TextPlace& place);

/// A path of a class; nothing for an empty one.
std::string path_element(const std::string& d, const std::string& css_class, const std::string& more = {});

std::string rectangle(double left, double top, double width, double height, const char* css_class);

/// The text, or its beginning and an ellipsis, so that it is at most this many pixels wide in this size.
std::string shortened(const std::string& text, double width, double size);

/// Names of things that stand beside each other, each at most this many pixels wide in this size. Where several would keep the same
/// beginning, an ellipsis stands within it instead, and what sets each apart from the one most like it stays.
std::vector<std::string> shortened_names(const std::vector<std::string>& names, double width, double size);

}  // namespace fractile::figures::detail
