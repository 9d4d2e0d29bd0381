#include "flow/refinement/two_secrets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"

namespace fractile::flow {
namespace {

constexpr std::size_t most_columns_of_pairs = 200'000;  // over all pairs of rows together: some seconds

/// For two rows p and q: the probability of error, sum_y min(p_y, t q_y), when guessing between them, as a function of the weight t
/// >= 0.
class GuessingError {
 public:
  GuessingError(const Matrix& channel, std::size_t one, std::size_t other) {
    for (std::size_t y = 0; y < channel.columns(); ++y) {
      const Rational& p = channel(one, y);
      const Rational& q = channel(other, y);
      if (q.sign() > 0) points_.push_back({p / q, p, q});  // otherwise the error is 0
    }
    std::ranges::sort(points_, {}, &Point::ratio);
    below_.emplace_back();
    for (const Point& point : points_) below_.push_back(below_.back() + point.p);
    above_.resize(points_.size() + 1);
    for (std::size_t i = points_.size(); i-- > 0;) above_[i] = above_[i + 1] + points_[i].q;
  }

  std::size_t breakpoints() const { return points_.size(); }
  const Rational& breakpoint(std::size_t i) const { return points_[i].ratio; }

  Rational at(const Rational& weight) const {
    const auto first = std::ranges::lower_bound(points_, weight, {}, &Point::ratio);
    const auto i = static_cast<std::size_t>(first - points_.begin());
    return below_[i] + weight * above_[i];
  }

 private:
  struct Point {
    Rational ratio;
    Rational p;
    Rational q;
  };
  std::vector<Point> points_;
  std::vector<Rational> below_;  // sums of p up to each point
  std::vector<Rational> above_;  // sums of q from each point on
};

/// Between two breakpoints of the first error, it is linear and the second error is concave. So the first minus the second is
/// largest at a breakpoint.
std::optional<Rational> told_apart_by(const GuessingError& from, const GuessingError& to) {
  for (std::size_t i = 0; i < from.breakpoints(); ++i) {
    const Rational& weight = from.breakpoint(i);
    if (from.at(weight) > to.at(weight)) return weight;
  }
  return {};
}

}  // namespace

std::optional<TwoSecrets> told_apart(const Matrix& from, const Matrix& to) {
  std::size_t left = most_columns_of_pairs;
  for (std::size_t apart = 1; apart < from.rows(); ++apart) {
    for (std::size_t one = 0; one + apart < from.rows(); ++one) {
      checkpoint();
      const std::size_t columns = from.columns() + to.columns();
      if (left < columns) return {};
      left -= columns;
      const std::size_t other = one + apart;
      if (auto weight = told_apart_by(GuessingError(from, one, other), GuessingError(to, one, other))) {
        return TwoSecrets{one, other, *std::move(weight)};
      }
    }
  }
  return {};
}

}  // namespace fractile::flow
