#include "quantiles/audit/zcdp_divergence.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"

namespace fractile {
namespace {

constexpr int bits = 64;  // of the rational bounds

/// Two laws, with the numbers that all orders need.
class Pair {
 public:
  explicit Pair(const std::vector<Likelihoods>& outcomes) {
    for (const Likelihoods& each : outcomes) {
      q_.push_back(each.q);
      losses_.push_back((each.p / each.q).log());
      largest_ = std::max(largest_, losses_.back().upper_rational(bits));
    }
  }

  Enclosure divergence(const Rational& alpha) const {
    const Enclosure order = Enclosure::of(alpha);
    Enclosure sum = Enclosure::of(Rational(0));
    for (std::size_t i = 0; i < q_.size(); ++i) sum += q_[i] * (order * losses_[i]).exp();
    return sum.log() / Enclosure::of(alpha - Rational(1));
  }
  /// At least D_infinity.
  const Rational& largest() const { return largest_; }

 private:
  std::vector<Enclosure> q_;
  std::vector<Enclosure> losses_;
  Rational largest_ = 0;
};

/// The search for the largest slope. D_alpha grows with alpha, so between orders a and b the slope is at most D_b / a.
class Search {
 public:
  Search(const Pair& pair, Rational claim, Rational enough)
      : pair_(pair), claim_(std::move(claim)), enough_(std::move(enough)) {}

  RenyiSlope run() {
    for (const Rational& alpha : {Rational(9, 8), Rational(3, 2), Rational(2), Rational(4), Rational(16)}) at(alpha);
    // Starts near order 1, and ends at the order from which on D_infinity / alpha is too small.
    const Rational start(1025, 1024);
    close_below(start);
    Rational end = 2;
    while (pair_.largest() / end > most_allowed()) end *= Rational(2);
    upper_ = std::max(upper_, pair_.largest() / end);
    between(start, end, at(end), 0);
    return {std::max(lower_, Rational(0)), std::max(upper_, lower_)};
  }

 private:
  /// Upper bound of D at an order; remembers the slope.
  Rational at(const Rational& alpha) {
    const Enclosure divergence = pair_.divergence(alpha);
    lower_ = std::max(lower_, divergence.lower_rational(bits) / alpha);
    return divergence.upper_rational(bits);
  }

  /// No slope above the claim is skipped, and below the claim no slope that would change the report.
  Rational most_allowed() const {
    const Rational close = lower_ * Rational(1001, 1000);
    const bool at_the_claim = lower_ <= claim_ && claim_ < close;
    return std::max(enough_, at_the_claim ? std::max(claim_, lower_ * Rational(1'000'001, 1'000'000)) : close);
  }

  void close_below(Rational order) {
    for (int halvings = 0;; ++halvings) {
      const Rational bound = at(order);
      if (bound <= most_allowed() || halvings >= most_depth) {
        upper_ = std::max(upper_, bound);
        return;
      }
      const Rational nearer = Rational(1) + (order - Rational(1)) / Rational(2);
      between(nearer, order, bound, 0);
      order = nearer;
    }
  }

  /// `bound` is at least D at b.
  void between(const Rational& a, const Rational& b, const Rational& bound, int depth) {
    const Rational slope = bound / a;
    if (slope <= most_allowed() || depth >= most_depth) {
      upper_ = std::max(upper_, slope);
      return;
    }
    const Rational middle = ((a + b) * Rational(std::int64_t{1} << 31)).floor() / Rational(std::int64_t{1} << 32);
    const Rational here = at(middle);
    between(a, middle, here, depth + 1);
    between(middle, b, bound, depth + 1);
  }

  static constexpr int most_depth = 40;

  const Pair& pair_;
  Rational claim_;
  Rational enough_;
  Rational lower_ = 0;
  Rational upper_ = 0;
};

}  // namespace

Enclosure renyi_divergence(const std::vector<Likelihoods>& outcomes, const Rational& alpha) {
  return Pair(outcomes).divergence(alpha);
}

RenyiSlope largest_renyi_slope(const std::vector<Likelihoods>& outcomes, const Rational& claim,
                               const Rational& enough) {
  const Pair pair(outcomes);
  return Search(pair, claim, enough).run();
}

}  // namespace fractile
