#include "flow/pipeline/noise_in_odds.hpp"

#include <algorithm>
#include <numeric>
#include <regex>
#include <string_view>
#include <utility>

#include "flow/algebra/real_roots.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

constexpr std::size_t longest_entry = 1000;   // characters
constexpr std::int64_t largest_degree = 200;  // in odds
constexpr std::uint64_t most_bits = 20'000;   // of a coefficient
constexpr int most_nested = 50;               // parentheses and signs
constexpr std::int64_t largest_root = 12;

/// Reads one entry, by recursive descent.
class Entry {
 public:
  /// Polynomials are in the root of odds of this degree.
  Entry(std::string text, std::int64_t root_degree) : text_(std::move(text)), rest_(text_), root_degree_(root_degree) {}

  RationalFunction value() {
    if (text_.size() > longest_entry) refuse("longer than a thousand characters");
    RationalFunction result = sum();
    if (!at_end()) refuse("something is left over at its end");
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::usage, "'" + text_.substr(0, 40) + "' is not a fraction of polynomials in odds: " + what,
                R"x(write for example "odds/(odds + 2)")x");
  }

  bool at_end() {
    const std::size_t blank = rest_.find_first_not_of(' ');
    rest_.remove_prefix(std::min(blank, rest_.size()));
    return rest_.empty();
  }

  bool takes(char symbol) {
    if (at_end() || rest_.front() != symbol) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string taken_while(const char* these) {
    const std::string_view word = rest_.substr(0, rest_.find_first_not_of(these));
    rest_.remove_prefix(word.size());
    return std::string(word);
  }

  RationalFunction checked(RationalFunction value) const {
    for (const fmpz_poly_struct* part : {value.numerator(), value.denominator()}) {
      const auto bits = static_cast<std::uint64_t>(std::abs(fmpz_poly_max_bits(part)));
      if (fmpz_poly_degree(part) > largest_degree || bits > most_bits) refuse("too large");
    }
    return value;
  }

  RationalFunction sum() {
    RationalFunction result = product();
    for (;;) {
      if (takes('+')) {
        result = checked(result + product());
      } else if (takes('-')) {
        result = checked(result - product());
      } else {
        return result;
      }
    }
  }

  RationalFunction product() {
    RationalFunction result = signed_power();
    for (;;) {
      if (takes('*')) {
        result = checked(result * signed_power());
      } else if (takes('/')) {
        const RationalFunction divisor = signed_power();
        if (divisor.is_zero()) refuse("a division by zero");
        result = checked(result / divisor);
      } else {
        return result;
      }
    }
  }

  RationalFunction signed_power() {
    if (++nested_ > most_nested) refuse("too many parentheses and signs");
    RationalFunction result = takes('-') ? RationalFunction() - signed_power() : power();
    --nested_;
    return result;
  }

  RationalFunction power() {
    at_end();
    const bool is_odds = rest_.starts_with("odds");
    RationalFunction base = primary();
    if (!takes('^')) return base;
    if (takes('(')) return root(is_odds);
    return raised(base, exponent());
  }

  RationalFunction raised(const RationalFunction& base, std::int64_t exponent) const {
    RationalFunction result = RationalFunction::of(1);
    for (; exponent > 0; --exponent) result = checked(result * base);
    return result;
  }

  std::int64_t exponent() {
    at_end();
    const std::string digits = taken_while("0123456789");
    if (digits.empty() || digits.size() > 3)
      refuse("an exponent is a whole number below 1000, or a fraction: odds^(1/2)");
    return std::stoi(digits);
  }

  /// Reads odds^(p/q) from the place after the first parenthesis.
  RationalFunction root(bool is_odds) {
    if (!is_odds) refuse("only odds have a fraction as their exponent");
    const std::int64_t numerator = exponent();
    const std::int64_t denominator = takes('/') ? exponent() : 1;
    if (!takes(')')) refuse("a parenthesis is not closed");
    if (denominator == 0) refuse("a division by zero");
    return raised(RationalFunction::variable(), numerator * root_degree_ / denominator);
  }

  RationalFunction primary() {
    if (takes('(')) {
      RationalFunction inner = sum();
      if (!takes(')')) refuse("a parenthesis is not closed");
      return inner;
    }
    if (at_end()) refuse("it breaks off");
    if (rest_.starts_with("odds")) {
      rest_.remove_prefix(4);
      return raised(RationalFunction::variable(), root_degree_);
    }
    const std::string number = taken_while("0123456789.");
    if (number.empty()) refuse("only numbers and odds are allowed");
    return checked(RationalFunction::of(Rational::parse(number)));
  }

  std::string text_;
  std::string_view rest_;
  std::int64_t root_degree_;
  int nested_ = 0;
};

/// The denominators of exponents that are written as fractions, "^(1/2)". Entry reports all other errors.
std::vector<std::int64_t> roots_in(const std::string& text) {
  static const std::regex fraction(R"(\^ *\( *[0-9]+ */ *([0-9]{1,3}) *\))");
  std::vector<std::int64_t> roots;
  for (std::sregex_iterator at(text.begin(), text.end(), fraction), end; at != end; ++at) {
    roots.push_back(std::max(1, std::stoi((*at)[1].str())));
  }
  return roots;
}

/// The least degree such that all roots of odds in the entries are powers of the root of this degree.
std::int64_t root_degree_of(const std::vector<std::vector<std::string>>& entries) {
  std::int64_t degree = 1;
  for (const std::vector<std::string>& row : entries) {
    for (const std::string& text : row) {
      if (text.size() > longest_entry) continue;
      for (const std::int64_t root : roots_in(text)) {
        degree = std::lcm(degree, root);
        if (degree > largest_root) {
          throw Error(ErrorCode::usage, "the matrix in odds: its roots of odds have no common degree up to 12",
                      R"x(write for example "odds^(1/2)")x");
        }
      }
    }
  }
  return degree;
}

/// A number above all real roots.
Rational beyond_roots(const Polynomial& polynomial) {
  Rational bound;
  fmpz_poly_bound_roots(fmpq_numref(flint_of(bound)), polynomial.get());
  return std::max(bound, Rational(1)) + 1;
}

/// Whether the polynomial is non-negative at all odds >= 1. Between two roots, the sign is that at any point, and the enclosures of
/// roots are disjoint.
bool is_never_negative(const Polynomial& polynomial) {
  if (polynomial.is_zero()) return true;
  if (polynomial.at(1).sign() < 0) return false;
  const Rational end = beyond_roots(polynomial);
  std::vector<RealBounds> roots = real_roots(polynomial, 1, end);
  roots.push_back({end, end});
  Rational begin = 1;
  for (const RealBounds& root : roots) {
    if (root.lower > begin && polynomial.at((begin + root.lower) / 2).sign() < 0) return false;
    begin = std::max(begin, root.upper);
  }
  return true;
}

bool has_no_root(const Polynomial& polynomial) { return real_roots(polynomial, 1, beyond_roots(polynomial)).empty(); }

[[noreturn]] void refuse_matrix(const std::string& what) {
  throw Error(ErrorCode::usage, "the matrix in odds: " + what,
              R"x(rows are probabilities at all odds from 1 on, such as ["odds/(odds + 1)", "1/(odds + 1)"])x");
}

void validate(const Noise<Polynomial>& noise) {
  if (noise.denominator.degree() > largest_degree) refuse_matrix("the common denominator is too long");
  if (!has_no_root(noise.denominator)) refuse_matrix("an entry divides by zero at some odds >= 1");
  for (const std::vector<Polynomial>& row : noise.numerators) {
    Polynomial sum;
    for (const Polynomial& numerator : row) {
      if (!is_never_negative(numerator)) refuse_matrix("an entry is negative at some odds >= 1");
      sum = sum + numerator;
    }
    if (!(sum == noise.denominator)) refuse_matrix("a row does not add up to 1");
  }
}

}  // namespace

Noise<Polynomial> over_common_denominator(const std::vector<std::vector<RationalFunction>>& rows) {
  Noise<Polynomial> noise{{}, Polynomial(1)};
  for (const std::vector<RationalFunction>& row : rows) {
    for (const RationalFunction& entry : row) {
      fmpz_poly_lcm(noise.denominator.get(), noise.denominator.get(), entry.denominator());
    }
  }
  if (noise.denominator.at(1).sign() < 0) noise.denominator = Polynomial() - noise.denominator;
  for (const std::vector<RationalFunction>& row : rows) {
    noise.numerators.emplace_back(row.size());
    for (std::size_t y = 0; y < row.size(); ++y) {
      Polynomial& numerator = noise.numerators.back()[y];
      fmpz_poly_div(numerator.get(), noise.denominator.get(), row[y].denominator());
      fmpz_poly_mul(numerator.get(), numerator.get(), row[y].numerator());
    }
  }
  return noise;
}

NoiseInOdds noise_in_odds(const std::vector<std::vector<std::string>>& entries) {
  const std::int64_t root_degree = root_degree_of(entries);
  std::vector<std::vector<RationalFunction>> rows;
  for (const std::vector<std::string>& row : entries) {
    if (row.empty() || row.size() != entries.front().size()) refuse_matrix("rows are not equally long");
    rows.emplace_back();
    for (const std::string& entry : row) rows.back().push_back(Entry(entry, root_degree).value());
  }
  Noise<Polynomial> noise = over_common_denominator(rows);
  validate(noise);
  return {std::move(noise), root_degree};
}

}  // namespace fractile::flow
