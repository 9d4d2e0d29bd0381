#include "flow/algebra/truncated_law.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fractile::flow {
namespace {

using Law = std::vector<Rational>;

Law times(const Law& a, const Law& b) {
  Law product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

Law binomial_law(const Rational& p, std::size_t n) {
  Law law{1};
  for (std::size_t i = 0; i < n; ++i) law = times(law, {Rational(1) - p, p});
  return law;
}

/// Fails unless the truncated law's balls enclose the law's probabilities, its sums the sums of these, and its rest what it leaves
/// out; and unless all balls are narrow.
void expect_encloses(const TruncatedLaw& truncated, const Law& law) {
  const Rational narrow = Rational::dyadic(1, -200);
  Rational left_out;
  Rational sum;
  const std::vector<Enclosure> sums = truncated.sums();
  ASSERT_LE(truncated.first + truncated.size, law.size());
  ASSERT_EQ(sums.size(), truncated.size + 1);
  for (std::size_t y = 0; y < law.size(); ++y) {
    if (y < truncated.first || y >= truncated.first + truncated.size) {
      left_out += law[y];
      continue;
    }
    const std::size_t i = y - truncated.first;
    const Enclosure mass = truncated.mass(i);
    EXPECT_TRUE(mass.contains(law[y])) << y;
    EXPECT_LT(mass.upper_rational(300) - mass.lower_rational(300), narrow);
    sum += law[y];
    EXPECT_TRUE(sums[i + 1].contains(sum)) << y;
  }
  EXPECT_LE(left_out, truncated.rest.upper_rational(64));
  EXPECT_LT(truncated.rest.upper_double(), 0x1p-170);
}

TEST(TruncatedLaws, OfABinomial) {
  expect_encloses(binomial(Enclosure::of(Rational(1, 3), 320), 50), binomial_law(Rational(1, 3), 50));
  const TruncatedLaw large = binomial(Enclosure::of(Rational(1, 2), 320), 600);
  EXPECT_LT(large.size, 500U);
  expect_encloses(large, binomial_law(Rational(1, 2), 600));
}

TEST(TruncatedLaws, OfASum) {
  const auto part = [](const Rational& p, std::size_t n) { return binomial(Enclosure::of(p, 320), n); };
  expect_encloses(convolved(part(Rational(1, 3), 40), part(Rational(1, 7), 60)),
                  times(binomial_law(Rational(1, 3), 40), binomial_law(Rational(1, 7), 60)));
  // Uncertainty of a factor is uncertainty of the product.
  TruncatedLaw vague = nobody();
  vague.error = Integer(1000);
  EXPECT_TRUE(convolved(vague, vague).mass(0).contains(Rational(1) + Rational::dyadic(1500, -law_bits)));
  vague.rest = Enclosure::of(Rational(1, 8));
  EXPECT_GE(convolved(vague, vague).rest.upper_rational(64), Rational(1, 4));
}

TEST(TruncatedLaws, OfManyEqualParts) {
  const Law one{Rational(1, 2), Rational(1, 3), 0, Rational(1, 6)};
  std::vector<Enclosure> balls;
  for (const Rational& p : one) balls.push_back(Enclosure::of(p, 320));
  Law all{1};
  for (int i = 0; i < 100; ++i) all = times(all, one);
  const TruncatedLaw law = power(fixed_point(0, balls, {}), 100);
  expect_encloses(law, all);
  EXPECT_LT(law.size, all.size());
}

}  // namespace
}  // namespace fractile::flow
