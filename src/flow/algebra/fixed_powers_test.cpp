#include "flow/algebra/fixed_powers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fractile::flow {
namespace {

constexpr std::size_t count = 6;  // powers
constexpr std::size_t degree = 12;
constexpr std::int64_t fraction_bits = 5;

using Coefficients = std::vector<Rational>;

Coefficients multiplied(const Coefficients& a, const Coefficients& b) {
  Coefficients result(degree + 1);
  for (std::size_t i = 0; i <= degree; ++i) {
    for (std::size_t j = 0; i + j <= degree; ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

Coefficients power(const Coefficients& base, std::size_t exponent) {
  Coefficients result(degree + 1);
  result[0] = 1;
  for (std::size_t i = 0; i < exponent; ++i) result = multiplied(result, base);
  return result;
}

Rational rational(const Integer& value) {
  Rational result;
  fmpq_set_fmpz(flint_of(result), value.get());
  return result;
}

/// A sum of terms p t^x. FixedPowers is given each p in units, rounded down and then less by `too_small`.
struct Example {
  explicit Example(std::int64_t too_small) : exact(degree + 1), ways(degree + 1), fixed(count, degree, fraction_bits) {
    for (const std::int64_t x : {0, 1, 3, 4, 7, 12}) {
      const auto index = static_cast<std::size_t>(x);
      exact[index] = x == 3 ? Rational(1) : Rational((29 * x + 17) % 97, 97);
      ways[index] = 1;
      const Rational units = (exact[index] * Rational::dyadic(1, fraction_bits)).floor() - too_small;
      fixed.add_term(Integer(std::max(units, Rational(0)).to_uint64()), index);
    }
  }

  Coefficients exact;
  Coefficients ways;
  FixedPowers fixed;
};

// docs/proofs/noisy_argmax.md, "Fixed point": with so few bits the rounding is seen, and stays within the bound.
TEST(FixedPowers, AreTooSmallByNoMoreThanSaid) {
  Rational most;  // of the bound, that any coefficient is too small by
  for (const std::int64_t too_small : {0, 3}) {
    const Example a(too_small);
    const Example b(0);
    const Rational error = too_small + 1;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        const Coefficients exact = multiplied(power(a.exact, i), power(b.exact, j));
        const Coefficients ways = power(a.ways, i + j);
        for (std::size_t n = 0; n <= degree; ++n) {
          const Rational units = rational(coefficient(a.fixed, i, b.fixed, j, n));
          const Rational missing = exact[n] * Rational::dyadic(1, 2 * fraction_bits) - units;
          const Rational bound = Rational(i + j) * (error + 1) * ways[n] * Rational::dyadic(1, fraction_bits);
          EXPECT_GE(missing, 0) << i << " " << j << " " << n;
          EXPECT_LE(missing, bound) << i << " " << j << " " << n;
          if (bound > 0) most = std::max(most, missing / bound);
        }
      }
    }
  }
  EXPECT_GT(most, Rational(1, 4));
}

// Probabilities that need no rounding give exact powers, also when fewer coefficients are asked for.
TEST(FixedPowers, ExactWhereNothingIsRounded) {
  FixedPowers fixed(3, 4, 4);
  fixed.add_term(Integer(8), 0);  // 1/2
  fixed.add_term(Integer(4), 1);  // 1/4
  fixed.truncate(3);
  fixed.add_term(Integer(16), 3);  // 1
  fixed.add_term(Integer(16), 4);  // forgotten
  const FixedPowers one(1, 3, 4);
  EXPECT_EQ(rational(coefficient(fixed, 2, one, 0, 0)), 64);   // of 256
  EXPECT_EQ(rational(coefficient(fixed, 2, one, 0, 1)), 64);   // 2 1/2 1/4
  EXPECT_EQ(rational(coefficient(fixed, 2, one, 0, 2)), 16);   // 1/4^2
  EXPECT_EQ(rational(coefficient(fixed, 2, one, 0, 3)), 256);  // 2 1/2
  EXPECT_EQ(rational(coefficient(one, 0, one, 0, 3)), 0);
}

}  // namespace
}  // namespace fractile::flow
