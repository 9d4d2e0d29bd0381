#include "quantiles/draws/calibration.hpp"

#include <algorithm>
#include <bit>

#include "exact/enclosure.hpp"

namespace fractile {

QuantileQuery with_part(QuantileQuery query, const Rational& part) {
  query.budget = query.budget.scaled(part);
  return query;
}

std::uint64_t score_range(const QuantileFraction& alpha, Neighbors neighbors) {
  if (alpha.numerator == 0 || alpha.numerator == alpha.denominator) return alpha.denominator;
  if (neighbors == Neighbors::change_one) return 2 * alpha.denominator;
  return 2 * std::max(alpha.numerator, alpha.denominator - alpha.numerator);
}

int levels_for(std::size_t quantiles) { return static_cast<int>(std::bit_width(quantiles)); }

Rational published_levels(std::size_t quantiles) {
  const Enclosure log2 = Enclosure::of(Rational(quantiles)).log() / Enclosure::of(Rational(2)).log();
  return Rational(1) + Rational::from_double(std::max(0.0, log2.upper_double()));
}

Calibration::Calibration(const QuantileQuery& query, const Rational& levels) : neighbors_(query.neighbors) {
  const Rational persons_share(1, query.records_per_person);
  if (query.budget.measure() == Measure::pure) {
    range_within_ = query.budget.epsilon() / levels * persons_share;
    range_across_ = range_within_ / Rational(2);
    return;
  }
  // A node of bounded range r costs r^2 / 8; two nodes that share a change cost the sum.
  const Rational factor = query.rates == Rates::tight ? 8 : 2;
  const Rational squared = factor * query.budget.rho() / levels;
  range_within_ = sqrt_down(squared) * persons_share;
  range_across_ = sqrt_down(squared / Rational(2)) * persons_share;
}

Exponent Calibration::rate(const QuantileFraction& alpha, bool alone) const {
  const auto range = [&](Neighbors neighbors) { return Rational(score_range(alpha, neighbors)); };
  return rate(range(Neighbors::add_remove), range(Neighbors::change_one), alone);
}

Exponent Calibration::rate(const Rational& range_added, const Rational& range_changed, bool alone) const {
  if (neighbors_ == Neighbors::add_remove) return range_within_ / range_added;
  Exponent within = range_within_ / range_changed;
  if (alone) return within;
  // Both are multiples of one number, so comparing their coefficients suffices.
  Exponent across = range_across_ / range_added;
  return across.coefficient() < within.coefficient() ? across : within;
}

}  // namespace fractile
