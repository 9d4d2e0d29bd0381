#include "flow/loss/tilted_totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "flow/loss/total_in_doubles.hpp"

namespace fractile::flow {
namespace {

constexpr double farthest = 1e4;  // theta

/// The nearest theta from `from` on, upwards or downwards, whose divergence exceeds `widest`; nothing if there is none.
template <class Divergence>
std::optional<double> first_beyond(double from, double sign, double widest, const Divergence& divergence) {
  double near = 0;
  double far = 1.0 / 1024;
  while (divergence(from + sign * far) < widest) {
    near = far;
    far *= 2;
    if (far > farthest) return {};
  }
  while (far - near > far / 1024) {
    const double middle = (near + far) / 2;
    (divergence(from + sign * middle) < widest ? near : far) = middle;
  }
  return from + sign * far;
}

double log_of(const Rational& ratio) { return Enclosure::of(ratio).log().to_double(); }

/// Totals from the end of the part before up to this part's end.
struct Part {
  Rational ratio;
  double end;  ///< as a mean of the others' total
};

constexpr double near_the_end = 0.5;  // steps

/// The parts from the totals that are likely at a ratio of 1, which is the first part's ratio, to the others' last total. Each part
/// is as wide as its divergence allows.
std::vector<Part> parts_away(const TotalInDoubles& sum, double sign, double last, double widest) {
  std::vector<Part> parts;
  Rational ratio = 1;
  double theta = 0;
  for (;;) {
    const std::optional<double> end =
        first_beyond(theta, sign, widest, [&](double to) { return sum.divergence(to, theta); });
    if (!end) break;
    // Far enough, since the end is likely. (Totals next to the end may not be likely at any ratio.)
    if (std::abs(sum.at(*end).tilted_mean - last) < near_the_end) break;
    const std::optional<double> next = first_beyond(*end, sign, widest, [&](double other) {
      const bool is_near = std::abs(sum.at(other).tilted_mean - last) < near_the_end;
      return is_near ? widest : sum.divergence(*end, other);
    });
    if (!next) break;
    parts.push_back({ratio, sum.at(*end).tilted_mean});
    ratio = ratio_of(*next);
    theta = log_of(ratio);
  }
  parts.push_back({ratio, sign * std::numeric_limits<double>::infinity()});
  return parts;
}

/// All parts, in order, up to the others' last total.
std::vector<Part> parts_of(const TotalInDoubles& sum, std::size_t last, double widest) {
  const std::vector<Part> below = parts_away(sum, -1, 0, widest);
  const std::vector<Part> above = parts_away(sum, 1, static_cast<double>(last), widest);
  std::vector<Part> parts;
  for (std::size_t i = below.size(); i-- > 1;) parts.push_back({below[i].ratio, below[i - 1].end});
  parts.insert(parts.end(), above.begin(), above.end());
  return parts;
}

}  // namespace

std::vector<TiltedTotals> tilted_totals(const TargetTotal& target, const Rational& odds) {
  constexpr double likely = 8;  // e^-8: 1 in 3,000
  constexpr double not_too_unlikely =
      28;  // 2^-40: a law is cut off at 2^-180, and interpolation makes the error 2^60 times as large
  const TotalInDoubles sum(target, odds);
  const std::size_t reach = target.longest_step();
  const std::vector<Part> parts = parts_of(sum, target.last_total() - reach, likely);
  const std::vector<Part> laws = parts_of(sum, target.last_total() - reach, not_too_unlikely);
  const auto last = static_cast<double>(target.last_total());
  const double half = static_cast<double>(reach) / 2;  // half of the range that the target adds
  std::vector<TiltedTotals> views;
  std::size_t first = 0;
  for (std::size_t i = 0, law = 0; i < parts.size() && law < laws.size();) {
    const double mean = std::min(parts[i].end, laws[law].end);
    const auto end = static_cast<std::size_t>(std::clamp(std::floor(mean + half), 0.0, last));
    if (end >= first) {
      const double theta = log_of(parts[i].ratio);
      views.push_back({parts[i].ratio, laws[law].ratio, first, end, sum.at(theta).log_moment / std::numbers::ln2,
                       theta / std::numbers::ln2});
      first = end + 1;
    }
    const bool is_part_done = parts[i].end <= mean;
    if (laws[law].end <= mean) ++law;
    if (is_part_done) ++i;
  }
  return views;
}

}  // namespace fractile::flow
