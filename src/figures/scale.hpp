// From values to pixels, and which values are written beside an axis.
#pragma once

#include <string>
#include <vector>

#include "figures/figures.hpp"

namespace fractile::figures::detail {

/// The same, or the nearest axis that can be drawn: of some width, and above 0 when it is logarithmic.
Axis drawable(Axis axis);

class Scale {
 public:
  /// `from` and `to`: where axis.least and axis.most lie.
  Scale(const Axis& axis, double from, double to);
  /// Never farther from the axis than a thousand times its length.
  double at(double value) const;
  bool contains(double value) const { return value >= axis_.least && value <= axis_.most; }
  double from() const { return from_; }
  double to() const { return to_; }
  const Axis& axis() const { return axis_; }

 private:
  Axis axis_;
  double from_;
  double to_;
};

struct Tic {
  double value;
  std::string text;
};

/// In increasing order, at most about `most` of them when the axis leaves the choice.
std::vector<Tic> tics_of(const Axis& wanted, int most);

}  // namespace fractile::figures::detail
