#include "flow/windows/scan.hpp"

#include <utility>

#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/windows/rise.hpp"

namespace fractile::flow {
namespace {

/// Enclosed losses of one model.
class Scan {
 public:
  explicit Scan(const LossModel& model) : model_(model) {}

  struct Point {
    Rational odds;
    RealBounds loss;
  };
  Point at(Rational odds) const {
    RealBounds loss = model_.loss_bounds(Exponent::log(odds));
    return {std::move(odds), std::move(loss)};
  }

  /// Odds between which a least loss lies, or with `peak` a highest one: closer together, from three of which the middle one's loss
  /// is certainly beyond the others'.
  RealBounds turn(Point left, Point middle, Point right, bool peak) const {
    const auto beyond = [&](const Point& a, const Point& b) {
      return peak ? a.loss.lower > b.loss.upper : a.loss.upper < b.loss.lower;
    };
    for (int step = 0; step < most_steps && beyond(middle, left) && beyond(middle, right); ++step) {
      if (right.odds - left.odds < left.odds * closest) break;
      const bool to_the_left = middle.odds - left.odds > right.odds - middle.odds;
      const Rational& end = to_the_left ? left.odds : right.odds;
      const Rational aim = middle.odds + (end - middle.odds) * Rational(2, 5);
      const Rational reach = (right.odds - left.odds) / 100;
      Point next = at(short_rational(aim, left.odds, right.odds, reach));
      Point& outer = to_the_left ? left : right;
      if (beyond(next, middle)) {
        (to_the_left ? right : left) = std::exchange(middle, std::move(next));
      } else if (beyond(middle, next)) {
        outer = std::move(next);
      } else {
        break;
      }
    }
    return {left.odds, right.odds};
  }

 private:
  static constexpr int most_steps = 100;
  static inline const Rational closest = Rational(1, 1'000'000'000);
  const LossModel& model_;
};

}  // namespace

std::vector<UnstableWindow> scanned_windows(const LossModel& model, const std::vector<Rational>& odds) {
  const Scan scan(model);
  std::vector<Scan::Point> points;
  points.reserve(odds.size());
  for (const Rational& here : odds) points.push_back(scan.at(here));
  const auto rises_to = [&](std::size_t i) { return points[i - 1].loss.upper < points[i].loss.lower; };
  std::vector<UnstableWindow> windows;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!rises_to(i)) continue;
    const std::size_t first = i - 1;
    while (i + 1 < points.size() && rises_to(i + 1)) ++i;
    const auto end = [&](std::size_t at, bool peak) {
      if (at == 0 || at + 1 == points.size()) return RealBounds{points[at].odds, points[at].odds};
      return scan.turn(points[at - 1], points[at], points[at + 1], peak);
    };
    UnstableWindow window{end(first, false), end(i, true)};
    const RealBounds low = base_bounds(model.pipeline(), points[first].odds);
    const RealBounds high = base_bounds(model.pipeline(), points[i].odds);
    window.proof = rise_between(model, low.upper, high.lower);
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace fractile::flow
