#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact/own_environment.hpp"
#include "fractile/privacy.hpp"
#include "privacy/certified.hpp"

namespace fractile {
namespace {

void require_rho(const Rational& rho) {
  if (rho.sign() < 0) throw Error(ErrorCode::usage, "rho is negative: " + rho.to_string(), "write a rho of at least 0");
}

void require_inner_delta(const Rational& delta) {
  if (delta.sign() > 0 && delta < Rational(1)) return;
  throw Error(ErrorCode::usage, "delta must be between 0 and 1, but is " + delta.to_string(),
              "write for example 1e-6: zCDP has no epsilon at delta 0");
}

/// factor * level^2.
Rational scaled_square(const Exponent& level, const Rational& factor) {
  if (!level.is_log()) return factor * level.coefficient() * level.coefficient();
  return certified_upper([&](std::int64_t precision) {
    const Enclosure ball = Enclosure::of(level, precision);
    return Enclosure::of(factor, precision) * ball * ball;
  });
}

/// For such levels, the squares are within 2^-44 of the tight forms, whose terms would cancel.
bool is_tiny(const Exponent& level) {
  return certainly_less(Enclosure::of(level), Enclosure::of(Rational::dyadic(1, -21)));
}

/// epsilon tanh(epsilon/2) = epsilon (1 - e^-epsilon)/(1 + e^-epsilon).
Enclosure tight_zcdp_of_pure(const Exponent& epsilon, std::int64_t precision) {
  const Enclosure ball = Enclosure::of(epsilon, precision);
  const Enclosure gap = one_minus_exp_of_minus(ball, precision);
  return ball * gap / (Enclosure::of(Rational(2), precision) - gap);
}

/// y - 1 - ln y with y = eta/(1 - e^-eta) = x + eta: equal to x - 1 - ln x, but nothing overflows.
Enclosure tight_zcdp_of_bounded_range(const Exponent& eta, std::int64_t precision) {
  const Enclosure ball = Enclosure::of(eta, precision);
  const Enclosure y = ball / one_minus_exp_of_minus(ball, precision);
  return y - Enclosure::of(Rational(1), precision) - y.log();
}

// A Renyi order alpha > 1 is represented as alpha - 1. Any order gives a valid bound; doubles suffice to find a good one.

double double_of(const Rational& value) {
  return Enclosure::of(value).to_double();  // rounds numbers that are too large or too small, and never throws
}

double double_of(const Exponent& value) { return Enclosure::of(value).to_double(); }

double log_of(const Rational& value) { return Enclosure::of(value).log().to_double(); }

/// Where an increasing function changes sign. Its arguments are natural logarithms of positive doubles.
template <typename Function>
double root_of_increasing(const Function& function) {
  double low = -600;
  double high = 600;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::midpoint(low, high);
    (function(middle) < 0 ? low : high) = middle;
  }
  return std::midpoint(low, high);
}

/// ln((alpha - 1)/alpha).
double log_of_ratio(double order) { return -std::log1p(1 / order); }

/// The order that minimizes delta at epsilon: (2 alpha - 1) rho - epsilon + ln(1 - 1/alpha) = 0.
double order_for_delta(double rho, double epsilon) {
  return std::exp(root_of_increasing([&](double log_order) {
    const double order = std::exp(log_order);
    return (2 * order + 1) * rho - epsilon + log_of_ratio(order);
  }));
}

/// The order that minimizes epsilon at delta: (alpha - 1)^2 rho = ln(1/delta) - ln(alpha).
double order_for_epsilon(double log_rho, double log_delta) {
  return std::exp(root_of_increasing([&](double log_order) {
    return std::exp(2 * log_order + log_rho) + log_delta + std::log1p(std::exp(log_order));
  }));
}

double epsilon_at_order(double order, double rho, double log_delta) {
  return (order + 1) * rho + log_of_ratio(order) - (log_delta + std::log1p(order)) / order;
}

/// The order at which the largest rho for (epsilon, delta) is feasible.
double order_for_rho(double epsilon, double log_delta) {
  const double log_rho = root_of_increasing([&](double log_rho_tried) {
    const double order = order_for_epsilon(log_rho_tried, log_delta);
    return epsilon_at_order(order, std::exp(log_rho_tried), log_delta) - epsilon;
  });
  return order_for_epsilon(log_rho, log_delta);
}

/// The terms of Prop. 12 of Canonne, Kamath and Steinke 2020 at one order.
struct Order {
  Order(double order, std::int64_t precision)
      : minus_one(Enclosure::of(Rational::from_double(order), precision)),
        alpha(minus_one + Enclosure::of(Rational(1), precision)),
        log_ratio((minus_one / alpha).log()) {}

  /// ln(delta) = (alpha - 1)(alpha rho - epsilon) + alpha ln(1 - 1/alpha) - ln(alpha - 1).
  Enclosure log_delta(const Enclosure& rho, const Enclosure& epsilon) const {
    return minus_one * (alpha * rho - epsilon) + alpha * log_ratio - minus_one.log();
  }
  /// ln(1 - 1/alpha) - (ln(delta) + ln(alpha))/(alpha - 1). Epsilon is this number plus alpha rho.
  Enclosure epsilon_beyond_rho(const Enclosure& delta) const {
    return log_ratio - (delta.log() + alpha.log()) / minus_one;
  }

  Enclosure minus_one;
  Enclosure alpha;
  Enclosure log_ratio;
};

/// e^x as a probability. x is clamped: e^-800 < 2^-1024 stands for everything smaller, and e for everything larger.
Enclosure clamped_exp(const Enclosure& x, std::int64_t precision) {
  const Enclosure least = Enclosure::of(Rational(-800), precision);
  const Enclosure most = Enclosure::of(Rational(1), precision);
  if (certainly_less(x, least)) return least.exp();
  return certainly_less(most, x) ? most.exp() : x.exp();
}

Rational largest_level(const Rational& rho, std::int64_t factor) {
  require_rho(rho);
  return sqrt_down(Rational(factor) * rho);
}

/// The square of a level is at least its tight cost, so sqrt(factor rho) is feasible.
Rational largest_level_tight(const Rational& rho, std::int64_t factor, Rational (*cost)(const Exponent&)) {
  Rational simple = largest_level(rho, factor);
  if (simple.sign() == 0) return simple;
  return std::max(simple, largest_feasible(simple, [&](const Rational& level) { return cost(level) <= rho; }));
}

}  // namespace

Rational zcdp_of_pure(const Exponent& epsilon) { return scaled_square(epsilon, {1, 2}); }

Rational zcdp_of_pure_tight(const Exponent& epsilon) {
  const OwnEnvironment own;
  if (is_tiny(epsilon)) return zcdp_of_pure(epsilon);
  return certified_upper([&](std::int64_t precision) { return tight_zcdp_of_pure(epsilon, precision); });
}

Exponent pure_of_bounded_range(const Exponent& eta) { return eta; }

Exponent bounded_range_of_pure(const Exponent& epsilon) { return epsilon * Rational(2); }

Rational zcdp_of_bounded_range(const Exponent& eta) { return scaled_square(eta, {1, 8}); }

Rational zcdp_of_bounded_range_tight(const Exponent& eta) {
  const OwnEnvironment own;
  if (is_tiny(eta)) return zcdp_of_bounded_range(eta);
  return certified_upper([&](std::int64_t precision) { return tight_zcdp_of_bounded_range(eta, precision); });
}

Rational delta_of_pure(const Exponent& epsilon, const Exponent& target) {
  const OwnEnvironment own;
  if (EpsilonSum(target) >= EpsilonSum(epsilon)) return 0;
  return certified_probability([&](std::int64_t precision) {
    const Enclosure top = Enclosure::of(epsilon, precision);
    const Enclosure gap = one_minus_exp_of_minus(top - Enclosure::of(target, precision), precision);
    return gap / (Enclosure::of(Rational(2), precision) - one_minus_exp_of_minus(top, precision));
  });
}

Rational delta_of_zcdp(const Rational& rho, const Exponent& epsilon) {
  const OwnEnvironment own;
  require_rho(rho);
  if (rho.sign() == 0) return 0;
  const double order = order_for_delta(double_of(rho), double_of(epsilon));
  return certified_probability([&](std::int64_t precision) {
    const Order at(order, precision);
    return clamped_exp(at.log_delta(Enclosure::of(rho, precision), Enclosure::of(epsilon, precision)), precision);
  });
}

Rational epsilon_of_zcdp(const Rational& rho, const Rational& delta) {
  const OwnEnvironment own;
  require_rho(rho);
  require_inner_delta(delta);
  if (rho.sign() == 0) return 0;
  const double order = order_for_epsilon(log_of(rho), log_of(delta));
  const auto enclose = [&](std::int64_t precision) {
    const Order at(order, precision);
    return at.alpha * Enclosure::of(rho, precision) + at.epsilon_beyond_rho(Enclosure::of(delta, precision));
  };
  const auto is_settled = [](const Enclosure& ball) { return arb_is_nonpositive(ball.arb()) || is_sharp(ball); };
  return std::max(Rational(0), upper_rational(enclose_until(enclose, is_settled)));
}

namespace {

/// e^epsilon p + delta.
Rational raised(const Exponent& epsilon, const Rational& delta, const Rational& p) {
  if (p.sign() == 0) return delta;
  if (EpsilonSum(epsilon) > EpsilonSum(Rational(1000))) return 1;  // values beyond 1 are not needed
  if (epsilon.has_rational_exponential()) return epsilon.exponential() * p + delta;
  return certified_upper([&](std::int64_t precision) {
    return Enclosure::of(epsilon, precision).exp() * Enclosure::of(p, precision) + Enclosure::of(delta, precision);
  });
}

/// 1 - e^-epsilon (1 - p - delta), where 1 - p - delta > 0.
Rational from_above(const Exponent& epsilon, const Rational& others) {
  if (EpsilonSum(epsilon) > EpsilonSum(Rational(1000))) return 1;
  if (epsilon.has_rational_exponential()) return Rational(1) - others / epsilon.exponential();
  return certified_upper([&](std::int64_t precision) {
    const Enclosure kept = Enclosure::of(others, precision) / Enclosure::of(epsilon, precision).exp();
    return Enclosure::of(Rational(1), precision) - kept;
  });
}

void require_probability(const Rational& value, const char* what) {
  if (value.sign() >= 0 && value <= Rational(1)) return;
  throw Error(ErrorCode::usage, std::string(what) + " is not between 0 and 1", "write for example 1/10");
}

}  // namespace

Rational largest_probability(const Exponent& epsilon, const Rational& delta, const Rational& probability) {
  const OwnEnvironment own;
  require_probability(probability, "a probability");
  require_probability(delta, "delta");
  const Rational others = Rational(1) - probability - delta;
  if (others.sign() <= 0) return 1;
  return std::min({raised(epsilon, delta, probability), from_above(epsilon, others), Rational(1)});
}

Rational largest_probability(const Budget& budget, const Rational& probability) {
  const OwnEnvironment own;
  switch (budget.measure()) {
    case Measure::pure:
      return largest_probability(budget.epsilon(), 0, probability);
    case Measure::approximate:
      return largest_probability(budget.epsilon(), budget.delta(), probability);
    case Measure::zcdp:
      break;
  }
  Rational least = 1;
  for (int digits = 1; digits <= 12; ++digits) {
    const Rational delta = Rational(10).pow(-digits);
    least = std::min(least, largest_probability(epsilon_of_zcdp(budget.rho(), delta), delta, probability));
  }
  return least;
}

Rational largest_pure(const Rational& rho) { return largest_level(rho, 2); }

Rational largest_pure_tight(const Rational& rho) { return largest_level_tight(rho, 2, zcdp_of_pure_tight); }

Rational largest_bounded_range(const Rational& rho) { return largest_level(rho, 8); }

Rational largest_bounded_range_tight(const Rational& rho) {
  const OwnEnvironment own;
  return largest_level_tight(rho, 8, zcdp_of_bounded_range_tight);
}

Rational largest_zcdp(const Exponent& epsilon, const Rational& delta) {
  const OwnEnvironment own;
  require_inner_delta(delta);
  const double order = order_for_rho(double_of(epsilon), log_of(delta));
  const auto enclose = [&](std::int64_t precision) {
    const Order at(order, precision);
    return (Enclosure::of(epsilon, precision) - at.epsilon_beyond_rho(Enclosure::of(delta, precision))) / at.alpha;
  };
  return std::max(Rational(0), certified_lower(enclose));
}

Rational smallest_temperature(const Exponent& epsilon, const Rational& range_distance) {
  const OwnEnvironment own;
  if (epsilon.is_zero()) throw Error(ErrorCode::usage, "no temperature has epsilon 0", "write a positive epsilon");
  if (range_distance.sign() < 0) {
    throw Error(ErrorCode::usage, "the range distance is negative: " + range_distance.to_string(),
                "write the largest change of a score difference, at least 0");
  }
  if (!epsilon.is_log()) return range_distance / epsilon.coefficient();
  return certified_upper([&](std::int64_t precision) {
    return Enclosure::of(range_distance, precision) / Enclosure::of(epsilon, precision);
  });
}

}  // namespace fractile
