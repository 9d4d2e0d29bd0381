#include "flow/windows/local_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "flow/windows/tilted_counts.hpp"
#include "support/statistics.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

/// Counts that may change the analyst's mind are as unlikely as that, throughout the odds.
bool decides_on_tails(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  const std::optional<DecisiveCounts> views =
      tail_counts(TargetTotal(pipeline, analyst), Cell{odds, odds * Rational(1, 1000)});
  return views && !views->views.empty() && views->unit.upper_double() < 0x1p-16;
}

Case drawn_count(Draws& draw) {
  const Skewed people = drawn_skewed(draw, 5, 8);
  const auto last = static_cast<unsigned>(people.values()) - 1;
  return {counting_among(people.perturber, people.histogram, {draw(0, last)}), people.analyst};
}

TEST(EnclosedWindows, OfTailsAreThoseThatAreIsolated) {
  Draws draw(1);
  const std::uint64_t cases = testing::effort(8);
  for (std::uint64_t found = 0; found < cases;) {
    const Case drawn = drawn_count(draw);
    if (!decides_on_tails(drawn.pipeline, drawn.analyst, 8)) continue;
    ++found;
    expect_the_same(drawn.pipeline, drawn.analyst, 7, 9);
  }
}

void expect_in_tails(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds, std::size_t windows) {
  EXPECT_TRUE(decides_on_tails(pipeline, analyst, odds));
  expect_the_same(pipeline, analyst, 2, 20);
  EXPECT_EQ(enclose(pipeline, analyst, 2, 20).windows.size(), windows);
}

// The window is found among thousands of people, though the loss rises by less than the probability of very unlikely counts.
TEST(EnclosedWindows, OfTailsWithWindows) {
  const Pipeline low = counting_among(Perturber::geometric(4), {1, 2, 12, 0}, {1});
  const Analyst of_low =
      with_weights({4, 1, 3, 35}, Matrix::of({{9, 13, 4, 17}, {18, 23, 25, 13}, {17, 17, 25, 16}, {8, 19, 10, 22}}));
  expect_in_tails(low, of_low, 19, 1);

  const Pipeline high = counting_among(Perturber::geometric(4), {1, 10, 2, 2}, {0});
  const Analyst of_high =
      with_weights({4, 1, 1, 56}, Matrix::of({{15, 3, 6, 16}, {23, 25, 11, 15}, {15, 12, 10, 28}, {20, 27, 4, 19}}));
  expect_in_tails(high, of_high, 6, 5);
}

// Both low and high counts change the usual action; low ones are likelier.
TEST(EnclosedWindows, OfTwoTailsWithWindows) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {6, 5, 54}, {2});
  const Analyst analyst = with_weights({5, 4, 3}, Matrix::of({{0, 4, 24}, {12, 8, 30}, {17, 10, 2}}));
  const std::optional<DecisiveCounts> views =
      tail_counts(TargetTotal(pipeline, analyst), Cell{Rational(5), Rational(1, 100)});
  ASSERT_TRUE(views && views->views.size() == 2 && views->unit.upper_double() < 0x1p-16);
  expect_the_same(pipeline, analyst, Rational(4), Rational(6));
  EXPECT_EQ(enclose(pipeline, analyst, 4, 6).windows.size(), 4U);
}

// Times their unit, slopes in tails are those that are found with all counts together, up to what either errs by.
TEST(LocalInCounts, SlopesAreThoseOfAllCounts) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {6, 5, 54}, {2});
  const Analyst analyst = with_weights({5, 4, 3}, Matrix::of({{0, 4, 24}, {12, 8, 30}, {17, 10, 2}}));
  const TargetTotal count(pipeline, analyst);
  const Cell cell{Rational(5), Rational(1, 100)};
  const std::optional<DecisiveCounts> views = tail_counts(count, cell);
  ASSERT_TRUE(views && views->views.size() == 2);
  const std::unique_ptr<LocalLoss> tails = local_in_counts(*views, count, cell);
  const std::unique_ptr<LocalLoss> all = local_in_counts(all_counts(count, cell), count, cell);
  ASSERT_TRUE(tails != nullptr && all != nullptr);
  std::size_t compared = 0;
  for (const TiltedCounts& view : views->views) {
    for (std::size_t y = view.first; y <= view.last; ++y) {
      for (std::size_t action = 0; action < 3; ++action) {
        const Places middle{0, 0};
        Enclosure here = tails->slope(y, y, action).over(middle);
        arb_mul(here.arb(), here.arb(), views->unit.arb(), chebyshev_bits);
        arb_sub(here.arb(), here.arb(), all->slope(y, y, action).over(middle).arb(), chebyshev_bits);
        const double error = all->slope_error().upper_double();
        EXPECT_LT(here.upper_double(), 2 * error);
        EXPECT_GT(here.lower_double(), -2 * error);
        if (std::abs(all->slope(y, y, action).over(middle).to_double()) > 1e6 * error) ++compared;
      }
    }
  }
  EXPECT_GT(compared, 12U);
}

// Views are guessed, and checked: those that leave out a count that changes the analyst's mind are not taken.
TEST(LocalInCounts, LeaveNothingOut) {
  const Pipeline pipeline = counting_among(Perturber::geometric(6), {235, 2, 4, 0, 929, 1}, {4});
  Analyst analyst;
  analyst.goal = Analyst::Goal::squared_error;
  analyst.prior = Prior({Rational(2, 10), Rational(1, 100), 0, 0, Rational(78, 100), Rational(1, 100)});
  const TargetTotal count(pipeline, analyst);
  const Cell cell{Rational(10), Rational(1, 100)};
  const std::optional<DecisiveCounts> views = tail_counts(count, cell);
  ASSERT_TRUE(views && views->views.size() == 2);
  EXPECT_NE(local_in_counts(*views, count, cell), nullptr);
  DecisiveCounts shorter = *views;
  shorter.views[0].last -= 6;
  EXPECT_EQ(local_in_counts(shorter, count, cell), nullptr);
  shorter = *views;
  shorter.views[1].first += 6;
  EXPECT_EQ(local_in_counts(shorter, count, cell), nullptr);
  for (std::size_t left_out = 0; left_out < 2; ++left_out) {
    shorter = *views;
    shorter.views.erase(shorter.views.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(local_in_counts(shorter, count, cell), nullptr);
  }
}

// In a tail's units, probabilities and their sums are those of the law itself.
TEST(TiltedCountLaw, HasTheProbabilitiesOfTheLaw) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {4, 30, 5}, {1});
  const TargetTotal count(pipeline, {});
  const Cell cell{Rational(9), Rational(1, 10)};
  const Enclosure odds = Enclosure::of(Rational(9), enclosure_bits);
  const RunningLaw whole(TiltedTotal(count, odds).others);
  const TiltedCounts low{0, 12, Rational(1, 20), 12};
  const TiltedCounts high{33, 40, Rational(7), 32};
  for (TiltedCounts view : {low, high}) {
    const TiltedUnit units(count, Enclosure::of(cell.centre, enclosure_bits), view.ratio);
    view.expectation = units.expectation;
    view.share = Enclosure::of(Rational(1));
    const RunningLaw law = tilted_count_law(count, view, odds);
    const Enclosure unit = units.after(view.reference);
    for (std::size_t from = 0; from < 40; ++from) {
      for (std::size_t to = from + 1; to <= 40; ++to) {
        if (!view.matters(from) || !view.matters(to - 1)) continue;
        Enclosure expected = whole.between(from, to);
        arb_div(expected.arb(), expected.arb(), unit.arb(), law_bits);
        const Enclosure here = law.between(from, to);
        EXPECT_NE(arb_overlaps(here.arb(), expected.arb()), 0) << from << " " << to;
        EXPECT_LT(radius(here), 1e-40);
      }
    }
  }
}

}  // namespace
}  // namespace fractile::flow
