#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {
namespace {

const Rational slack = Rational::dyadic(1, -40);

/// A pair of laws, P and Q, on a finite set.
struct Pair {
  std::vector<Rational> p, q;
};

Pair independent(const Pair& a, const Pair& b) {
  Pair both;
  for (std::size_t x = 0; x < a.p.size(); ++x) {
    for (std::size_t y = 0; y < b.p.size(); ++y) {
      both.p.push_back(a.p[x] * b.p[y]);
      both.q.push_back(a.q[x] * b.q[y]);
    }
  }
  return both;
}

/// sum of max(P - e^epsilon Q, 0) over all outcomes: the exact delta, by enumeration.
Rational delta_of(const Pair& pair, const Rational& exp_epsilon) {
  Rational sum;
  for (std::size_t y = 0; y < pair.p.size(); ++y) {
    sum += std::max(Rational(0), pair.p[y] - exp_epsilon * pair.q[y]);
  }
  return sum;
}

/// The losses are ln(top) and ln(top) - ln(range).
Pair two_point(const Rational& range, const Rational& top) {
  const Rational mass = (range / top - Rational(1)) / (range - Rational(1));
  return {{mass * top, (Rational(1) - mass) * top / range}, {mass, Rational(1) - mass}};
}

Pair power(const Pair& pair, std::uint64_t count) {
  Pair all{{1}, {1}};
  for (std::uint64_t i = 0; i < count; ++i) all = independent(all, pair);
  return all;
}

/// A rational value of 1 .. range: an e^t within the interval of losses.
Rational any_within(const Rational& range) {
  return Rational(1) + (range - Rational(1)) * Rational(*rc::gen::inRange(0, 101), 100);
}

/// The laws of an exponential mechanism: Q is any law on four outcomes, and P is proportional to Q times weights within a factor
/// `range`.
Pair any_bounded_range_pair(const Rational& range) {
  Pair pair;
  Rational total_p;
  Rational total_q;
  for (int y = 0; y < 4; ++y) {
    pair.q.emplace_back(*rc::gen::inRange(1, 20));
    pair.p.push_back(pair.q.back() * any_within(range));
    total_p += pair.p.back();
    total_q += pair.q.back();
  }
  for (Rational& p : pair.p) p /= total_p;
  for (Rational& q : pair.q) q /= total_q;
  return pair;
}

TEST(BoundedRangeComposition, IsTheDeltaOfAnExplicitMechanism) {
  // With eta = (m + 1) a ln 2 and epsilon = b ln 2 every e^(t*_l) is a power of 2: all is rational.
  for (std::int64_t m = 1; m <= 7; ++m) {
    for (const std::int64_t a : {1, 2}) {
      for (std::int64_t b = 0; b <= m * (m + 1) * a; b += m + 1) {
        const Rational range = Rational(2).pow((m + 1) * a);
        Rational exact;
        for (std::int64_t l = 0; l < m; ++l) {
          const std::int64_t log_top = b / (m + 1) + (l + 1) * a;
          if (log_top >= (m + 1) * a) continue;
          const Pair worst = power(two_point(range, Rational(2).pow(log_top)), static_cast<std::uint64_t>(m));
          exact = std::max(exact, delta_of(worst, Rational(2).pow(b)));
        }
        const Rational bound =
            delta_of_bounded_range(Exponent::log(range), static_cast<std::uint64_t>(m), Exponent::log(2, b));
        EXPECT_GE(bound, exact) << m << ' ' << a << ' ' << b;
        EXPECT_LE(bound, exact * (Rational(1) + slack)) << m << ' ' << a << ' ' << b;
      }
    }
  }
}

TEST(BoundedRangeComposition, NoMechanismIsWorse) {
  EXPECT_TRUE(rc::check("random pairs, each its own, enumerated", [] {
    const Rational range = Rational(1) + Rational(*rc::gen::inRange(1, 400), 100);
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 5);
    Pair all{{1}, {1}};
    for (std::uint64_t i = 0; i < count; ++i) all = independent(all, any_bounded_range_pair(range));
    const Rational exp_epsilon = any_within(range.pow(static_cast<std::int64_t>(count)));
    const Rational bound = delta_of_bounded_range(Exponent::log(range), count, Exponent::log(exp_epsilon));
    RC_ASSERT(delta_of(all, exp_epsilon) <= bound);
    std::swap(all.p, all.q);
    RC_ASSERT(delta_of(all, exp_epsilon) <= bound);
  }));
}

TEST(BoundedRangeComposition, NoMixtureOfTwoPointMechanismsIsWorse) {
  EXPECT_TRUE(rc::check("different t in each of up to 8 mechanisms", [] {
    const Rational range = Rational(1) + Rational(*rc::gen::inRange(1, 400), 100);
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 9);
    Pair all{{1}, {1}};
    for (std::uint64_t i = 0; i < count; ++i) all = independent(all, two_point(range, any_within(range)));
    const Rational exp_epsilon = any_within(range);
    const Rational bound = delta_of_bounded_range(Exponent::log(range), count, Exponent::log(exp_epsilon));
    RC_ASSERT(delta_of(all, exp_epsilon) <= bound);
  }));
}

/// The theorem's sum at any t, in doubles.
double delta_at(double t, double eta, int m, double epsilon) {
  const double p = (std::exp(-t) - std::exp(-eta)) / (1 - std::exp(-eta));
  double sum = 0;
  for (int i = 0; i <= m; ++i) {
    const double choose = std::lgamma(m + 1) - std::lgamma(i + 1) - std::lgamma(m - i + 1);
    const double mass = std::exp(choose + (m - i) * std::log(p) + i * std::log1p(-p));
    sum += mass * std::max(0.0, std::exp(m * t - i * eta) - std::exp(epsilon));
  }
  return sum;
}

TEST(BoundedRangeComposition, IsTheMaximumOverAFineGrid) {
  struct Case {
    int m;
    double eta, epsilon;
  };
  for (const Case& c : {Case{1, 1.5, 1}, Case{2, 0.7, 0.5}, Case{5, 0.25, 1}, Case{10, 0.3, 0}, Case{20, 0.1, 1},
                        Case{60, 0.06, 1}, Case{120, 0.0433, 1}, Case{120, 0.2, 3}, Case{35, 2, 20}}) {
    double most = 0;
    for (int step = 1; step < 20000; ++step) {
      most = std::max(most, delta_at(c.eta * step / 20000, c.eta, c.m, c.epsilon));
    }
    const double bound = delta_of_bounded_range(Rational::from_double(c.eta), static_cast<std::uint64_t>(c.m),
                                                Rational::from_double(c.epsilon))
                             .to_double();
    EXPECT_LE(most, bound * (1 + 1e-9)) << c.m;
    EXPECT_GE(most, bound * (1 - 1e-5)) << c.m;
  }
}

TEST(BoundedRangeComposition, OneFixedTIsNotEnough) {
  // The mutant t = eta/2 (two randomized responses) never loses more than epsilon = 1 here, so it would report delta 0.
  EXPECT_EQ(delta_at(0.5, 1, 2, 1), 0);
  EXPECT_GT(delta_of_bounded_range(Rational(1), 2, Rational(1)), Rational(1, 50));
}

TEST(BoundedRangeComposition, IsMonotoneAndBetweenItsBounds) {
  EXPECT_TRUE(rc::check("in eta, count, epsilon; at most zCDP's", [] {
    const Rational eta(*rc::gen::inRange(1, 200), 100);
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 30);
    const Rational epsilon(*rc::gen::inRange(0, 300), 100);
    const Rational delta = delta_of_bounded_range(eta, count, epsilon);
    const Rational more = Rational(1) + slack;
    RC_ASSERT(delta <= delta_of_bounded_range(eta * Rational(11, 10), count, epsilon) * more);
    RC_ASSERT(delta <= delta_of_bounded_range(eta, count + 1, epsilon) * more);
    RC_ASSERT(delta_of_bounded_range(eta, count, epsilon + Rational(1, 10)) <= delta * more);
    const Rational rho = zcdp_of_bounded_range_tight(eta) * Rational(count);
    RC_ASSERT(delta <= delta_of_zcdp(rho, epsilon));
    RC_ASSERT((delta.sign() == 0) == (epsilon >= eta * Rational(count)));
  }));
}

TEST(BoundedRangeComposition, OfLogarithmsIsOfTheSameNumbers) {
  EXPECT_EQ(delta_of_bounded_range(Exponent::log(4), 3, Exponent::log(64)), Rational(0));
  EXPECT_EQ(delta_of_bounded_range(Exponent::log(4), 3, Exponent::log(8, 2)), Rational(0));  // equal, written otherwise
  EXPECT_GT(delta_of_bounded_range(Exponent::log(4), 3, Exponent::log({6399, 100})), Rational(0));
  const Rational a = delta_of_bounded_range(Exponent::log(4), 5, Rational(1));
  const Rational b = delta_of_bounded_range(Exponent::log(2, 2), 5, Rational(1));
  EXPECT_LE(std::max(a, b), std::min(a, b) * (Rational(1) + slack));
}

TEST(BoundedRangeComposition, RefusesWhatItCannot) {
  EXPECT_THROW(delta_of_bounded_range(Rational(1), 100'001, Rational(1)), Error);
  EXPECT_THROW(largest_bounded_range_composed(0, Rational(1), {1, 100}), Error);
  EXPECT_THROW(largest_bounded_range_composed(2, Rational(1), 1), Error);
  EXPECT_THROW(epsilon_of_bounded_range(Rational(1), 2, -1), Error);
}

TEST(BoundedRangeComposition, AtTheEdges) {
  EXPECT_EQ(delta_of_bounded_range(Rational(1), 0, Rational(0)), Rational(0));
  EXPECT_EQ(delta_of_bounded_range(Exponent(), 7, Exponent()), Rational(0));
  EXPECT_EQ(epsilon_of_bounded_range(Rational(1, 3), 7, 0), Rational(7, 3));
  EXPECT_EQ(epsilon_of_bounded_range(Rational(1), 1, {999, 1000}), Rational(0));
  EXPECT_EQ(largest_bounded_range_composed(3, Rational(1), 0), Rational(1, 3));
  EXPECT_EQ(delta_of_bounded_range(Rational::parse("1e-9"), 1000, Rational::parse("999e-9")).sign(), 1);
  EXPECT_EQ(delta_of_bounded_range(Rational(10'000), 3, Rational(0)), Rational(1));
}

TEST(BoundedRangeComposition, TheLargestEtaIsThatOfThePaperUpToItsGrid) {
  // Published values at epsilon 1 and delta 1e-6. Their code searched a coarse grid, so that they are at or below the exact ones.
  struct Known {
    std::uint64_t count;
    double published;
  };
  for (const Known& known : {Known{1, 1.0}, Known{2, 0.5}, Known{5, 0.23}, Known{10, 0.15}, Known{20, 0.10},
                             Known{35, 0.079}, Known{60, 0.057}, Known{90, 0.041}, Known{120, 0.038}}) {
    const double eta = largest_bounded_range_composed(known.count, Rational(1), {1, 1'000'000}).to_double();
    EXPECT_GE(eta, known.published) << known.count;
    EXPECT_LE(eta, known.published + 0.01) << known.count;
  }
}

TEST(BoundedRangeComposition, SolutionsAreFeasibleAndNothingMuchBetterIs) {
  EXPECT_TRUE(rc::check("largest eta, smallest epsilon", [] {
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 20);
    const Rational epsilon(*rc::gen::inRange(0, 300), 100);
    const Rational delta(1, 1 + *rc::gen::inRange(1, 1 << 30));
    const Rational eta = largest_bounded_range_composed(count, epsilon, delta);
    RC_ASSERT(delta_of_bounded_range(eta, count, epsilon) <= delta);
    RC_ASSERT(delta_of_bounded_range(eta * (Rational(1) + slack), count, epsilon) > delta);
    const Rational back = epsilon_of_bounded_range(eta, count, delta);
    RC_ASSERT(delta_of_bounded_range(eta, count, back) <= delta);
    RC_ASSERT(back <= epsilon + Rational::dyadic(1, -30));
    if (back.sign() == 0) return;
    RC_ASSERT(delta_of_bounded_range(eta, count, back * (Rational(1) - slack)) > delta);
  }));
}

}  // namespace
}  // namespace fractile
