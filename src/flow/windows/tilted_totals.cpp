#include "flow/windows/tilted_totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "flow/algebra/ring.hpp"

namespace fractile::flow {
namespace {

/// A sum of independent steps, in doubles, where the probability of each step s is multiplied by exp(theta s) and all are made to add up
/// to 1 again.
class SumInDoubles {
 public:
  SumInDoubles(const TargetTotal& target, const Rational& odds) : people_(target.others()) {
    for (const std::vector<Enclosure>& law : target.step_laws(Enclosure::of(odds, enclosure_bits))) {
      logs_.emplace_back();
      for (const Enclosure& p : law) logs_.back().push_back(is_zero(p) ? log_of_zero : p.log().to_double());
    }
  }

  /// The logarithm of the expectation of exp(theta sum), and its derivative by theta: the tilted mean.
  struct Moment {
    double log = 0;
    double mean = 0;
  };
  Moment at(double theta) const {
    Moment all;
    for (std::size_t value = 0; value < logs_.size(); ++value) {
      if (people_[value] == 0) continue;
      const Moment one = moment_of(logs_[value], theta);
      all.log += static_cast<double>(people_[value]) * one.log;
      all.mean += static_cast<double>(people_[value]) * one.mean;
    }
    return all;
  }

  /// How much less likely, in natural logarithms, the total that theta makes likely is when `other` tilts the sum.
  double divergence(double theta, double other) const {
    const Moment here = at(theta);
    return at(other).log - here.log + (theta - other) * here.mean;
  }

  /// The least sum, or the highest.
  double end(double sign) const { return sign < 0 ? 0 : static_cast<double>(reach() * others()); }
  /// Largest step.
  std::size_t reach() const { return logs_.front().size() - 1; }
  std::size_t others() const {
    std::size_t sum = 0;
    for (const std::size_t people : people_) sum += people;
    return sum;
  }

 private:
  static Moment moment_of(const std::vector<double>& logs, double theta) {
    double highest = log_of_zero;
    for (std::size_t s = 0; s < logs.size(); ++s) highest = std::max(highest, logs[s] + theta * static_cast<double>(s));
    double sum = 0;
    double mean = 0;
    for (std::size_t s = 0; s < logs.size(); ++s) {
      const double part = std::exp(logs[s] + theta * static_cast<double>(s) - highest);
      sum += part;
      mean += part * static_cast<double>(s);
    }
    return {highest + std::log(sum), mean / sum};
  }

  std::vector<std::size_t> people_;
  std::vector<std::vector<double>> logs_;  // by value and step
};

constexpr double farthest = 1e4;  // theta

/// The first theta away from `from`, upwards or downwards, with so large a divergence; none where all are near.
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

/// A short rational that is about exp(theta).
Rational ratio_of(double theta) {
  constexpr int bits = 16;
  const double log = theta / std::numbers::ln2;
  const double whole = std::floor(log);
  return Rational::dyadic(static_cast<std::int64_t>(std::ldexp(std::exp2(log - whole), bits)),
                          static_cast<std::int64_t>(whole) - bits);
}

double log_of(const Rational& ratio) { return Enclosure::of(ratio).log().to_double(); }

/// Totals up to an end, from where the last part's was.
struct Part {
  Rational ratio;
  double end;  ///< of the others' mean
};

constexpr double near_the_end = 0.5;  // steps

/// Away from what is likely at a ratio of 1, which is the first one's; each as wide as a divergence allows it to be.
std::vector<Part> parts_away(const SumInDoubles& sum, double sign, double widest) {
  std::vector<Part> parts;
  Rational ratio = 1;
  double theta = 0;
  for (;;) {
    const std::optional<double> end =
        first_beyond(theta, sign, widest, [&](double to) { return sum.divergence(to, theta); });
    if (!end) break;
    // Far enough for the end to be likely. (What is likely next to it may be so at no ratio.)
    const double last = sum.end(sign);
    if (std::abs(sum.at(*end).mean - last) < near_the_end) break;
    const std::optional<double> next = first_beyond(*end, sign, widest, [&](double other) {
      const bool is_near = std::abs(sum.at(other).mean - last) < near_the_end;
      return is_near ? widest : sum.divergence(*end, other);
    });
    if (!next) break;
    parts.push_back({ratio, sum.at(*end).mean});
    ratio = ratio_of(*next);
    theta = log_of(ratio);
  }
  parts.push_back({ratio, sign * std::numeric_limits<double>::infinity()});
  return parts;
}

/// All, in order.
std::vector<Part> parts_of(const SumInDoubles& sum, double widest) {
  const std::vector<Part> below = parts_away(sum, -1, widest);
  const std::vector<Part> above = parts_away(sum, 1, widest);
  std::vector<Part> parts;
  for (std::size_t i = below.size(); i-- > 1;) parts.push_back({below[i].ratio, below[i - 1].end});
  parts.insert(parts.end(), above.begin(), above.end());
  return parts;
}

}  // namespace

std::vector<TiltedTotals> tilted_totals(const TargetTotal& target, const Rational& odds) {
  constexpr double likely = 8;  // e^-8: 1 in 3,000
  constexpr double not_too_unlikely =
      28;  // 2^-40, of what is cut off at 2^-180, as interpolation makes it 2^60 times as large
  const SumInDoubles sum(target, odds);
  const std::vector<Part> parts = parts_of(sum, likely);
  const std::vector<Part> laws = parts_of(sum, not_too_unlikely);
  const auto last = static_cast<double>((sum.others() + 1) * sum.reach());
  const double half = static_cast<double>(sum.reach()) / 2;  // of what the target adds
  std::vector<TiltedTotals> views;
  std::size_t first = 0;
  for (std::size_t i = 0, law = 0; i < parts.size() && law < laws.size();) {
    const double mean = std::min(parts[i].end, laws[law].end);
    const auto end = static_cast<std::size_t>(std::clamp(std::floor(mean + half), 0.0, last));
    if (end >= first) {
      const double theta = log_of(parts[i].ratio);
      views.push_back({parts[i].ratio, laws[law].ratio, first, end, sum.at(theta).log / std::numbers::ln2,
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
