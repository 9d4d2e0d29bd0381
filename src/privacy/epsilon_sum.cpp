#include <algorithm>

#include "fractile/privacy.hpp"
#include "privacy/certified.hpp"

namespace fractile {
namespace {

/// base^exponent with a positive integer base.
struct Power {
  Rational base;
  Rational exponent;
};

Rational greatest_common_divisor(const Rational& a, const Rational& b) {
  Rational result;
  fmpz_gcd(fmpq_numref(flint_of(result)), fmpq_numref(flint_of(a)), fmpq_numref(flint_of(b)));
  return result;
}

/// Multiplies `product`, whose bases are > 1 and pairwise coprime, by one more power, and keeps the bases so. This ends because
/// every common divisor shrinks the product of all bases, including those that are still to be multiplied.
void multiply(std::vector<Power>& product, const Power& factor) {
  std::vector<Power> waiting{factor};
  while (!waiting.empty()) {
    const Power next = waiting.back();
    waiting.pop_back();
    if (next.base == Rational(1)) continue;
    const auto shares = [&](const Power& power) {
      return greatest_common_divisor(power.base, next.base) != Rational(1);
    };
    const auto found = std::find_if(product.begin(), product.end(), shares);
    if (found == product.end()) {
      product.push_back(next);
      continue;
    }
    const Rational common = greatest_common_divisor(found->base, next.base);
    waiting.push_back({common, found->exponent + next.exponent});
    waiting.push_back({found->base / common, found->exponent});
    waiting.push_back({next.base / common, next.exponent});
    product.erase(found);
  }
}

bool is_one(const std::vector<Power>& product) {
  return std::all_of(product.begin(), product.end(), [](const Power& power) { return power.exponent.sign() == 0; });
}

}  // namespace

/// The sum's enclosures, and whether it is exactly zero.
class EpsilonSum::Enclosing {
 public:
  explicit Enclosing(const EpsilonSum& sum) : sum_(sum) {}

  Enclosure operator()(std::int64_t precision) const {
    Enclosure result = Enclosure::of(sum_.rational_, precision);
    for (const Logarithm& term : sum_.logarithms_) {
      result += Enclosure::of(term.coefficient, precision) * Enclosure::of(term.argument, precision).log();
    }
    return result;
  }

  bool is_zero() const {
    if (sum_.rational_.sign() != 0) return false;
    std::vector<Power> product;
    for (const Logarithm& term : sum_.logarithms_) {
      multiply(product, {term.argument.numerator(), term.coefficient});
      multiply(product, {term.argument.denominator(), -term.coefficient});
    }
    return is_one(product);
  }

 private:
  const EpsilonSum& sum_;
};

EpsilonSum::EpsilonSum(const Exponent& epsilon) {
  if (epsilon.is_log()) {
    logarithms_.push_back({epsilon.coefficient(), epsilon.argument()});
  } else {
    rational_ = epsilon.coefficient();
  }
}

EpsilonSum& EpsilonSum::operator+=(const EpsilonSum& other) {
  rational_ += other.rational_;
  for (const Logarithm& term : std::vector<Logarithm>(other.logarithms_)) add(term);
  return *this;
}

EpsilonSum& EpsilonSum::subtract(const EpsilonSum& other) {
  rational_ -= other.rational_;
  for (const Logarithm& term : other.logarithms_) add({-term.coefficient, term.argument});
  return *this;
}

void EpsilonSum::add(const Logarithm& term) {
  const auto same = [&](const Logarithm& mine) { return mine.argument == term.argument; };
  const auto found = std::find_if(logarithms_.begin(), logarithms_.end(), same);
  if (found == logarithms_.end()) {
    logarithms_.push_back(term);
    return;
  }
  found->coefficient += term.coefficient;
  if (found->coefficient.sign() == 0) logarithms_.erase(found);
}

int EpsilonSum::sign() const {
  if (is_rational()) return rational_.sign();
  const Enclosing enclosing(*this);
  const auto is_decided = [](const Enclosure& ball) { return arb_contains_zero(ball.arb()) == 0; };
  const Enclosure first = enclosing(least_precision);
  if (!is_decided(first) && enclosing.is_zero()) return 0;
  const Enclosure ball = enclose_until(enclosing, is_decided);
  return ball.is_positive() ? 1 : -1;
}

std::strong_ordering operator<=>(const EpsilonSum& a, const EpsilonSum& b) {
  return EpsilonSum(a).subtract(b).sign() <=> 0;
}

Rational EpsilonSum::upper() const { return is_rational() ? rational_ : certified_upper(Enclosing(*this)); }

Rational EpsilonSum::lower() const { return is_rational() ? rational_ : certified_lower(Enclosing(*this)); }

Rational EpsilonSum::left_of(const EpsilonSum& budget) const {
  const EpsilonSum left = EpsilonSum(budget).subtract(*this);
  return left.sign() <= 0 ? Rational(0) : left.lower();
}

std::string EpsilonSum::to_string() const {
  std::string text = rational_.sign() != 0 || is_rational() ? rational_.to_string() : std::string();
  for (const Logarithm& term : logarithms_) {
    if (!text.empty()) text += " + ";
    text += Exponent::log(term.argument, term.coefficient).to_string();
  }
  return text;
}

double EpsilonSum::to_double() const { return Enclosing(*this)(least_precision).to_double(); }

}  // namespace fractile
