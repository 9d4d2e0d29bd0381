// Shares and the ends of intervals, as people and programs read them.
#pragma once

#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/report.hpp"
#include "report/text_columns.hpp"

namespace fractile::report_detail {

/// "10 %", or "1/3" when no decimals will do.
inline std::string share_of(const Rational& share) {
  const Rational percent = share * Rational(100);
  return percent.is_decimal() ? percent.to_decimal() + " %" : share.to_string();
}

/// "2.8 in 100", "28 in 100"; never below the probability.
inline std::string in_a_hundred(const Rational& probability) {
  const Rational percent = probability * Rational(100);
  const Rational unit = percent < Rational(10) ? Rational(1, 10) : Rational(1);
  return ((percent / unit).ceil() * unit).to_decimal() + " in 100";
}

/// How an interval's end is written that is the range's: an infinity that programs read, or in words.
enum class OpenEnds { infinite, in_words };

inline std::string lower_text(const Receipt::Ends& interval, OpenEnds ends) {
  if (!interval.or_below) return interval.lower;
  return ends == OpenEnds::infinite ? "-inf" : interval.lower + " or below";
}

inline std::string upper_text(const Receipt::Ends& interval, OpenEnds ends) {
  if (!interval.or_above) return interval.upper;
  return ends == OpenEnds::infinite ? "inf" : interval.upper + " or above";
}

/// A heading, and a row a comparison: key (with groups), quantile, what it is against, the difference and the ratio.
std::vector<Row> comparison_rows(const Receipt& receipt, const std::vector<NamedComparison>& comparisons);
inline constexpr const char* about_comparisons =
    "That is so of comparisons that were chosen before anybody looked at the values. A ratio is left out where the "
    "number "
    "it divides by, or a part of its interval, is not above 0.";
/// How surely they hold.
std::string comparisons_in_words(const Receipt& receipt, const std::vector<NamedComparison>& comparisons);

}  // namespace fractile::report_detail
