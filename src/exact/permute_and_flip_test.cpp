#include <gtest/gtest.h>

#include <cmath>

#include "exact/gaps.hpp"
#include "exact/selection.hpp"
#include "fractile/error.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;

/// P(k) = w_k * sum over j of P[j of the other coins are heads] / (j + 1).
std::vector<double> permute_and_flip_law(const std::vector<double>& weights) {
  std::vector<double> law;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    std::vector<double> heads{1};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i == k) continue;
      heads.push_back(0);
      for (std::size_t j = heads.size() - 1; j > 0; --j)
        heads[j] = heads[j] * (1 - weights[i]) + heads[j - 1] * weights[i];
      heads[0] *= 1 - weights[i];
    }
    double sum = 0;
    for (std::size_t j = 0; j < heads.size(); ++j) sum += heads[j] / static_cast<double>(j + 1);
    law.push_back(weights[k] * sum);
  }
  return law;
}

std::vector<double> weights_of(const std::vector<Rational>& gaps, const Exponent& rate) {
  std::vector<double> weights;
  for (const Rational& gap : gaps) weights.push_back(std::exp(-(rate * gap).to_double()));
  return weights;
}

TEST(PermuteAndFlip, HasItsLaw) {
  RandomBits bits = RandomBits::system();
  for (const std::vector<std::uint64_t>& scores :
       {std::vector<std::uint64_t>{0, 1, 2, 5}, {3, 3, 3}, {9}, {7, 0, 7, 1, 2, 2}}) {
    for (const char* rate_text : {"1", "ln 2", "1/10", "0"}) {
      for (const Filter filter : {Filter{}, Filter::stress()}) {
        const Exponent rate = Exponent::parse(rate_text);
        std::vector<Rational> exact(scores.begin(), scores.end());
        const auto law = permute_and_flip_law(weights_of(gaps_of(exact, Optimize::minimize), rate));
        std::vector<std::uint64_t> counts(scores.size());
        std::vector<std::uint64_t> rational_counts(scores.size());
        for (std::uint64_t i = 0; i < effort(20'000); ++i) {
          ++counts[detail::select_permute_and_flip(scores, rate, bits, Optimize::minimize, filter)];
          ++rational_counts[detail::select_permute_and_flip(exact, rate, bits, Optimize::minimize, filter)];
        }
        EXPECT_GT(chi_square_p(counts, law), 1e-9) << rate_text;
        EXPECT_GT(chi_square_p(rational_counts, law), 1e-9) << rate_text;
      }
    }
  }
}

TEST(PermuteAndFlip, IsNotTheSoftmaxLaw) {
  RandomBits bits = RandomBits::system();
  const std::vector<std::uint64_t> scores{0, 1, 2, 5};
  std::vector<std::uint64_t> counts(4);
  for (int i = 0; i < 50'000; ++i) ++counts[select_softmax(scores, Exponent::parse("1"), bits)];
  std::vector<Rational> exact(scores.begin(), scores.end());
  EXPECT_LT(chi_square_p(counts, permute_and_flip_law(weights_of(exact, Exponent::parse("1")))), 1e-9);
}

TEST(RationalScores, SelectLikeWholeOnes) {
  RandomBits bits = RandomBits::system();
  // Scores 0, 1/2, 5/3 at rate 6 are 0, 3, 10 at rate 1; the last vector's scores have more than 64 bits, which takes the slower
  // path.
  const Rational huge = Rational(10).pow(30);
  for (const std::vector<Rational>& scores : {std::vector<Rational>{0, Rational(1, 2), Rational(5, 3)},
                                              {-huge, Rational(1, 2) - huge, Rational(5, 3) - huge},
                                              {Rational(0), Rational(1, 2), Rational(5, 3), huge}}) {
    const Exponent rate = Exponent::parse("3/2");
    std::vector<double> law = weights_of(gaps_of(scores, Optimize::minimize), rate);
    double total = 0;
    for (const double w : law) total += w;
    for (double& w : law) w /= total;
    std::vector<std::uint64_t> counts(scores.size());
    for (std::uint64_t i = 0; i < effort(40'000); ++i) ++counts[select_softmax(scores, rate, bits)];
    EXPECT_GT(chi_square_p(counts, law), 1e-9);
  }
}

TEST(RationalScores, RefuseToSelectFromNothing) {
  RandomBits bits = RandomBits::system();
  EXPECT_THROW(select_softmax(std::vector<Rational>{}, Exponent(Rational(1)), bits), Error);
  EXPECT_THROW(select_permute_and_flip(std::vector<Rational>{}, Exponent(Rational(1)), bits), Error);
  EXPECT_THROW(select_permute_and_flip(std::vector<std::uint64_t>{}, Exponent(Rational(1)), bits), Error);
}

}  // namespace
}  // namespace fractile
