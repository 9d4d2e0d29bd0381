#include <gtest/gtest.h>

#include "flow/channel/papers.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

const Channel yes_or_no({"yes", "no"}, {"yes", "no"}, matrix({{"3/4", "1/4"}, {"1/4", "3/4"}}));

// Kronecker-utility 2023, section 4.2, equations 8 to 10.
TEST(Channel, TwoRespondentsAreAKroneckerPower) {
  const Channel squared = kronecker_power(yes_or_no, 2);
  EXPECT_EQ(squared.secrets(), (std::vector<std::string>{"(yes,yes)", "(yes,no)", "(no,yes)", "(no,no)"}));
  EXPECT_EQ(squared.matrix(), matrix({{"9/16", "3/16", "3/16", "1/16"},
                                      {"3/16", "9/16", "1/16", "3/16"},
                                      {"3/16", "1/16", "9/16", "3/16"},
                                      {"1/16", "3/16", "3/16", "9/16"}}));
  const Channel tally = deterministic({2, 1, 1, 0}, 3);
  EXPECT_EQ(
      (squared * tally).matrix(),
      matrix({{"1/16", "3/8", "9/16"}, {"3/16", "5/8", "3/16"}, {"3/16", "5/8", "3/16"}, {"9/16", "3/8", "1/16"}}));
  EXPECT_EQ(kronecker_power(yes_or_no, 3).secrets()[1], "(yes,yes,no)");
}

// Section 4.3.
TEST(Channel, KroneckerProductsAreAssociativeAndRespectProducts) {
  const Matrix a = matrix({{"1/2", "1/2"}, {"1/3", "2/3"}});
  const Matrix b = matrix({{"1/5", "4/5", "0"}, {"0", "1", "0"}, {"1/7", "2/7", "4/7"}});
  const Matrix c = matrix({{"1", "0"}, {"1/4", "3/4"}});
  EXPECT_EQ(kronecker(kronecker(a, b), c), kronecker(a, kronecker(b, c)));
  EXPECT_EQ(kronecker(a, b) * kronecker(c, b), kronecker(a * c, b * b));
}

// Equation 7.
TEST(Channel, LeftInversesUndoDeterministicChannels) {
  const Channel post = deterministic({1, 0, 1, 2, 0}, 3);
  const Channel inverse = left_inverse(post);
  EXPECT_EQ((inverse * post).matrix(), Matrix::identity(3));
  EXPECT_THROW(left_inverse(yes_or_no), Error);
  EXPECT_THROW(deterministic({0, 2}, 3), Error);
  EXPECT_THROW(deterministic({0, 3}, 3), Error);
}

TEST(Channel, SmallestEpsilonIsExact) {
  const Channel response = Perturber::randomized_response(4).at(Odds(3));
  EXPECT_EQ(smallest_epsilon(response, discrete_metric(4)), Exponent::log(3));
  const Channel geometric = Perturber::geometric(5).at(Odds(Rational(7, 2)));
  EXPECT_EQ(smallest_epsilon(geometric, line_metric(5)), Exponent::log(Rational(7, 2)));
  // Appendix C: side by side they are private under the Manhattan metric.
  Matrix manhattan(9, 9);
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      manhattan(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
          std::abs(i / 3 - j / 3) + std::abs(i % 3 - j % 3);
    }
  }
  const Channel two = kronecker_power(Perturber::geometric(3).at(Odds(2)), 2);
  EXPECT_EQ(smallest_epsilon(two, manhattan), Exponent::log(2));
  EXPECT_EQ(smallest_epsilon(two * deterministic({0, 0, 1, 1, 1, 0, 2, 2, 2}, 3), manhattan) <= Exponent::log(2), true);
  EXPECT_FALSE(smallest_epsilon(Channel(Matrix::identity(2)), discrete_metric(2)));
  EXPECT_THROW(smallest_epsilon(response, discrete_metric(3)), Error);
  EXPECT_THROW(smallest_epsilon(yes_or_no, Matrix(2, 2)), Error);
}

TEST(Channel, OnlyStochasticMatricesAreChannels) {
  EXPECT_THROW(Channel(matrix({{"1/2", "1/3"}})), Error);
  EXPECT_THROW(Channel(matrix({{"3/2", "-1/2"}})), Error);
  EXPECT_THROW(Channel({"a"}, {"b"}, matrix({{"1/2", "1/2"}})), Error);
  EXPECT_THROW(Matrix::of({{1, 2}, {3}}), Error);
  EXPECT_THROW(yes_or_no * Channel(Matrix::identity(3)), Error);
}

// Appendix B: counting outliers meets theorem 5.1's condition, counting zeros does not.
TEST(TheoremOne, HoldsForOutliersAndNotForZeros) {
  const Matrix witness = matrix({{"5/6", "1/12", "1/12"}, {"5/24", "7/12", "5/24"}, {"1/12", "1/12", "5/6"}});
  EXPECT_TRUE(theorem_one_condition(witness, {0, 1, 0}));
  EXPECT_FALSE(theorem_one_condition(witness, {0, 1, 1}));
  EXPECT_TRUE(theorem_one_condition(witness, {0, 1, 2}));
  EXPECT_THROW(theorem_one_condition(witness, {0, 1}), Error);
}

TEST(Matrix, HasALimit) {
  constexpr std::size_t many = std::size_t{1} << 33;
  EXPECT_THROW(Matrix(many, many), Error);
  EXPECT_THROW(Matrix(~std::size_t{0}, 2), Error);
  EXPECT_THROW(Matrix::identity(many), Error);
  EXPECT_THROW(discrete_metric(many), Error);
  EXPECT_THROW(line_metric(many), Error);
  EXPECT_THROW(bayes_risk(std::size_t{1} << 32), Error);
  EXPECT_THROW(Prior::uniform(~std::size_t{0}), Error);
  EXPECT_THROW(kronecker_power(yes_or_no, 15), Error);
  EXPECT_THROW(kronecker_power(yes_or_no, ~std::size_t{0}), Error);
  EXPECT_THROW(deterministic({0}, ~std::size_t{0}), Error);
  EXPECT_THROW(deterministic({}, ~std::size_t{0}), Error);
}

}  // namespace
}  // namespace fractile::flow
