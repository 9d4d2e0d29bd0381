#include "report/text/decimals.hpp"

#include "libraries/fmt.hpp"

namespace fractile::report_detail {

namespace {

/// "rho = 0.25"; empty if the number is not a short decimal.
std::string decimal_amount(const char* name, const Rational& number) {
  constexpr std::size_t longest = 12;
  const std::string decimal = number.is_decimal() ? number.to_decimal() : std::string(longest + 1, ' ');
  return decimal.size() <= longest ? fmt::format("{} = {}", name, decimal) : std::string();
}

/// The amount, with delta where the measure has one; `otherwise` if one of them is not a short decimal.
std::string amounts_or(const std::string& amount, const Rational* delta, const std::string& otherwise) {
  const std::string second = delta != nullptr ? decimal_amount("delta", *delta) : std::string();
  if (amount.empty() || (delta != nullptr && second.empty())) return otherwise;
  return delta != nullptr ? amount + ", " + second : amount;
}

}  // namespace

std::string with_decimals(const Budget& budget) {
  if (budget.measure() == Measure::zcdp) {
    return amounts_or(decimal_amount("rho", budget.rho()), nullptr, budget.to_string());
  }
  const Exponent& epsilon = budget.epsilon();
  const std::string amount = epsilon.is_log() ? std::string() : decimal_amount("epsilon", epsilon.coefficient());
  return amounts_or(amount, budget.measure() == Measure::approximate ? &budget.delta() : nullptr, budget.to_string());
}

std::string with_decimals(const Spending& sum) {
  if (sum.measure == Measure::zcdp) return amounts_or(decimal_amount("rho", sum.rho), nullptr, sum.to_string());
  const std::string amount = sum.epsilon.is_rational() ? decimal_amount("epsilon", sum.epsilon.upper()) : std::string();
  return amounts_or(amount, sum.measure == Measure::approximate ? &sum.delta : nullptr, sum.to_string());
}

std::string with_decimals(const Exponent& epsilon) {
  const bool is_decimal = !epsilon.is_log() && epsilon.coefficient().is_decimal();
  return is_decimal ? epsilon.coefficient().to_decimal() : epsilon.to_string();
}

std::string plain(double number, int digits) {
  const std::string text = fmt::format("{:.{}g}", number, digits);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  const int tens = std::atoi(text.c_str() + exponent + 1);
  if (tens > 0) return fmt::format("{:.0f}", std::strtod(text.c_str(), nullptr));
  std::string small = fmt::format("{:.{}f}", number, digits - 1 - tens);
  small.erase(small.find_last_not_of('0') + 1);
  return small;
}

Rational rounded_up(const Rational& number, int places) {
  const Rational unit = Rational(10).pow(places);
  return (number * unit).ceil() / unit;
}

Rational rounded_down(const Rational& number, int places) {
  const Rational unit = Rational(10).pow(places);
  return (number * unit).floor() / unit;
}

std::string counted(std::uint64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string rounded_percent(const Rational& percent, int places) {
  constexpr int most_places = 12;
  const Rational all(100);
  for (Rational unit = Rational(1, 10).pow(places); places <= most_places; ++places, unit = unit * Rational(1, 10)) {
    const Rational rounded = (percent / unit).ceil() * unit;
    if (rounded != all || percent == all) return rounded.to_decimal();
  }
  return "just under 100";
}

}  // namespace fractile::report_detail
