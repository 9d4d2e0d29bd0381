#include "quantiles/calibration.hpp"

#include <algorithm>
#include <bit>

namespace fractile {

std::uint64_t score_range(const QuantileFraction& alpha, Neighbors neighbors) {
  if (alpha.numerator == 0 || alpha.numerator == alpha.denominator) return alpha.denominator;
  if (neighbors == Neighbors::change_one) return 2 * alpha.denominator;
  return 2 * std::max(alpha.numerator, alpha.denominator - alpha.numerator);
}

int levels_for(std::size_t quantiles) { return static_cast<int>(std::bit_width(quantiles)); }

Calibration::Calibration(const QuantileQuery& query, int levels) : neighbors_(query.neighbors) {
  const Rational persons_share(1, query.records_per_person);
  if (query.budget.measure() == Measure::pure) {
    range_within_ = query.budget.epsilon() / Rational(levels) * persons_share;
    range_across_ = range_within_ / Rational(2);
    return;
  }
  // A node of bounded range r costs r^2 / 8; two nodes that share a change cost the sum.
  const Rational factor = query.rates == Rates::tight ? 8 : 2;
  const Rational squared = factor * query.budget.rho() / Rational(levels);
  range_within_ = sqrt_down(squared) * persons_share;
  range_across_ = sqrt_down(squared / Rational(2)) * persons_share;
}

Exponent Calibration::rate(const QuantileFraction& alpha, bool alone) const {
  const auto per = [](const Exponent& range, std::uint64_t score_units) {
    return range / Rational(static_cast<std::int64_t>(score_units));
  };
  Exponent within = per(range_within_, score_range(alpha, neighbors_));
  if (alone || neighbors_ == Neighbors::add_remove) return within;
  Exponent across = per(range_across_, score_range(alpha, Neighbors::add_remove));
  // Both are multiples of one number, so their coefficients compare as they do.
  return across.coefficient() < within.coefficient() ? across : within;
}

}  // namespace fractile
