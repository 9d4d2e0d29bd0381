// Budgets of few digits, among which the search for a sufficient budget runs.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/release.hpp"

namespace fractile {

/// A budget to try: 1000 .. 9999 times a power of ten, from 10^-9 to 1000.
struct ShortDecimal {
  std::int64_t digits;
  int exponent;

  static constexpr std::int64_t first = 1000;
  static constexpr std::int64_t per_decade = 9000;
  static constexpr int smallest_exponent = -9;
  static constexpr std::int64_t decades = 12;
  static ShortDecimal at(std::int64_t place) {
    constexpr int significant_digits = 4;
    return {first + place % per_decade,
            static_cast<int>(place / per_decade) + smallest_exponent - significant_digits + 1};
  }
  Rational value() const { return Rational(digits) * Rational(10).pow(exponent); }
};

inline Budget budget_like(const Budget& budget, const Rational& value) {
  return budget.measure() == Measure::zcdp ? Budget::zcdp(value) : Budget::pure(value);
}

/// Budgets of two significant digits: every hundredth place of ShortDecimal.
struct TwoDigits {
  static constexpr std::int64_t last = ShortDecimal::decades * ShortDecimal::per_decade / 100;

  static Rational at(std::int64_t place) { return ShortDecimal::at(100 * place).value(); }
  /// The place of the least such budget that is at least `amount`.
  static std::int64_t from(const Rational& amount) {
    std::int64_t place = 0;
    while (place < last && at(place) < amount) ++place;
    return place;
  }
};

/// Turns advice about the quantiles' budget into advice about the whole budget, of which this share is left for quantiles.
template <class Advice>
std::optional<Advice> enough_of_all(std::optional<Advice> advice, const Rational& left) {
  if (!advice || !advice->sufficient_budget || left == Rational(1)) return advice;
  const Budget& rest = *advice->sufficient_budget;
  const Rational amount = rest.measure() == Measure::zcdp ? rest.rho() : rest.epsilon().coefficient();
  advice->sufficient_budget = budget_like(rest, TwoDigits::at(TwoDigits::from(amount / left)));
  return advice;
}

/// The share of a release's budget that pays for its quantiles.
inline Rational left_for_quantiles(const Release& release) {
  return Rational(1) - (release.bounds ? release.bounds->share : Rational(0)) -
         (release.statistics ? release.statistics->request.share : Rational(0));
}

}  // namespace fractile
