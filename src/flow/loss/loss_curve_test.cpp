#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

RealBounds between(const char* lower, const char* upper) { return {Rational::parse(lower), Rational::parse(upper)}; }

TEST(LossCurve, ChangesAreCertainOrUndecided) {
  EXPECT_EQ(change_between(between("0.1", "0.2"), between("0.3", "0.4")), Change::rises);
  EXPECT_EQ(change_between(between("0.3", "0.4"), between("0.1", "0.2")), Change::falls);
  EXPECT_EQ(change_between(between("0.1", "0.3"), between("0.2", "0.4")), Change::undecided);
  EXPECT_EQ(change_between(between("0.1", "0.2"), between("0.2", "0.4")), Change::undecided);
  EXPECT_EQ(change_between(between("0.2", "0.2"), between("0.2", "0.2")), Change::flat);
}

// With any number of threads the points are those of expected_loss_bounds(), and each is reported once.
TEST(LossCurve, IsTheSameOnAnyThreads) {
  const std::vector<Exponent> epsilons{Exponent::log(Rational(7, 2)), Exponent::log(Rational(351, 100)),
                                       Rational(13, 10), Rational(3)};
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
    std::vector<std::size_t> told;
    const std::vector<LossPoint> points = loss_curve(known_others(), thousandfold_error(), epsilons, threads,
                                                     [&](std::size_t done) { told.push_back(done); });
    ASSERT_EQ(points.size(), epsilons.size());
    EXPECT_EQ(told, (std::vector<std::size_t>{1, 2, 3, 4}));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const RealBounds expected = expected_loss_bounds(known_others(), thousandfold_error(), epsilons[i]);
      EXPECT_EQ(points[i].loss.lower, expected.lower);
      EXPECT_EQ(points[i].loss.upper, expected.upper);
    }
    EXPECT_EQ(points[0].change, Change::falls);
    EXPECT_EQ(points[1].change, Change::rises);
    EXPECT_EQ(points[3].change, Change::falls);
  }
}

TEST(LossCurve, IsFlatWhereItStartsAtZero) {
  const std::vector<LossPoint> points = loss_curve(known_others(), thousandfold_error(), {Exponent(), Rational(1)});
  EXPECT_EQ(points[0].change, Change::flat);
  EXPECT_EQ(points[1].change, Change::falls);
}

TEST(LossCurve, ErrorsReachTheCaller) {
  Analyst analyst;
  analyst.prior = Prior::uniform(2);
  EXPECT_THROW(loss_curve(known_others(), analyst, {Rational(1)}), Error);
  EXPECT_THROW(loss_curve(pipeline_of(30, Perturber::geometric(3), {}), {}, {Rational(1), Rational(2)}, 2), Error);
}

TEST(LossCurve, EpsilonsIncrease) {
  const std::vector<std::vector<Exponent>> wrong{{Rational(2), Rational(1)}, {Rational(1), Rational(1)}};
  for (const std::vector<Exponent>& epsilons : wrong) {
    EXPECT_THROW(loss_curve(known_others(), thousandfold_error(), epsilons), Error);
  }
  EXPECT_TRUE(loss_curve(known_others(), thousandfold_error(), {}).empty());
}

}  // namespace
}  // namespace fractile::flow
