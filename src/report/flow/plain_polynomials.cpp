#include "report/flow/plain_polynomials.hpp"

#include <algorithm>

namespace fractile::report_detail {
namespace {

/// Removes leading zeros.
void trim(Coefficients& a) {
  while (a.size() > 1 && a.back().sign() == 0) a.pop_back();
}

bool is_nothing(const Coefficients& a) { return a.size() == 1 && a.front().sign() == 0; }

/// Quotient and remainder.
std::pair<Coefficients, Coefficients> division(Coefficients a, const Coefficients& b) {
  Coefficients quotient{0};
  while (!is_nothing(a) && a.size() >= b.size()) {
    const std::size_t shift = a.size() - b.size();
    const Rational factor = a.back() / b.back();
    if (quotient.size() <= shift) quotient.resize(shift + 1);
    quotient[shift] = factor;
    for (std::size_t i = 0; i < b.size(); ++i) a[shift + i] -= factor * b[i];
    a.pop_back();
    if (a.empty()) a.emplace_back(0);
    trim(a);
  }
  return {std::move(quotient), std::move(a)};
}

Coefficients monic(Coefficients a) {
  const Rational last = a.back();
  for (Rational& coefficient : a) coefficient /= last;
  return a;
}

}  // namespace

Rational value_at(const Coefficients& a, const Rational& x) {
  Rational value;
  for (std::size_t i = a.size(); i-- > 0;) value = value * x + a[i];
  return value;
}

Coefficients times(const Coefficients& a, const Coefficients& b) {
  Coefficients result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

Coefficients less(Coefficients a, const Coefficients& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

Coefficients slope(const Coefficients& a) {
  Coefficients result(std::max<std::size_t>(a.size(), 2) - 1);
  for (std::size_t i = 1; i < a.size(); ++i) result[i - 1] = a[i] * Rational(i);
  return result;
}

Coefficients through(std::vector<Rational> values) {
  const std::size_t points = values.size();
  for (std::size_t order = 1; order < points; ++order) {
    for (std::size_t i = points; i-- > order;) values[i] = (values[i] - values[i - 1]) / Rational(order);
  }
  Coefficients result{values.back()};
  for (std::size_t i = points - 1; i-- > 0;) {
    result = times(result, {-Rational(i + 1), 1});
    result.front() += values[i];
  }
  return result;
}

// Euclid's algorithm finds remainders r = s P + t V, where P is the polynomial that vanishes at all points and V the one through the
// values. So r / t has the values wherever t is not 0.
std::optional<std::pair<Coefficients, Coefficients>> fraction_through(const std::vector<Rational>& values) {
  Coefficients before{1};
  for (std::size_t i = 0; i < values.size(); ++i) before = times(before, {-Rational(i + 1), 1});
  Coefficients here = through(values);
  trim(here);
  Coefficients factor_before{0};
  Coefficients factor{1};
  const std::size_t third = values.size() / 3;
  while (here.size() + factor.size() - 2 >= third) {
    if (is_nothing(here)) return {};
    auto [quotient, rest] = division(before, here);
    Coefficients next = less(factor_before, times(quotient, factor));
    trim(next);
    before = std::exchange(here, std::move(rest));
    factor_before = std::exchange(factor, std::move(next));
    if (factor.size() > third) return {};
  }
  const Rational last = factor.back();
  for (Rational& coefficient : here) coefficient /= last;
  return std::pair(std::move(here), monic(std::move(factor)));
}

Coefficients least_multiple(const Coefficients& a, const Coefficients& b) {
  Coefficients larger = a;
  Coefficients divisor = b;
  while (!is_nothing(divisor)) {
    Coefficients rest = division(larger, divisor).second;
    larger = std::exchange(divisor, std::move(rest));
  }
  return monic(divided(times(a, b), larger));
}

Coefficients divided(const Coefficients& a, const Coefficients& b) { return division(a, b).first; }

namespace {

/// The Bernstein coefficients on from .. to, for the polynomial's degree.
std::vector<Rational> bernstein_of(const Coefficients& polynomial, const Rational& from, const Rational& to) {
  const std::size_t degree = polynomial.size() - 1;
  // The coefficients in t, where x = from + (to - from) t, by Horner's rule.
  Coefficients by_share{0};
  for (std::size_t i = polynomial.size(); i-- > 0;) {
    by_share = times(by_share, {from, to - from});
    by_share.resize(degree + 1);
    by_share.front() += polynomial[i];
  }
  // b_j = sum over i <= j of (j choose i) / (degree choose i) a_i.
  std::vector<Rational> bernstein(degree + 1);
  for (std::size_t j = 0; j <= degree; ++j) {
    Rational ratio = 1;
    for (std::size_t i = 0; i <= j; ++i) {
      bernstein[j] += ratio * by_share[i];
      if (i < j) ratio *= Rational(j - i) / Rational(degree - i);
    }
  }
  return bernstein;
}

/// Whether all Bernstein coefficients have at least this sign. Where they do not, the range is halved by de Casteljau's algorithm, at most
/// `halves` times.
bool have_sign(const std::vector<Rational>& bernstein, int sign, int halves) {
  const auto has = [sign](const Rational& b) { return b.sign() >= sign; };
  if (std::ranges::all_of(bernstein, has)) return true;
  if (!has(bernstein.front()) || !has(bernstein.back()) || halves == 0) return false;
  std::vector<Rational> left;
  std::vector<Rational> right = bernstein;
  for (std::size_t length = right.size(); length > 0; --length) {
    left.push_back(right.front());
    for (std::size_t i = 0; i + 1 < length; ++i) right[i] = (right[i] + right[i + 1]) / 2;
  }
  return have_sign(left, sign, halves - 1) && have_sign(right, sign, halves - 1);
}

constexpr int most_halves = 40;

}  // namespace

bool is_never_negative(const Coefficients& polynomial, const Rational& from, const Rational& to) {
  return have_sign(bernstein_of(polynomial, from, to), 0, most_halves);
}

bool is_positive(const Coefficients& polynomial, const Rational& from, const Rational& to) {
  return have_sign(bernstein_of(polynomial, from, to), 1, most_halves);
}

}  // namespace fractile::report_detail
