#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {
namespace {

const Rational margin = Rational::dyadic(1, -40);

/// A positive level between about 2^-20 and 2^7, rational or a logarithm.
Exponent any_level() {
  const Rational c = Rational(*rc::gen::inRange(1, 1 << 10)) * Rational::dyadic(1, *rc::gen::inRange(-20, -3));
  return *rc::gen::arbitrary<bool>() ? Exponent(c) : Exponent::log(Rational(*rc::gen::inRange(2, 30)), c);
}

Rational any_rho() { return Rational(*rc::gen::inRange(1, 1000)) * Rational::dyadic(1, *rc::gen::inRange(-30, 3)); }

Rational any_delta() { return Rational(1, 1 + *rc::gen::inRange(1, 1 << 30)); }

/// Expects the bound at or above the truth, and at most a factor of 1 + 2^-40 above it.
void expect_just_above(const Rational& bound, const Enclosure& truth) {
  RC_ASSERT(!certainly_less(Enclosure::of(bound, 600), truth));
  RC_ASSERT(certainly_less(Enclosure::of(bound * (Rational(1) - margin), 600), truth));
}

Enclosure number(const Rational& value) { return Enclosure::of(value, 600); }

/// D_alpha(P || Q) for rational odds P/Q and an integer order: exact up to the logarithm.
Enclosure renyi(const std::vector<Rational>& p, const std::vector<Rational>& q, int alpha) {
  Rational moment;
  for (std::size_t y = 0; y < p.size(); ++y) moment += q[y] * (p[y] / q[y]).pow(alpha);
  return number(moment).log() / number(alpha - 1);
}

/// The two-point laws whose log ratios are ln(top) and ln(top) - ln(range): the worst pair of laws that bounded range allows.
struct TwoPoint {
  TwoPoint(const Rational& range, const Rational& top) {
    const Rational mass = (range / top - Rational(1)) / (range - Rational(1));
    q = {mass, Rational(1) - mass};
    p = {mass * top, (Rational(1) - mass) * top / range};
  }
  std::vector<Rational> p, q;
};

// Known values.

TEST(Conversion, OfRationalLevelsIsExact) {
  EXPECT_EQ(zcdp_of_pure(Rational(1, 3)), Rational(1, 18));
  EXPECT_EQ(zcdp_of_bounded_range(Rational(2)), Rational(1, 2));
  EXPECT_EQ(pure_of_bounded_range(Exponent::log(3)), Exponent::log(3));
  EXPECT_EQ(bounded_range_of_pure(Exponent::log(3)), Exponent::log(3, 2));
  EXPECT_EQ(smallest_temperature(Rational(1, 2), 3), Rational(6));
}

TEST(Conversion, TightFormsAtOne) {
  // From 50 decimal digits: x - 1 - ln x with x = 1/(e - 1); tanh(1/2).
  EXPECT_NEAR(zcdp_of_bounded_range_tight(Rational(1)).to_double(), 0.12330156148224453336, 1e-15);
  EXPECT_NEAR(zcdp_of_pure_tight(Rational(1)).to_double(), 0.46211715726000975850, 1e-15);
}

TEST(Conversion, OfNothingIsNothing) {
  EXPECT_EQ(zcdp_of_pure_tight(Exponent()), Rational(0));
  EXPECT_EQ(zcdp_of_bounded_range_tight(Exponent()), Rational(0));
  EXPECT_EQ(delta_of_zcdp(0, Rational(1)), Rational(0));
  EXPECT_EQ(epsilon_of_zcdp(0, {1, 10}), Rational(0));
  EXPECT_EQ(largest_pure_tight(0), Rational(0));
  EXPECT_EQ(delta_of_pure(Exponent::log(6), Exponent::log(6)), Rational(0));
}

TEST(Conversion, RefusesWhatIsNoLevel) {
  EXPECT_THROW(delta_of_zcdp(-1, Rational(1)), Error);
  EXPECT_THROW(epsilon_of_zcdp(1, 0), Error);
  EXPECT_THROW(epsilon_of_zcdp(1, 1), Error);
  EXPECT_THROW(largest_zcdp(Rational(1), 0), Error);
  EXPECT_THROW(largest_pure(-1), Error);
  EXPECT_THROW(smallest_temperature(Exponent(), 1), Error);
  EXPECT_THROW(smallest_temperature(Rational(1), -1), Error);
}

// Containment.

TEST(Conversion, SquaresAreRoundedUp) {
  EXPECT_TRUE(rc::check("eps^2/2, eta^2/8 and distance/eps against 600 bits", [] {
    const Exponent level = any_level();
    const Enclosure ball = Enclosure::of(level, 600);
    expect_just_above(zcdp_of_pure(level), ball * ball / number(2));
    expect_just_above(zcdp_of_bounded_range(level), ball * ball / number(8));
    expect_just_above(smallest_temperature(level, 7), number(7) / ball);
  }));
}

TEST(Conversion, TightFormsAreRoundedUpAndBelowTheSquares) {
  EXPECT_TRUE(rc::check("against 600 bits of the papers' formulas", [] {
    const Exponent level = any_level();
    const Enclosure ball = Enclosure::of(level, 600);
    const Enclosure x = ball / (ball.exp() - number(1));
    const Enclosure e = ball.exp();
    expect_just_above(zcdp_of_bounded_range_tight(level), x - number(1) - x.log());
    expect_just_above(zcdp_of_pure_tight(level), ball * (e - number(1)) / (e + number(1)));
    RC_ASSERT(zcdp_of_bounded_range_tight(level) <= zcdp_of_bounded_range(level));
    RC_ASSERT(zcdp_of_pure_tight(level) <= zcdp_of_pure(level));
  }));
}

TEST(Conversion, TightFormsAreBelowTheSquaresFromTheTiniestToTheLargest) {
  for (int exponent = -400; exponent <= 60; ++exponent) {
    const Exponent level = Rational::dyadic(3, exponent);
    EXPECT_LE(zcdp_of_bounded_range_tight(level), zcdp_of_bounded_range(level)) << exponent;
    EXPECT_LE(zcdp_of_pure_tight(level), zcdp_of_pure(level)) << exponent;
    EXPECT_GT(zcdp_of_bounded_range_tight(level), Rational(0)) << exponent;
  }
}

// The bounds hold for mechanisms, and mutants of the bounds do not.

bool is_zcdp(const std::vector<Rational>& p, const std::vector<Rational>& q, const Rational& rho) {
  for (const int alpha : {2, 3, 5, 9, 30}) {
    if (certainly_less(number(rho * Rational(alpha)), renyi(p, q, alpha))) return false;
    if (certainly_less(number(rho * Rational(alpha)), renyi(q, p, alpha))) return false;
  }
  return true;
}

Enclosure kullback_leibler(const TwoPoint& pair) {
  Enclosure sum = number(0);
  for (std::size_t y = 0; y < 2; ++y) sum += number(pair.p[y]) * number(pair.p[y] / pair.q[y]).log();
  return sum;
}

TEST(Conversion, EveryTwoPointMechanismKeepsTheTightBound) {
  EXPECT_TRUE(rc::check("Renyi divergences in exact arithmetic", [] {
    const Rational range = Rational(1) + Rational(*rc::gen::inRange(1, 1000), *rc::gen::inRange(1, 300));
    const Rational top = Rational(1) + (range - Rational(1)) * Rational(*rc::gen::inRange(1, 100), 100);
    const TwoPoint pair(range, top);
    if (pair.q[0].sign() == 0) return;
    const Rational rho = zcdp_of_bounded_range_tight(Exponent::log(range));
    RC_ASSERT(is_zcdp(pair.p, pair.q, rho));
    RC_ASSERT(!certainly_less(number(rho), kullback_leibler(pair)));  // the limit alpha -> 1
  }));
}

TEST(Conversion, TheTightBoundIsAttained) {
  // The loss e^t = (e^eta - 1)/eta maximises the divergence of order 1: nothing smaller than the bound is valid.
  for (const Rational& range : {Rational(11, 10), Rational(3), Rational(50)}) {
    const Exponent eta = Exponent::log(range);
    const TwoPoint worst(range, Rational::from_double((range.to_double() - 1) / eta.to_double()));
    const Rational almost = zcdp_of_bounded_range_tight(eta) * (Rational(1) - Rational::dyadic(1, -30));
    EXPECT_TRUE(certainly_less(number(almost), kullback_leibler(worst)));
  }
}

TEST(Conversion, AMutantOfBoundedRangeIsCaught) {
  const Rational range(3, 2);
  const TwoPoint pair(range, Rational(5, 4));
  const Exponent eta = Exponent::log(range);
  EXPECT_TRUE(is_zcdp(pair.p, pair.q, zcdp_of_bounded_range(eta)));
  EXPECT_FALSE(is_zcdp(pair.p, pair.q, zcdp_of_bounded_range(eta) / Rational(2)));  // eta^2/16
}

TEST(Conversion, RandomizedResponseAttainsTheTightPureBound) {
  for (const Rational& odds : {Rational(11, 10), Rational(3), Rational(50)}) {
    const Rational yes = odds / (odds + Rational(1));
    const std::vector<Rational> p{yes, Rational(1) - yes};
    const std::vector<Rational> q{Rational(1) - yes, yes};
    const Rational rho = zcdp_of_pure_tight(Exponent::log(odds));
    EXPECT_TRUE(is_zcdp(p, q, rho));
    const Enclosure divergence = number(p[0] - p[1]) * number(odds).log();  // of order 1
    EXPECT_TRUE(certainly_less(number(rho * (Rational(1) - margin)), divergence));
    EXPECT_FALSE(is_zcdp(p, q, zcdp_of_pure_tight(Exponent::log(odds)) / Rational(3)));
  }
}

TEST(Conversion, DeltaOfPureIsRandomizedResponses) {
  EXPECT_TRUE(rc::check("exact delta of randomized response", [] {
    const Rational odds = Rational(1) + Rational(*rc::gen::inRange(1, 1000), 100);
    const Rational target = Rational(1) + (odds - Rational(1)) * Rational(*rc::gen::inRange(0, 99), 100);
    const Rational exact = (odds - target) / (odds + Rational(1));
    expect_just_above(delta_of_pure(Exponent::log(odds), Exponent::log(target)), number(exact));
  }));
}

// Largest probabilities of an outcome of a release.

TEST(Conversion, LargestProbabilitiesInWords) {
  EXPECT_EQ(largest_probability(Exponent::log(2), 0, Rational(1, 10)), Rational(1, 5));
  EXPECT_EQ(largest_probability(Exponent::log(2), 0, Rational(4, 5)), Rational(9, 10));
  EXPECT_EQ(largest_probability(Exponent::log(2), Rational(1, 100), Rational(1, 10)), Rational(21, 100));
  EXPECT_EQ(largest_probability(Rational(5), 0, 0), Rational(0));
  EXPECT_EQ(largest_probability(Rational(5), Rational(1, 3), Rational(2, 3)), Rational(1));
  EXPECT_EQ(largest_probability(Rational(1'000'000), 0, Rational(1, 2)), Rational(1));
  const Rational tenth = largest_probability(Rational(1), 0, Rational(1, 10));  // e/10
  EXPECT_GT(tenth, Rational(27, 100));
  EXPECT_LT(tenth, Rational(28, 100));
  EXPECT_THROW(largest_probability(Rational(1), 0, Rational(11, 10)), Error);
  EXPECT_THROW(largest_probability(Rational(1), Rational(-1), Rational(1, 2)), Error);
}

/// Randomized response that tells the truth outright with probability delta: the worst (epsilon, delta)-DP mechanism. Its
/// outcomes: surely one, yes, no, surely the other.
TEST(Conversion, LargestProbabilitiesAreThoseOfRandomizedResponse) {
  EXPECT_TRUE(rc::check([] {
    const Rational odds = Rational(1) + Rational(*rc::gen::inRange(1, 1000), 100);
    const Rational delta = Rational(*rc::gen::inRange(0, 50), 100);
    const Rational more = (Rational(1) - delta) * odds / (odds + Rational(1));
    const Rational less = (Rational(1) - delta) / (odds + Rational(1));
    const std::vector<Rational> p{delta, more, less, 0};
    const std::vector<Rational> q{0, less, more, delta};
    for (unsigned event = 0; event < 16; ++event) {
      Rational of_p;
      Rational of_q;
      for (unsigned outcome = 0; outcome < 4; ++outcome) {
        if ((event >> outcome & 1U) == 0) continue;
        of_p += p[outcome];
        of_q += q[outcome];
      }
      RC_ASSERT(of_p <= largest_probability(Exponent::log(odds), delta, of_q));
    }
    RC_ASSERT(largest_probability(Exponent::log(odds), delta, less) == delta + more);
    RC_ASSERT(largest_probability(Exponent::log(odds), delta, less + more) == Rational(1));
    const Rational share = Rational(*rc::gen::inRange(0, 100), 100);  // of the outcome "no", by a further coin
    RC_ASSERT(largest_probability(Exponent::log(odds), delta, less + more * share) == delta + more + less * share);
  }));
}

TEST(Conversion, LargestProbabilitiesThatAreNotRationalAreRoundedUp) {
  EXPECT_TRUE(rc::check([] {
    const Exponent epsilon = any_level();
    const Rational p = Rational(*rc::gen::inRange(1, 99), 100);
    const Enclosure factor = Enclosure::of(epsilon, 600).exp();
    const Enclosure raised = factor * number(p);
    const Enclosure from_above = number(1) - number(Rational(1) - p) / factor;
    expect_just_above(largest_probability(epsilon, 0, p), certainly_less(raised, from_above) ? raised : from_above);
  }));
}

// Zero-concentrated to approximate.

double gaussian_tail(double x) { return std::erfc(x / std::sqrt(2.0)) / 2; }

/// The delta of the Gaussian mechanism with rho = 1/(2 sigma^2) (Balle and Wang 2018): a rho-zCDP mechanism.
double gaussian_delta(double rho, double epsilon) {
  const double mean = std::sqrt(2 * rho);
  return gaussian_tail(epsilon / mean - mean / 2) - std::exp(epsilon) * gaussian_tail(epsilon / mean + mean / 2);
}

TEST(Conversion, DeltaOfZcdpCoversTheGaussianAndIsNotFarAbove) {
  for (const double rho : {1e-4, 0.01, 0.1, 0.5, 2.0}) {
    for (const double factor : {0.5, 1.0, 3.0, 5.0}) {
      const double epsilon = rho + factor * std::sqrt(2 * rho);
      const double bound = delta_of_zcdp(Rational::from_double(rho), Rational::from_double(epsilon)).to_double();
      const double exact = gaussian_delta(rho, epsilon);
      EXPECT_GT(bound, exact) << rho << ' ' << epsilon;
      EXPECT_LT(bound, 40 * exact) << rho << ' ' << epsilon;
    }
  }
}

/// The Gaussian mechanism's best test has probability Phi(t + mean) where the other law gives it Phi(t).
TEST(Conversion, LargestProbabilitiesOfZcdpCoverTheGaussian) {
  for (const double rho : {1e-4, 0.01, 0.5, 2.0}) {
    for (const double t : {-4.0, -2.5, -1.0, 0.0, 1.0}) {
      SCOPED_TRACE(rho);
      const Rational p = Rational::from_double(gaussian_tail(-t));
      const double bound = largest_probability(Budget::zcdp(Rational::from_double(rho)), p).to_double();
      EXPECT_GE(bound, gaussian_tail(-t - std::sqrt(2 * rho)) * (1 - 1e-12));
      EXPECT_LT(bound, 1.0);
    }
  }
  const Budget pure = Budget::pure(Rational(1));
  EXPECT_EQ(largest_probability(pure, Rational(1, 10)), largest_probability(Rational(1), 0, Rational(1, 10)));
  const Budget approximate = Budget::approximate(Exponent::log(2), Rational(1, 100));
  EXPECT_EQ(largest_probability(approximate, Rational(1, 10)), Rational(21, 100));
}

TEST(Conversion, NoOrderIsBetterThanTheChosen) {
  EXPECT_TRUE(rc::check("a scan of orders", [] {
    const double rho = any_rho().to_double();
    const double delta = any_delta().to_double();
    const double epsilon = epsilon_of_zcdp(Rational::from_double(rho), Rational::from_double(delta)).to_double();
    for (double log_order = -20; log_order < 40; log_order += 0.01) {
      const double order = std::exp(log_order);  // alpha - 1
      const double at_order = (order + 1) * rho - std::log1p(1 / order) - (std::log(delta) + std::log1p(order)) / order;
      RC_ASSERT(epsilon <= std::max(0.0, at_order) * (1 + 1e-9) + 1e-12);
    }
  }));
}

TEST(Conversion, EpsilonAndDeltaOfZcdpInvertEachOther) {
  EXPECT_TRUE(rc::check("delta at the epsilon of delta", [] {
    const Rational rho = any_rho();
    const Rational delta = any_delta();
    const Rational epsilon = epsilon_of_zcdp(rho, delta);
    const double simple = rho.to_double() + 2 * std::sqrt(rho.to_double() * std::log(1 / delta.to_double()));
    RC_ASSERT(epsilon.to_double() <= simple);
    RC_ASSERT(delta_of_zcdp(rho, epsilon) <= delta * (Rational(1) + Rational::dyadic(1, -30)));
    if (epsilon.sign() == 0) return;
    RC_ASSERT(delta_of_zcdp(rho, epsilon * (Rational(1) - Rational::dyadic(1, -20))) > delta);
  }));
}

TEST(Conversion, DeltaOfZcdpFallsInEpsilonAndGrowsInRho) {
  EXPECT_TRUE(rc::check("monotone", [] {
    const Rational rho = any_rho();
    const Rational epsilon = Rational(*rc::gen::inRange(0, 1000), 100);
    const Rational delta = delta_of_zcdp(rho, epsilon);
    RC_ASSERT(delta > Rational(0));
    RC_ASSERT(delta <= Rational(1));
    RC_ASSERT(delta_of_zcdp(rho, epsilon + Rational(1, 50)) <= delta);
    RC_ASSERT(delta_of_zcdp(rho * Rational(11, 10), epsilon) >= delta);
  }));
}

TEST(Conversion, ExtremesAreAnsweredOrRefusedNeverLooped) {
  EXPECT_EQ(delta_of_zcdp(Rational::parse("1e-30"), Rational(1)), Rational::dyadic(1, -1024));
  EXPECT_EQ(delta_of_zcdp(Rational::parse("1e30"), Rational(1)), Rational(1));
  EXPECT_EQ(delta_of_zcdp(Rational::parse("1e-3000"), Rational(1)), Rational::dyadic(1, -1024));
  EXPECT_GT(epsilon_of_zcdp(Rational::parse("1e-30"), Rational::parse("1e-300")), Rational(0));
  EXPECT_GT(zcdp_of_bounded_range_tight(Rational::parse("1e3000")), Rational::parse("9e2999"));
  EXPECT_GT(zcdp_of_bounded_range_tight(Rational::parse("1e-3000")), Rational(0));
  EXPECT_EQ(epsilon_of_zcdp(Rational::parse("1e-30"), {1, 2}), Rational(0));
}

// Solvers.

TEST(Conversion, LargestLevelsAreFeasibleAndNothingMuchLargerIs) {
  EXPECT_TRUE(rc::check("sqrt and tight forms", [] {
    const Rational rho = any_rho();
    const Rational more = Rational(1) + margin;
    const auto is_largest = [&](const Rational& level, Rational (*cost)(const Exponent&)) {
      return cost(level) <= rho && cost(level * more) > rho;
    };
    RC_ASSERT(is_largest(largest_pure(rho), zcdp_of_pure));
    RC_ASSERT(is_largest(largest_pure_tight(rho), zcdp_of_pure_tight));
    RC_ASSERT(is_largest(largest_bounded_range(rho), zcdp_of_bounded_range));
    RC_ASSERT(is_largest(largest_bounded_range_tight(rho), zcdp_of_bounded_range_tight));
    RC_ASSERT(largest_bounded_range_tight(rho) >= largest_bounded_range(rho));
  }));
  EXPECT_EQ(largest_bounded_range({1, 2}), Rational(2));
  EXPECT_EQ(largest_pure({1, 18}), Rational(1, 3));
}

TEST(Conversion, LargestZcdpIsFeasibleAndNothingMuchLargerIs) {
  EXPECT_TRUE(rc::check("largest rho", [] {
    const Exponent epsilon = any_level();
    const Rational delta = any_delta();
    const Rational rho = largest_zcdp(epsilon, delta);
    RC_ASSERT(rho > Rational(0));
    RC_ASSERT(delta_of_zcdp(rho, epsilon) <= delta * (Rational(1) + Rational::dyadic(1, -30)));
    RC_ASSERT(delta_of_zcdp(rho * (Rational(1) + Rational::dyadic(1, -20)), epsilon) > delta);
  }));
}

}  // namespace
}  // namespace fractile
