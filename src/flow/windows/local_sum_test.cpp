#include "flow/windows/local_sum.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "flow/windows/decisive_totals.hpp"
#include "support/properties.hpp"
#include "support/statistics.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

/// What the loss's slope may be at a place: of each observation, the best action's, or any one's that may be best.
Enclosure slope_at(LocalLoss& loss, double place) {
  const Places here{place, place};
  Enclosure sum;
  for (const OpenActions& after : loss.observations()) {
    std::optional<Enclosure> any;
    for (const std::size_t action : after.actions) {
      const bool is_best = std::ranges::all_of(after.actions, [&](std::size_t other) {
        return other == action || loss.is_no_worse(action, other, after.first, here);
      });
      const Enclosure slope = loss.slope(after.first, after.last, action).over(here);
      if (is_best || !any) any = slope;
      if (is_best) break;
      arb_union(any->arb(), any->arb(), slope.arb(), chebyshev_bits);
    }
    arb_add(sum.arb(), sum.arb(), any->arb(), chebyshev_bits);
  }
  return sum;
}

/// The slope by the place, as a difference quotient of losses; about 10^-12 of it is error.
double true_slope(const Case& of, const Cell& cell, double place) {
  const Rational odds = cell.odds_at(Rational::from_double(place));
  const Rational step = Rational::dyadic(1, -30);
  const Rational more = expected_loss(of.pipeline, of.analyst, Odds(odds + step)) -
                        expected_loss(of.pipeline, of.analyst, Odds(odds - step));
  return (more / (step * 2) * cell.radius).to_double();
}

/// Totals from .. to are considered, and those beyond are bounded.
DecisiveTotals totals_between(std::size_t from, std::size_t to, const std::vector<TiltedTotals>& all) {
  DecisiveTotals sums{0, 0, 0, {}};
  for (TiltedTotals view : all) {
    view.first = std::max(view.first, from);
    view.last = std::min(view.last, to);
    if (view.first <= view.last) sums.views.push_back(view);
  }
  TiltedTotals below = all.front();
  below.last = from - 1;
  if (from > 0) sums.beyond.push_back(below);
  TiltedTotals above = all.back();
  above.first = to + 1;
  if (to < above.last) sums.beyond.push_back(above);
  return sums;
}

const Matrix& losses_of_three() {
  static const Matrix losses = Matrix::of({{0, 2, 3}, {1, 0, 2}, {4, 2, 0}});
  return losses;
}

// Whatever totals are left out, the enclosed slope holds the true one.
TEST(LocalInTotals, SlopesHoldThatOfAllTotals) {
  const Case of{skewed(30), with_weights({5, 2, 3}, losses_of_three())};
  const TargetTotal target(of.pipeline, of.analyst);
  const Cell cell{6, Rational(1, 64)};
  const std::vector<TiltedTotals> all = tilted_totals(target, 6);
  const std::size_t last = all.back().last;
  const TiltedTotal sum(target, Enclosure::of(Rational(6), enclosure_bits));
  const std::size_t likely = (sum.first() + sum.end()) / 4;
  for (const auto& [from, to] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, last}, {2, last}, {likely, last}, {0, last - 3}, {0, likely}, {3, last - 40}}) {
    DecisiveTotals sums = totals_between(from, to, all);
    for (TiltedTotals& view : sums.views) view.law = Rational(5, 4);
    const std::unique_ptr<LocalLoss> loss = local_in_totals(sums, target, cell);
    ASSERT_NE(loss, nullptr) << from << " " << to;
    for (const double place : {-0.75, 0.0, 0.5}) {
      const Enclosure slope = slope_at(*loss, place);
      const double expected = true_slope(of, cell, place);
      EXPECT_LE(slope.lower_double(), expected + std::abs(expected) * 1e-9) << from << " " << to;
      EXPECT_GE(slope.upper_double(), expected - std::abs(expected) * 1e-9) << from << " " << to;
    }
  }
}

// An action that is not best after all likely totals is no baseline.
TEST(LocalInTotals, LeaveNothingOut) {
  const Case of{skewed(30), with_weights({5, 2, 3}, losses_of_three())};
  const TargetTotal target(of.pipeline, of.analyst);
  const Cell cell{6, Rational(1, 64)};
  DecisiveTotals sums{0, 0, 0, tilted_totals(target, 6)};
  EXPECT_NE(local_in_totals(sums, target, cell), nullptr);
  const auto refuses = [&](const DecisiveTotals& others) { return local_in_totals(others, target, cell) == nullptr; };
  const std::size_t last = sums.views.back().last;
  DecisiveTotals without = totals_between(2, last - 2, sums.views);
  EXPECT_FALSE(refuses(without));
  std::swap(without.beyond[0].ratio, without.beyond[1].ratio);  // each makes the other end likely
  EXPECT_TRUE(refuses(without));
  without.beyond.clear();
  EXPECT_TRUE(refuses(without));
  without = sums;
  without.views.erase(without.views.begin() + 1);
  EXPECT_TRUE(refuses(without));
  sums.unit = -40;
  for (sums.baseline = 0; sums.baseline < 3; ++sums.baseline) {
    EXPECT_EQ(local_in_totals(sums, target, cell), nullptr);
  }
}

TEST(EnclosedWindows, OfSumsAreThoseThatAreIsolated) {
  EXPECT_TRUE(testing::check_cases(testing::effort(30), [] {
    const auto count = *rc::gen::inRange<std::size_t>(2, 5);
    std::vector<std::uint64_t> histogram(count);
    for (std::uint64_t& people : histogram) people = *rc::gen::inRange<std::uint64_t>(0, 3);
    const bool is_geometric = *rc::gen::arbitrary<bool>();
    const Perturber perturber = is_geometric ? Perturber::geometric(count) : Perturber::randomized_response(count);
    Rational step(*rc::gen::inRange(1, 4), 2);
    std::vector<Rational> values{0};
    while (values.size() < count) {
      values.push_back(values.back() + step);
      if (!is_geometric) step = Rational(*rc::gen::inRange(1, 4), 2);
    }
    Analyst analyst;
    analyst.goal =
        *rc::gen::element(Analyst::Goal::bayes_risk, Analyst::Goal::linear_error, Analyst::Goal::squared_error);
    expect_the_same(adding_among(perturber, histogram, values), analyst, Rational(3, 2), 8);
  }));
}

TEST(EnclosedWindows, OfSumsWithWindows) {
  const Pipeline three = adding_among(Perturber::geometric(3), {2, 0, 0}, {0, 1, 2});
  const Analyst of_three = with_losses(Matrix::of({{9, 6}, {16, 8}, {4, 8}}));
  expect_the_same(three, of_three, Rational(3, 2), 8);
  const Windows answer = enclose(three, of_three, Rational(3, 2), 8);
  ASSERT_EQ(answer.windows.size(), 1U);
  EXPECT_TRUE(answer.undecided.empty());
  EXPECT_EQ(answer.windows[0].to.to_decimal(5), "3.12852");

  const Pipeline six = adding_among(Perturber::geometric(3), {2, 0, 3}, {0, 1, 2});
  const Analyst of_six = with_losses(Matrix::of({{4, 9, 29}, {28, 26, 16}, {0, 4, 2}}));
  expect_the_same(six, of_six, Rational(3, 2), 8);
  EXPECT_EQ(enclose(six, of_six, Rational(3, 2), 8).windows.size(), 2U);
}

Case drawn_sum(Draws& draw) {
  const Skewed people = drawn_skewed(draw, 4, 7);
  std::vector<Rational> values{0};
  auto step = static_cast<std::int64_t>(draw(1, 3));
  while (values.size() < people.values()) {
    values.push_back(values.back() + step);
    if (!people.perturber.is_geometric()) step = static_cast<std::int64_t>(draw(1, 3));
  }
  return {adding_among(people.perturber, people.histogram, values), people.analyst};
}

/// There are totals that change the analyst's mind, as unlikely as that.
bool decides_on_tails(const Case& drawn, const Rational& odds) {
  const DecisiveTotals sums =
      decisive_totals(TargetTotal(drawn.pipeline, drawn.analyst), Cell{odds, odds * Rational(1, 1000)});
  return sums.unit < -16 && expected_loss(drawn.pipeline, drawn.analyst, Odds(odds)) !=
                                expected_loss(drawn.pipeline, drawn.analyst, Odds(odds + 1));
}

// Where the same is best after all likely totals, nothing remains undecided that is worth mentioning.
TEST(EnclosedWindows, OfSumsInTailsAreThoseThatAreIsolated) {
  Draws draw(1);
  const std::uint64_t cases = testing::effort(6);
  for (std::uint64_t found = 0; found < cases;) {
    const Case drawn = drawn_sum(draw);
    if (!decides_on_tails(drawn, 6)) continue;
    ++found;
    expect_the_same(drawn.pipeline, drawn.analyst, 5, 7);
    EXPECT_LT(width_of(enclose(drawn.pipeline, drawn.analyst, 5, 7).undecided), Rational(1, 100'000));
  }
}

// The window is found among thousands of people, though the loss rises by less than 2^-30 of the largest loss.
TEST(EnclosedWindows, OfSumsInTailsWithWindows) {
  const Case drawn{
      adding_among(Perturber::randomized_response(4), {1, 6, 0, 1}, {0, 3, 6, 9}),
      with_weights({2, 1, 29, 1}, Matrix::of({{30, 4, 6, 4}, {22, 19, 4, 25}, {24, 24, 15, 18}, {10, 7, 28, 4}}))};
  EXPECT_TRUE(decides_on_tails(drawn, 6));
  expect_the_same(drawn.pipeline, drawn.analyst, Rational(27, 10), Rational(52, 5));
  const Windows answer = enclose(drawn.pipeline, drawn.analyst, Rational(27, 10), Rational(52, 5));
  EXPECT_EQ(answer.windows.size(), 2U);
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, OfSumsAreDecidedHoweverUnlikely) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  const Pipeline pipeline = adding_among(Perturber::randomized_response(3), {150, 30, 19}, {0, 1, 2});
  const Windows answer = enclose(pipeline, analyst, Rational(21, 10), 4);  // 10^-55 to 10^-15
  EXPECT_TRUE(answer.windows.empty());
  EXPECT_TRUE(answer.undecided.empty());
}

}  // namespace
}  // namespace fractile::flow
