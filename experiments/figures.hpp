// The figures of approximate-quantiles 2021, section 4, from the rows of a run: what they show, not how they are drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/approximate_quantiles.hpp"

namespace fractile::experiments {

/// A mechanism's line in a panel: an estimate at each m.
struct Line {
  struct Point {
    std::uint64_t quantiles;
    Estimate estimate;
  };
  const StudiedMechanism* mechanism;
  std::vector<Point> points;
};

struct Panel {
  std::string title;
  std::vector<Line> lines;
};

struct Figure {
  std::string name;  ///< of its files: "figure_4"
  std::string title;
  std::string remark;  ///< under the title
  std::string y_label;
  bool logarithmic_x;  ///< y always is
  double least_y;      ///< what is less is drawn here
  std::vector<Panel> panels;
};

/// Figures 4 to 8 of the paper, and "figure_4_declared" and "figure_6_declared" for the sets of declared granularity; those
/// for which there are rows.
std::vector<Figure> figures_of(const std::vector<Row>& rows);

}  // namespace fractile::experiments
