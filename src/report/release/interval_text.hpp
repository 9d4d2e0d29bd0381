// Shares and the ends of intervals, as people and programs read them.
#pragma once

#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/receipts.hpp"
#include "report/text/decimals.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// "10 %", or "1/3" if the percentage is not a decimal.
inline std::string share_of(const Rational& share) {
  const Rational percent = share * Rational(100);
  return percent.is_decimal() ? percent.to_decimal() + " %" : share.to_string();
}

/// "2.8 in 100" or "28 in 100", rounded up; "100 in 100" only for what is certain.
inline std::string in_a_hundred(const Rational& probability) {
  const Rational percent = probability * Rational(100);
  return rounded_percent(percent, percent < Rational(10) ? 1 : 0) + " in 100";
}

/// What a probability may become because of a person's records. It becomes certain only if delta allows it, whatever rounding up makes of
/// it.
inline std::string becomes_at_most(const Budget& budget, const Rational& before) {
  const Rational after = largest_probability(budget, before);
  const Rational delta = budget.measure() == Measure::approximate ? budget.delta() : Rational(0);
  return after == Rational(1) && before + delta < Rational(1) ? "just under 100 in 100" : in_a_hundred(after);
}

/// How to write an end of an interval that is an end of the range: as an infinity for programs, or in words.
enum class OpenEnds { infinite, in_words };

/// The ends of an interval, as texts.
struct Ends {
  std::string lower;
  std::string upper;
  bool or_below = false;
  bool or_above = false;
};

inline Ends ends_of(const Lattice& lattice, const Interval& interval) {
  return {lattice.text(interval.lower), lattice.text(interval.upper), interval.or_below, interval.or_above};
}

inline std::string lower_text(const Ends& interval, OpenEnds ends) {
  if (!interval.or_below) return interval.lower;
  return ends == OpenEnds::infinite ? "-inf" : interval.lower + " or below";
}

inline std::string upper_text(const Ends& interval, OpenEnds ends) {
  if (!interval.or_above) return interval.upper;
  return ends == OpenEnds::infinite ? "inf" : interval.upper + " or above";
}

/// A heading, and one row per comparison: the key (with groups), the quantile, what it is compared with, the difference and, for numbers,
/// the ratio.
std::vector<Row> comparison_rows(const Release& release, const std::vector<NamedComparison>& comparisons);
/// How many cells at the end of such a row are numbers.
std::size_t compared_cells(const Release& release);
std::string about_comparisons(const Release& release);
/// With which probability the comparisons hold.
std::string comparisons_in_words(const Release& release, const std::vector<NamedComparison>& comparisons);

}  // namespace fractile::report_detail
