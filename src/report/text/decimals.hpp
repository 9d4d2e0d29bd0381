// Budgets and other numbers as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/exact.hpp"
#include "fractile/ledger.hpp"
#include "fractile/privacy.hpp"

namespace fractile::report_detail {

/// Writes "0.25" where to_string() writes "1/4".
std::string with_decimals(const Exponent& epsilon);
/// The budget's to_string() with decimals, if they are exact and have at most twelve characters: "epsilon = 0.25, delta = 0.000001".
std::string with_decimals(const Budget& budget);
std::string with_decimals(const Spending& sum);

/// The number rounded to this many significant digits, never in scientific notation: "123500", "0.000012".
std::string plain(double number, int digits);

/// The number rounded up or down to this many decimals.
Rational rounded_up(const Rational& number, int places);
Rational rounded_down(const Rational& number, int places);

/// "1 record" or "2 records".
std::string counted(std::uint64_t number, const char* noun);

/// The percentage in decimals, rounded up to this many places. It becomes 100 only if it is 100: otherwise it keeps as many more places as
/// that takes. Says "just under 100" where these would be more than twelve.
std::string rounded_percent(const Rational& percent, int places);

}  // namespace fractile::report_detail
