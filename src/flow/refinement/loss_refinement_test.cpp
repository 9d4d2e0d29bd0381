#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {
namespace {

Matrix drawn_matrix(std::size_t rows, std::size_t columns, int least, int most) {
  Matrix matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix(i, j) = *rc::gen::inRange(least, most);
  }
  return matrix;
}

Channel drawn_channel(std::size_t secrets, std::size_t observations) {
  Matrix matrix = drawn_matrix(secrets, observations, 0, 5);
  for (std::size_t x = 0; x < secrets; ++x) {
    matrix(x, x % observations) += 1;
    Rational sum;
    for (const Rational& entry : matrix.row(x)) sum += entry;
    for (std::size_t y = 0; y < observations; ++y) matrix(x, y) /= sum;
  }
  return Channel(matrix);
}

/// All priors whose probabilities are multiples of 1/parts, of three secrets.
template <class Visit>
void for_each_prior(std::int64_t parts, Visit visit) {
  for (std::int64_t a = 0; a <= parts; ++a) {
    for (std::int64_t b = 0; a + b <= parts; ++b) {
      visit(Prior({Rational(a, parts), Rational(b, parts), Rational(parts - a - b, parts)}));
    }
  }
}

TEST(LossRefinement, IsThatOfEveryPrior) {
  std::size_t refines = 0;
  std::size_t refuted = 0;
  EXPECT_TRUE(rc::check([&] {
    const Channel from = drawn_channel(3, *rc::gen::inRange<std::size_t>(1, 4));
    const Channel to = drawn_channel(3, *rc::gen::inRange<std::size_t>(1, 4));
    const Loss loss(drawn_matrix(3, *rc::gen::inRange<std::size_t>(1, 4), 0, 7));
    const LossRefinement answer = refines_for(loss, from, to);
    RC_ASSERT(answer.refines() != answer.refuted());
    if (const auto* found = std::get_if<Counterexample>(&answer.verdict)) {
      ++refuted;
      RC_ASSERT(verify(from, to, *found));
      RC_ASSERT(!flow::refines(from, to).refines());
    } else {
      ++refines;
      const Remaps& remaps = std::get<Remaps>(answer.verdict);
      RC_ASSERT(verify(loss, from, to, remaps));
      for_each_prior(6, [&](const Prior& prior) {
        RC_ASSERT(expected_loss(prior, from, loss) <= expected_loss(prior, to, loss));
      });
    }
  }));
  EXPECT_GT(refines, 0U);
  EXPECT_GT(refuted, 0U);  // of a hundred about ten
}

// Refinement implies refinement for every loss.
TEST(LossRefinement, FollowsFromRefinement) {
  EXPECT_TRUE(rc::check([] {
    const Channel from = drawn_channel(3, 3);
    const Channel to = Channel(from.matrix() * drawn_channel(3, 2).matrix());
    RC_ASSERT(refines_for(Loss(drawn_matrix(3, 3, 0, 9)), from, to).refines());
  }));
}

TEST(LossRefinement, CertificatesAreChecked) {
  const Channel from = Channel(Matrix::of({{1, 0}, {0, 1}}));
  const Channel to = Channel(Matrix::of({{Rational(1, 2), Rational(1, 2)}, {Rational(1, 2), Rational(1, 2)}}));
  const Loss loss = bayes_risk(2);
  Remaps remaps = std::get<Remaps>(refines_for(loss, from, to).verdict);
  ASSERT_EQ(remaps.randomized.size(), 4U);
  EXPECT_TRUE(verify(loss, from, to, remaps));
  EXPECT_FALSE(verify(loss, to, from, remaps));
  Remaps fewer = remaps;
  fewer.randomized.pop_back();
  EXPECT_FALSE(verify(loss, from, to, fewer));
  Remaps more = remaps;
  more.randomized.push_back(remaps.randomized.back());
  EXPECT_FALSE(verify(loss, from, to, more));
  Remaps wrong = remaps;
  wrong.randomized[1] = Matrix::of({{0, 1}, {1, 0}});  // the wrong guess, always
  EXPECT_FALSE(verify(loss, from, to, wrong));
  wrong.randomized[1] = Matrix::of({{2, -1}, {0, 1}});
  EXPECT_FALSE(verify(loss, from, to, wrong));
  EXPECT_THROW(refines_for(bayes_risk(3), from, to), Error);
}

TEST(LossRefinement, TooManyWaysAreUndecided) {
  const Channel wide = Channel(Matrix::identity(20));
  const LossRefinement answer = refines_for(bayes_risk(20), wide, wide);
  EXPECT_FALSE(answer.refines() || answer.refuted());
}

// A certificate is about as many secrets as both channels and the loss have.
TEST(LossRefinement, CertificatesAboutOtherSecretsAreRefused) {
  const Channel two(Matrix::of({{1, 0}, {0, 1}}));
  const Channel three(Matrix::of({{1, 0}, {0, 1}, {0, 1}}));
  const Remaps remaps = std::get<Remaps>(refines_for(bayes_risk(2), two, two).verdict);
  EXPECT_TRUE(verify(bayes_risk(2), two, two, remaps));
  EXPECT_FALSE(verify(bayes_risk(2), three, three, remaps));  // nothing is said about the third
  EXPECT_FALSE(verify(bayes_risk(2), two, three, remaps));
  EXPECT_FALSE(verify(bayes_risk(2), three, two, remaps));
  EXPECT_FALSE(verify(Loss(Matrix(1, 2)), two, two, remaps));
  EXPECT_FALSE(verify(Loss(Matrix(4000, 2)), two, two, remaps));
  const Matrix known = Matrix::identity(2);
  EXPECT_FALSE(verify(two, three, Witness{known}));
  EXPECT_THROW(verify(two, three, Counterexample{Prior::uniform(2), bayes_risk(2), 1, 0}), Error);
}

}  // namespace
}  // namespace fractile::flow
