// Composition of bounded-range mechanisms. The notation is that of docs/proofs/bounded_range_composition.md.
#include <algorithm>
#include <cmath>

#include "exact/own_environment.hpp"
#include "fractile/privacy.hpp"
#include "privacy/certified.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t most_mechanisms = 100'000;

Rational rational_of(std::uint64_t count) { return count; }

void require_count(std::uint64_t count) {
  if (count <= most_mechanisms) return;
  throw Error(ErrorCode::usage, "a composition of " + std::to_string(count) + " mechanisms",
              "compose at most 100000, or account for them by zCDP");
}

void require_delta(const Rational& delta) {
  if (delta.sign() >= 0 && delta < Rational(1)) return;
  throw Error(ErrorCode::usage, "delta must be at least 0 and less than 1, but is " + delta.to_string(),
              "write for example 1e-6");
}

/// The number of l with (m - l) eta > epsilon; only these l can give a positive delta.
std::uint64_t count_of_terms(const Exponent& eta, std::uint64_t count, const Exponent& epsilon) {
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t l = low + (high - low) / 2;
    const bool is_positive = EpsilonSum(eta * rational_of(count - l)) > EpsilonSum(epsilon);
    (is_positive ? low : high) = is_positive ? l + 1 : l;
  }
  return low;
}

/// The composition of m copies of the two-point mechanism whose loss is t or t - eta, at one precision.
class WorstCase {
 public:
  WorstCase(const Exponent& eta, std::uint64_t m, const Exponent& epsilon, std::int64_t precision)
      : m_(m),
        precision_(precision),
        eta_(Enclosure::of(eta, precision)),
        epsilon_(Enclosure::of(epsilon, precision)),
        one_(number(1)),
        gap_(one_minus_exp_of_minus(eta_, precision)),
        decay_(one_ - gap_) {}

  /// max over l < terms of delta_l(t*_l).
  Enclosure delta(std::uint64_t terms) const {
    Enclosure most = number(0);
    for (std::uint64_t l = 0; l < terms; ++l) most.raise_to(delta_at(l));
    return most;
  }

 private:
  Enclosure number(std::uint64_t value) const { return Enclosure::of(rational_of(value), precision_); }

  /// sum over i = l, l-1, ..., 0 of C(m,i) (1-a)^(m-i) a^i (1 - e^-(x + (l-i) eta)), where x = eta - t*_l and a is the probability,
  /// under the first law, of the loss t - eta.
  Enclosure delta_at(std::uint64_t l) const {
    const Enclosure x = (number(m_ - l) * eta_ - epsilon_) / number(m_ + 1);
    const Enclosure advantage = one_minus_exp_of_minus(x, precision_);
    // The probabilities of the losses t and t - eta are `advantage` and `lower_odds`, both divided by 1 - e^-eta.
    const Enclosure lower_odds = (one_ - advantage) * one_minus_exp_of_minus(eta_ - x, precision_);
    const Enclosure mass = binomial_mass(l, advantage / gap_, lower_odds / gap_);
    return sum_downwards(l, mass, advantage, advantage / lower_odds);
  }

  Enclosure binomial_mass(std::uint64_t l, const Enclosure& upper, const Enclosure& lower) const {
    Enclosure result = number(0);
    arb_bin_uiui(result.arb(), m_, l, precision_);
    return result * upper.pow(m_ - l) * lower.pow(l);
  }

  Enclosure sum_downwards(std::uint64_t l, Enclosure mass, const Enclosure& advantage, const Enclosure& odds) const {
    Enclosure sum = mass * advantage;
    Enclosure rest = one_ - advantage;  // e^-(x + (l-i) eta)
    for (std::uint64_t i = l; i > 0; --i) {
      const Enclosure ratio = odds * i / (m_ - i + 1);
      mass *= ratio;
      const Enclosure slope = one_ - ratio;
      if (is_negligible_tail(mass, slope, sum)) {
        arb_add_error(sum.arb(), (mass / slope).arb());
        break;
      }
      rest *= decay_;
      sum += mass * (one_ - rest);
    }
    return sum;
  }

  /// Whether the remaining terms are below 2^-64 of the sum. Ratios of successive terms fall with i, so once a ratio is r < 1, the
  /// remaining terms add up to at most mass/(1 - r).
  static bool is_negligible_tail(const Enclosure& mass, const Enclosure& slope, const Enclosure& sum) {
    return slope.is_positive() && certainly_less(scaled(mass, 64), sum * slope);
  }

  std::uint64_t m_;
  std::int64_t precision_;
  Enclosure eta_, epsilon_, one_, gap_, decay_;
};

/// ln(value/wanted), and -1000 for 0.
double log_ratio(const Rational& value, const Rational& wanted) {
  return value.sign() == 0 ? -1000 : (Enclosure::of(value) / Enclosure::of(wanted)).log().to_double();
}

/// Where gap(x) changes sign between `from` and `to`, by the Illinois rule: a good guess after some ten calls, without a
/// certificate.
template <typename Gap>
Rational guess_root(const Rational& from, const Rational& to, const Gap& gap) {
  double a = from.to_double();
  double b = to.to_double();
  double at_a = gap(from);
  double at_b = gap(to);
  for (int step = 0; step < 40 && at_b != 0 && std::abs(b - a) > 0x1p-50 * std::abs(b); ++step) {
    const double next = b - at_b * (b - a) / (at_b - at_a);
    if (!std::isfinite(next) || next <= 0) break;
    const double at_next = gap(Rational::from_double(next));
    if ((at_next < 0) != (at_b < 0)) {
      a = b;
      at_a = at_b;
    } else {
      at_a /= 2;
    }
    const bool is_still = std::abs(next - b) <= 0x1p-50 * std::abs(b);
    b = next;
    at_b = at_next;
    if (is_still) break;
  }
  return std::isfinite(b) ? Rational::from_double(b) : to;
}

/// bisect() for delta_at(x) <= delta, after narrowing the bracket around a guess.
template <typename DeltaAt>
Rational solve(Rational inside, Rational outside, const Rational& delta, const DeltaAt& delta_at) {
  const auto feasible = [&](const Rational& x) { return delta_at(x) <= delta; };
  const auto gap = [&](const Rational& x) { return log_ratio(delta_at(x), delta); };
  const Rational guess = guess_root(outside, inside, gap);
  const Rational step = guess * Rational::dyadic(1, -46);
  for (const Rational& near : {guess - step, guess + step}) {
    const bool is_between = std::min(inside, outside) < near && near < std::max(inside, outside);
    if (is_between) (feasible(near) ? inside : outside) = near;
  }
  return bisect(inside, outside, feasible);
}

Rational upper_of(const Exponent& level) { return EpsilonSum(level).upper(); }

Rational lower_of(const Exponent& level) { return EpsilonSum(level).lower(); }

}  // namespace

Rational delta_of_bounded_range(const Exponent& eta, std::uint64_t count, const Exponent& epsilon) {
  const OwnEnvironment own;
  require_count(count);
  const std::uint64_t terms = count_of_terms(eta, count, epsilon);
  if (terms == 0) return 0;
  return certified_probability(
      [&](std::int64_t precision) { return WorstCase(eta, count, epsilon, precision).delta(terms); });
}

Rational epsilon_of_bounded_range(const Exponent& eta, std::uint64_t count, const Rational& delta) {
  const OwnEnvironment own;
  require_count(count);
  require_delta(delta);
  const auto delta_at = [&](const Rational& epsilon) { return delta_of_bounded_range(eta, count, epsilon); };
  Rational pure = upper_of(eta * rational_of(count));
  if (pure.sign() == 0 || delta.sign() == 0) return pure;
  if (delta_at(0) <= delta) return 0;
  const Rational rho = rational_of(count) * zcdp_of_bounded_range_tight(eta);
  return solve(std::min(pure, epsilon_of_zcdp(rho, delta)), 0, delta, delta_at);
}

Rational largest_bounded_range_composed(std::uint64_t count, const Exponent& epsilon, const Rational& delta) {
  const OwnEnvironment own;
  require_count(count);
  if (count == 0) throw Error(ErrorCode::usage, "a composition of no mechanisms", "compose at least 1");
  require_delta(delta);
  Rational pure = lower_of(epsilon) / rational_of(count);
  if (delta.sign() == 0) return pure;
  const Rational by_zcdp = largest_bounded_range_tight(largest_zcdp(epsilon, delta) / rational_of(count));
  const auto delta_at = [&](const Rational& eta) { return delta_of_bounded_range(eta, count, epsilon); };
  Rational inside = lower_rational(Enclosure::of(std::max(pure, by_zcdp)));
  Rational outside = inside * Rational(2);
  for (; delta_at(outside) <= delta; outside *= 2) inside = outside;
  return std::max(pure, solve(inside, outside, delta, delta_at));
}

}  // namespace fractile
