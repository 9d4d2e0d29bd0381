#include <string>
#include <utility>

#include "exact/enclosure.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The text before "ln": "", "2", "2 *", "2/3".
Rational coefficient_of(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.back() == '*') text = trimmed(text.substr(0, text.size() - 1));
  return text.empty() ? Rational(1) : Rational::parse(text);
}

/// The text after "ln": "3.5", "(7/2)".
Rational argument_of(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = trimmed(text.substr(1, text.size() - 2));
  return Rational::parse(text);
}

}  // namespace

Exponent::Exponent(Rational c) : coefficient_(std::move(c)) {
  if (coefficient_.sign() < 0) {
    throw Error(ErrorCode::usage, "'" + coefficient_.to_string() + "' is negative", "write a number above 0");
  }
}

Exponent Exponent::log(Rational r, Rational c) {
  if (r < Rational(1)) {
    throw Error(ErrorCode::usage, "ln " + r.to_string() + " is negative or undefined", "write ln r with r at least 1");
  }
  Exponent result(std::move(c));
  if (r == Rational(1)) result.coefficient_ = 0;
  result.is_log_ = result.coefficient_.sign() > 0;
  if (result.is_log_) result.argument_ = std::move(r);
  return result;
}

Exponent Exponent::parse(std::string_view text) {
  const std::size_t at = text.find("ln");
  if (at == std::string_view::npos) return Rational::parse(trimmed(text));
  return log(argument_of(text.substr(at + 2)), coefficient_of(text.substr(0, at)));
}

bool Exponent::has_rational_exponential() const { return is_zero() || (is_log_ && coefficient_.fits_int64()); }

Rational Exponent::exponential() const {
  if (!has_rational_exponential()) throw Error(ErrorCode::usage, "exp(" + to_string() + ") is not rational");
  return is_zero() ? Rational(1) : argument_.pow(coefficient_.to_int64());
}

Exponent Exponent::operator*(const Rational& factor) const {
  if (factor.sign() < 0) throw Error(ErrorCode::usage, "a negative multiple of an exponent");
  return is_log_ ? log(argument_, coefficient_ * factor) : Exponent(coefficient_ * factor);
}

Exponent Exponent::operator/(const Rational& divisor) const { return *this * (Rational(1) / divisor); }

namespace {

/// c ln r = d ln s exactly if r^p = s^q, where p/q = c/d. A rational number never equals a logarithm (ln r is transcendental for
/// rational r > 1), so there are no other ties.
bool equal_logarithms(const Exponent& a, const Exponent& b) {
  const Rational ratio = a.coefficient() / b.coefficient();
  const Rational p = ratio.numerator();
  const Rational q = ratio.denominator();
  constexpr std::int64_t most = 1'000'000;
  if (p > Rational(most) || q > Rational(most)) {
    throw Error(ErrorCode::usage, "'" + a.to_string() + "' and '" + b.to_string() + "' are too close to compare",
                "write them with smaller numbers");
  }
  return a.argument().pow(p.to_int64()) == b.argument().pow(q.to_int64());
}

}  // namespace

std::strong_ordering operator<=>(const Exponent& a, const Exponent& b) {
  if (a.is_zero() && b.is_zero()) return std::strong_ordering::equal;
  if (a.is_log_ == b.is_log_ && a.argument_ == b.argument_) return a.coefficient_ <=> b.coefficient_;
  for (std::int64_t precision = 64; precision <= 4096; precision *= 2) {
    const Enclosure x = Enclosure::of(a, precision);
    const Enclosure y = Enclosure::of(b, precision);
    if (certainly_less(x, y)) return std::strong_ordering::less;
    if (certainly_less(y, x)) return std::strong_ordering::greater;
  }
  if (a.is_log_ && b.is_log_ && equal_logarithms(a, b)) return std::strong_ordering::equal;
  throw Error(ErrorCode::usage, "'" + a.to_string() + "' and '" + b.to_string() + "' are too close to compare",
              "write them with smaller numbers");
}

std::string Exponent::to_string() const {
  if (!is_log_) return coefficient_.to_string();
  const std::string logarithm = "ln " + argument_.to_string();
  return coefficient_ == Rational(1) ? logarithm : coefficient_.to_string() + " " + logarithm;
}

double Exponent::to_double() const {
  const OwnEnvironment own;
  return is_log_ ? Enclosure::of(*this, 128).to_double() : coefficient_.to_double();
}

}  // namespace fractile
