#include "quantiles/release/joint_loss.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "quantiles/joint/joint_law.hpp"

namespace fractile {
namespace {

/// The loss by its definition: a sum over all tuples of splits.
double listed_loss(const JointProblem& problem, const std::vector<Rational>& quantiles, const ReleaseAnalyst& analyst) {
  double loss = 0;
  for (const auto& [splits, probability] : joint_splits_law(problem)) {
    double missed = 0;
    bool misses_by_more = false;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const std::uint64_t candidate = splits[i] / problem.subcells;
      const QuantileFraction alpha = QuantileFraction::of(quantiles[i]);
      const double one =
          static_cast<double>(interval_score(alpha, problem.profile.below(candidate), problem.profile.equal(candidate),
                                             problem.profile.records())) /
          static_cast<double>(alpha.denominator);
      missed += one / static_cast<double>(splits.size());
      misses_by_more = misses_by_more || one > static_cast<double>(analyst.tolerance);
    }
    const bool is_mean = analyst.loss == ReleaseAnalyst::Loss::missed_records;
    loss += probability.to_double() * (is_mean ? missed : misses_by_more ? 1 : 0);
  }
  return loss;
}

TEST(JointLoss, IsThatOfAllTuplesOfSplits) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 5);
    const Lattice lattice = Lattice::numbers(values);
    ProfileBuilder builder(lattice);
    builder.add_position(1, *rc::gen::inRange<std::uint64_t>(1, 5));
    for (std::size_t k = 1; k < values; ++k) {
      const auto count = *rc::gen::inRange<std::uint64_t>(0, 5);
      if (count > 0) builder.add_position(2 * k + 1, count);
    }
    const RankProfile profile = builder.finish();
    const std::vector<Rational> quantiles = *rc::gen::element(
        std::vector<Rational>{Rational(1, 4), Rational(1, 2)}, std::vector<Rational>{Rational(1, 3), Rational(2, 3)},
        std::vector<Rational>{Rational(1, 4), Rational(1, 2), Rational(3, 4)},
        std::vector<Rational>{Rational(0), Rational(1)});
    constexpr std::uint64_t subcells = 2;
    const RankSpan span = whole_span(profile, subcells);
    JointTarget target{{}, 12};
    std::uint64_t passed = 0;
    for (const Rational& quantile : quantiles) {
      const std::uint64_t at = (quantile * Rational(12)).to_uint64();
      target.weights.push_back(at - passed);
      passed = at;
    }
    target.weights.push_back(12 - passed);
    RoundNumbers numbers;
    if (*rc::gen::arbitrary<bool>()) numbers.grid = RoundGrid{0, 2};
    std::optional<TotalGrid> totals;
    if (*rc::gen::arbitrary<bool>()) totals = TotalGrid{*rc::gen::inRange<std::uint64_t>(1, 4)};
    const JointProblem problem{profile,  span,
                               subcells, BaseMeasure(span.lowest, span.highest, subcells, {}, numbers),
                               target,   Exponent(Rational(*rc::gen::inRange<std::int64_t>(1, 30), 10)),
                               totals};
    ReleaseAnalyst analyst;
    if (*rc::gen::arbitrary<bool>()) {
      analyst.loss = ReleaseAnalyst::Loss::missed_by_more;
      analyst.tolerance = *rc::gen::inRange<std::uint64_t>(0, 3);
    }
    const double expected = listed_loss(problem, quantiles, analyst);
    const std::optional<LossBounds> found = joint_loss(problem, quantiles, analyst);
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->lower.to_double() <= expected + 1e-12);
    RC_ASSERT(found->upper.to_double() >= expected - 1e-12);
    RC_ASSERT(found->upper.to_double() - found->lower.to_double() < 1e-5);
  }));
}

}  // namespace
}  // namespace fractile
