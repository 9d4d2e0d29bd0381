// Certified bounds: Ziv's loop (more bits until the ball is small), a ball's end points as dyadic rationals, and bisection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "exact/enclosure.hpp"

namespace fractile {

/// Dyadic rationals with at most 53 significant bits: at or above every number of the ball, and at or below.
Rational upper_rational(const Enclosure& ball);
Rational lower_rational(const Enclosure& ball);

/// The ball is 0, or its radius is at most 2^-50 of its center. Its rational bounds then have relative slack below 2^-48.
bool is_sharp(const Enclosure& ball);

/// 1 - e^-x without cancellation.
Enclosure one_minus_exp_of_minus(const Enclosure& x, std::int64_t precision);

constexpr std::int64_t least_precision = 128;
constexpr std::int64_t most_precision = std::int64_t{1} << 16;

[[noreturn]] void throw_too_extreme();

/// Calls enclose(precision) with more and more bits until accept(ball).
template <typename Enclose, typename Accept>
Enclosure enclose_until(const Enclose& enclose, const Accept& accept) {
  for (std::int64_t precision = least_precision; precision <= most_precision; precision *= 2) {
    Enclosure ball = enclose(precision);
    if (accept(ball)) return ball;
  }
  throw_too_extreme();
}

template <typename Enclose>
Rational certified_upper(const Enclose& enclose) {
  return upper_rational(enclose_until(enclose, is_sharp));
}

template <typename Enclose>
Rational certified_lower(const Enclose& enclose) {
  return lower_rational(enclose_until(enclose, is_sharp));
}

/// A probability from its enclosures, rounded up and clamped to [2^-1024, 1].
template <typename Enclose>
Rational certified_probability(const Enclose& enclose) {
  Rational least = Rational::dyadic(1, -1024);
  const auto is_negligible = [&](const Enclosure& ball) { return certainly_less(ball, Enclosure::of(least)); };
  const auto is_settled = [&](const Enclosure& ball) { return is_negligible(ball) || is_sharp(ball); };
  const Enclosure ball = enclose_until(enclose, is_settled);
  if (is_negligible(ball)) return least;
  return std::min(upper_rational(ball), Rational(1));
}

/// A feasible number between `inside`, which is feasible, and `outside`, which is not, both positive. An infeasible number is
/// within a relative distance of 2^-44.
template <typename Feasible>
Rational bisect(Rational inside, Rational outside, const Feasible& feasible) {
  const Rational slack = Rational::dyadic(1, -44);
  const auto distance = [&] { return inside < outside ? outside - inside : inside - outside; };
  while (distance() > slack * inside) {
    Rational middle = (inside + outside) / Rational(2);
    (feasible(middle) ? inside : outside) = std::move(middle);
  }
  return inside;
}

/// The largest feasible number, rounded down. `inside` > 0 is feasible, and every number below a feasible one is feasible.
template <typename Feasible>
Rational largest_feasible(const Rational& inside, const Feasible& feasible) {
  Rational low = lower_rational(Enclosure::of(inside));
  Rational high = low * Rational(2);
  while (feasible(high)) {
    low = high;
    high *= 2;
  }
  return bisect(low, high, feasible);
}

}  // namespace fractile
