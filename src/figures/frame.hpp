// What surrounds all figures.
#pragma once

#include <string>

#include "figures/figures.hpp"
#include "figures/scale.hpp"

namespace fractile::figures::detail {

inline constexpr double font_size = 12;
inline constexpr double title_size = 16;

struct Labels {
  const std::string& name;
  const std::string& title;
  const std::string& remark;
  const std::string& description;
  bool dark = true;  ///< whether a file has colors for dark pages, too
};

/// How much room the title and the remark take in a file of this width.
double heading_height(const Labels& labels, ShownIn shown_in, double width);

/// The element around `content`.
std::string framed(const std::string& content, double width, double height, const Labels& labels, ShownIn shown_in);

/// Where a panel's axes stand, in pixels.
struct Box {
  double left, right, top, bottom;
};

/// Grid, axis and numbers under a panel; those that would overlap are left out.
std::string x_axis(const Scale& scale, const Box& box);
std::string y_axis(const Scale& scale, const Box& box);
/// How wide the numbers at a y axis are.
double y_numbers_width(const Axis& axis, double height);

}  // namespace fractile::figures::detail
