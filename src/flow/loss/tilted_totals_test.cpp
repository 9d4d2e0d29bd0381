#include "flow/loss/tilted_totals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "flow/pipeline/additions.hpp"
#include "support/statistics.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

Enclosure odds_of(const Rational& odds) { return Enclosure::of(odds, enclosure_bits); }

// In tilted units the losses are the same, and those after unlikely totals have as many digits as others.
TEST(TiltedSums, TiltedLossesAreThoseOfTheSum) {
  const TargetTotal target(skewed(21), {});
  const std::vector<std::size_t> totals = reachable(additions_of(target.pipeline()), 21);
  const TiltedTotal straight(target, odds_of(3));
  const std::vector<TiltedTotals> views = tilted_totals(target, 3);
  EXPECT_NE(views.front().law, views.back().law);
  for (const TiltedTotals& view : views) {
    const TiltedTotal tilted(target, odds_of(3), view.law);
    const TiltedUnit unit(target, odds_of(3), view.law);
    for (const std::size_t total : totals) {
      for (std::size_t action = 0; action < straight.costs.size(); ++action) {
        const Enclosure loss = tilted.loss(action, total) + tilted.left_out;
        const Enclosure here = product(loss, unit.after(total));
        const Enclosure expected = straight.loss(action, total) + straight.left_out;
        EXPECT_NE(arb_overlaps(here.arb(), expected.arb()), 0) << total;
        if (total < view.first || total > view.last) continue;
        EXPECT_LT(radius(loss), loss.to_double() * 1e-35) << total;
      }
    }
  }
}

// The bound of the losses beyond a total is at least their sum, and at most 10^5 times that.
TEST(TiltedSums, LossesBeyondAreBounded) {
  const TargetTotal target(skewed(21), {});
  const TiltedTotal sum(target, odds_of(3));
  const std::vector<TiltedTotals> views = tilted_totals(target, 3);
  const auto beyond = [&](std::size_t first, std::size_t end) {
    double all = 0;
    for (std::size_t total = first; total < end; ++total) {
      double highest = 0;
      for (std::size_t action = 0; action < sum.costs.size(); ++action) {
        highest = std::max(highest, sum.loss(action, total).to_double());
      }
      all += highest;
    }
    return all;
  };
  for (const TiltedTotals& view : views) {
    for (std::size_t total = view.first; total <= view.last; ++total) {
      const double bound = losses_beyond(target, odds_of(3), view.ratio, total).to_double();
      const double there = view.slope < 0 ? beyond(0, total + 1) : beyond(total, sum.end());
      EXPECT_GE(bound, there * (1 - 1e-9)) << total;
      EXPECT_LE(bound, there * 1e5) << total;
    }
  }
}

// Each total is in one view, in which it is likely, and its weight is a bound.
TEST(TiltedTotalsOf, HaveAllTotals) {
  for (const std::size_t participants : {std::size_t{1}, std::size_t{2}, std::size_t{30}, std::size_t{200}}) {
    const TargetTotal target(skewed(participants), {});
    const std::vector<std::size_t> totals = reachable(additions_of(target.pipeline()), participants);
    for (const Rational& odds : {Rational(11, 10), Rational(4), Rational(60)}) {
      std::size_t next = 0;
      bool has_home = false;
      for (const TiltedTotals& view : tilted_totals(target, odds)) {
        EXPECT_EQ(view.first, next);
        next = view.last + 1;
        has_home = has_home || (view.ratio == 1 && view.law == 1);
        const TiltedTotal sum(target, odds_of(odds), view.law);
        const TiltedUnit unit(target, odds_of(odds), view.law);
        for (const std::size_t total : totals) {
          if (total < view.first || total > view.last) continue;
          Enclosure law;  // of the others' sum and any step of the target
          for (std::size_t step = 0; step <= 5 && step <= total; ++step) {
            const std::size_t below = total - step;
            if (below < sum.others.first || below >= sum.others.first + sum.others.size) continue;
            Enclosure mass = sum.others.mass(below - sum.others.first);
            mass *= TiltedUnit(unit).after(below);
            law += mass;
          }
          const double likely = law.log().to_double() / std::log(2.0);
          const double reach = 5 * std::abs(view.slope);  // what the target adds is not in the weight
          EXPECT_LE(likely, view.weight(total) + reach + 3) << participants << " " << total;
          EXPECT_GE(likely, view.weight(total) - reach - 24) << participants << " " << total;
        }
      }
      EXPECT_TRUE(has_home);
      EXPECT_EQ(next, participants * 5 + 1);
    }
  }
}

}  // namespace
}  // namespace fractile::flow
