// Shares and the ends of intervals, as people and programs read them.
#pragma once

#include <string>

#include "fractile/exact.hpp"

namespace fractile::report_detail {

/// "10 %", or "1/3" when no decimals will do.
inline std::string share_of(const Rational& share) {
  const Rational percent = share * Rational(100);
  return percent.is_decimal() ? percent.to_decimal() + " %" : share.to_string();
}

/// How an interval's end is written that is the range's: an infinity that programs read, or in words.
enum class OpenEnds { infinite, in_words };

inline std::string lower_text(const std::string& value, bool or_below, OpenEnds ends) {
  if (!or_below) return value;
  return ends == OpenEnds::infinite ? "-inf" : value + " or below";
}

inline std::string upper_text(const std::string& value, bool or_above, OpenEnds ends) {
  if (!or_above) return value;
  return ends == OpenEnds::infinite ? "inf" : value + " or above";
}

}  // namespace fractile::report_detail
