#include "flow/windows/monotone_pieces.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "flow/algebra/bernstein_ellipse.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/windows/listed_loss.hpp"
#include "flow/windows/local_argmax.hpp"
#include "flow/windows/local_count.hpp"
#include "flow/windows/tilted_counts.hpp"
#include "fractile/error.hpp"
#include "support/pipelines.hpp"
#include "support/statistics.hpp"
#include "support/windows.hpp"

namespace fractile::flow {
namespace {

/// 1 / (odds + 1), a function whose modulus on the ellipse is known.
Enclosure reciprocal(const Cell& cell, const Enclosure& place) {
  Enclosure odds = Enclosure::of(cell.centre + 1, chebyshev_bits);
  arb_addmul(odds.arb(), Enclosure::of(cell.radius, chebyshev_bits).arb(), place.arb(), chebyshev_bits);
  arb_inv(odds.arb(), odds.arb(), chebyshev_bits);
  return odds;
}

// Its nearest pole is about as close to the ellipse as may be: the bound is needed, and enough.
TEST(Interpolation, DiffersByAtMostWhatIsSaid) {
  const Cell cell{Rational(26, 10), Rational(1)};
  ASSERT_FALSE(is_right_of_zero(cell));
  ASSERT_TRUE(is_right_of_zero({Rational(261, 100), 1}));
  const Enclosure largest = largest_on_ellipse(cell, [](const ComplexBox& odds) {
    ComplexBox value;
    acb_add_ui(value.get(), odds.get(), 1, chebyshev_bits);
    acb_inv(value.get(), value.get(), chebyshev_bits);
    return value.modulus();
  });
  EXPECT_GE(largest.upper_double(), 1.0);  // at odds of 0, next to where the ellipse ends
  EXPECT_LT(largest.upper_double(), 1.2);
  std::vector<Enclosure> values;
  for (std::size_t i = 0; i < Interpolation::nodes; ++i)
    values.push_back(reciprocal(cell, Interpolation::instance().node(i)));
  const LocalPolynomial polynomial = Interpolation::instance().through(values);
  const LocalPolynomial slope = polynomial.derivative();
  double farthest = 0;
  for (int i = -64; i <= 64; ++i) {
    const double place = i / 64.0;
    Enclosure exact_place;
    arb_set_d(exact_place.arb(), place);
    const Enclosure here = reciprocal(cell, exact_place);
    const Enclosure off = Enclosure::of(Rational(0)) + (here - polynomial.at(place));
    farthest = std::max(farthest, std::max(std::abs(off.upper_double()), std::abs(off.lower_double())));
    Enclosure steep = slope.at(place);
    arb_addmul(steep.arb(), here.arb(), here.arb(), chebyshev_bits);  // the derivative is -1 / (odds + 1)^2
    EXPECT_LE(steep.upper_double(), Interpolation::slope_error(largest).upper_double());
    EXPECT_GE(steep.lower_double(), -Interpolation::slope_error(largest).upper_double());
  }
  EXPECT_LE(farthest, Interpolation::value_error(largest).upper_double());
}

// Values of 1 and -1 in turn, and of 1 alone near an end, where polynomials are steepest.
TEST(Interpolation, IsNoSteeperThanIsSaid) {
  const double most = Interpolation::slope_within(whole<Enclosure>(1)).to_double();
  const auto sign = [](std::size_t i) { return i % 2 == 0 ? 1 : -1; };
  const auto is_first = [](std::size_t i) { return i == 0 ? 1 : 0; };
  for (const auto& value : {std::function<int(std::size_t)>(sign), std::function<int(std::size_t)>(is_first)}) {
    const LocalPolynomial slope = through_nodes([&](std::size_t i) { return whole<Enclosure>(value(i)); }).derivative();
    double steepest = 0;
    for (int i = -512; i <= 512; ++i) steepest = std::max(steepest, std::abs(slope.at(i / 512.0).to_double()));
    EXPECT_LE(steepest, most);
    EXPECT_GE(steepest, most / 1000);
  }
}

// An interpolated loss holds what it is, and its slope.
TEST(InterpolatedLoss, HoldsWhatItIs) {
  const Cell cell{Rational(26, 10), Rational(1)};
  const LocalPolynomial values =
      through_nodes([&](std::size_t i) { return reciprocal(cell, Interpolation::instance().node(i)); });
  const InterpolatedLoss loss(values, Enclosure::of(Rational(6, 5)));
  for (int i = -64; i <= 64; ++i) {
    Enclosure place;
    arb_set_d(place.arb(), i / 64.0);
    const Enclosure here = reciprocal(cell, place);
    Enclosure steep;  // -1 / (odds + 1)^2
    arb_submul(steep.arb(), here.arb(), here.arb(), chebyshev_bits);
    EXPECT_NE(arb_overlaps(loss.value.at(i / 64.0).arb(), here.arb()), 0);
    EXPECT_NE(arb_overlaps(loss.slope.at(i / 64.0).arb(), steep.arb()), 0);
  }
  EXPECT_GT(loss.value.error(), Interpolation::value_error(Enclosure::of(Rational(1))).to_double());
  EXPECT_GT(loss.slope.error(), Interpolation::slope_error(Enclosure::of(Rational(1))).to_double());
}

// Doubles hold what the balls hold.
TEST(QuickPolynomial, HoldsWhatTheBallsHold) {
  EXPECT_TRUE(rc::check([] {
    const auto coefficients = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1'000'000, 1'000'000));
    LocalPolynomial polynomial;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      const Enclosure coefficient =
          Enclosure::of(Rational(coefficients[k], 3) / Rational(5).pow(static_cast<std::int64_t>(k)), chebyshev_bits);
      arb_poly_set_coeff_arb(polynomial.get(), static_cast<slong>(k), coefficient.arb());
    }
    const FilteredPolynomial filtered(polynomial);
    const int first = *rc::gen::inRange(-32, 32);
    const Places places{first / 32.0, (first + 1) / 32.0};
    const QuickBall quick = filtered.quick.over(places);
    for (int i = 0; i <= 8; ++i) {
      const Enclosure value = polynomial.at(places.from + i / 256.0);
      RC_ASSERT(quick.lower() <= value.upper_double());
      RC_ASSERT(quick.upper() >= value.lower_double());
    }
    RC_ASSERT(!filtered.is_at_most(std::nextafter(polynomial.at(places.middle()).lower_double(), -1e300), places));
  }));
}

/// Odds on the ellipse about a cell, or within it for a share below 1.
ComplexBox odds_near(const Cell& cell, double angle, double share) {
  constexpr double sum = Interpolation::ellipse;
  ComplexBox odds;
  acb_set_d_d(odds.get(),
              cell.centre.to_double() + share * cell.radius.to_double() * (sum + 1 / sum) / 2 * std::cos(angle),
              share * cell.radius.to_double() * (sum - 1 / sum) / 2 * std::sin(angle));
  return odds;
}

/// The moduli of a row of the noise together.
double modulus_of_row(const std::vector<Polynomial>& row, const Polynomial& denominator, const ComplexBox& odds) {
  ComplexBox divisor;
  arb_fmpz_poly_evaluate_acb(divisor.get(), denominator.get(), odds.get(), 512);
  Enclosure sum;
  for (const Polynomial& numerator : row) {
    ComplexBox value;
    arb_fmpz_poly_evaluate_acb(value.get(), numerator.get(), odds.get(), 512);
    acb_div(value.get(), value.get(), divisor.get(), 512);
    arb_add(sum.arb(), sum.arb(), value.modulus().arb(), chebyshev_bits);
  }
  return sum.to_double();
}

// No law's moduli add up to more than is said, nor to much less somewhere.
TEST(LargestModulus, HoldsOnTheEllipse) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 12);
    const Perturber perturber =
        *rc::gen::arbitrary<bool>() ? Perturber::geometric(values) : Perturber::randomized_response(values);
    const Rational centre = Rational(1) + Rational(*rc::gen::inRange(0, 400), 100);
    const Cell cell{centre, centre * Rational(*rc::gen::inRange(1, 31), 100)};
    Pipeline pipeline = noisy_argmax(values - 1, 1);
    pipeline.perturber = perturber;
    const PolynomialNoise& noise = perturber.noise();
    const double heights = largest_modulus_of_heights(pipeline, cell).upper_double();
    for (const std::vector<Polynomial>& row : noise.numerators) {
      const double law = largest_sum_of_moduli(row, noise.denominator, cell).upper_double();
      double largest = 0;
      for (int i = 0; i < 60; ++i) {
        const double share = i % 2 == 0 ? 1 : i / 60.0;
        largest = std::max(largest, modulus_of_row(row, noise.denominator, odds_near(cell, i * 0.105, share)));
      }
      RC_ASSERT(largest <= law * (1 + 1e-9));
      RC_ASSERT(largest <= heights * (1 + 1e-9));
      RC_ASSERT(law <= 4 * largest || largest > 2);
    }
  }));
}

Analyst mode_guesser() {
  Analyst analyst;
  analyst.goal = Analyst::Goal::argmax_accuracy;
  return analyst;
}

// Small enough that both ways apply: the same windows, and ends that hold the exact ones.
TEST(EnclosedWindows, AreThoseThatAreIsolated) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(3, 6);
    std::vector<std::uint64_t> histogram(values);
    for (std::uint64_t& people : histogram) people = *rc::gen::inRange<std::uint64_t>(0, 5);
    std::vector<std::size_t> counted{*rc::gen::inRange<std::size_t>(0, values)};
    const Perturber perturber =
        *rc::gen::arbitrary<bool>() ? Perturber::geometric(values) : Perturber::randomized_response(values);
    Analyst analyst;
    analyst.goal =
        *rc::gen::element(Analyst::Goal::bayes_risk, Analyst::Goal::linear_error, Analyst::Goal::squared_error);
    expect_the_same(counting_among(perturber, histogram, counted), analyst, Rational(3, 2), 8);
  }));
}

/// Counts that may change the analyst's mind are as unlikely as that, throughout the odds.
bool decides_on_tails(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  const std::optional<CountViews> views =
      tail_views(CountAmongKnown(pipeline, analyst), Cell{odds, odds * Rational(1, 1000)});
  return views && !views->views.empty() && views->unit.upper_double() < 0x1p-16;
}

Case drawn_case(Draws& draw) {
  const Skewed people = drawn_skewed(draw, 7, 11);
  const auto last = static_cast<unsigned>(people.values()) - 1;
  return {counting_among(people.perturber, people.histogram, {draw(0, last)}), people.analyst};
}

TEST(EnclosedWindows, OfTailsAreThoseThatAreIsolated) {
  Draws draw(1);
  const std::uint64_t cases = testing::effort(30);
  for (std::uint64_t found = 0; found < cases;) {
    const Case drawn = drawn_case(draw);
    if (!decides_on_tails(drawn.pipeline, drawn.analyst, 8)) continue;
    ++found;
    expect_the_same(drawn.pipeline, drawn.analyst, 7, 9);
  }
}

void expect_in_tails(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds, std::size_t windows) {
  EXPECT_TRUE(decides_on_tails(pipeline, analyst, odds));
  expect_the_same(pipeline, analyst, 2, 20);
  EXPECT_EQ(enclosed_windows(pipeline, analyst, 2, 20).windows.size(), windows);
}

// Found among thousands: what rises does so by less than the probability of counts that hardly ever come.
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

// Few and many both speak against the usual action; few are likelier.
TEST(EnclosedWindows, OfTwoTailsWithWindows) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {6, 5, 54}, {2});
  const Analyst analyst = with_weights({5, 4, 3}, Matrix::of({{0, 4, 24}, {12, 8, 30}, {17, 10, 2}}));
  const std::optional<CountViews> views =
      tail_views(CountAmongKnown(pipeline, analyst), Cell{Rational(5), Rational(1, 100)});
  ASSERT_TRUE(views && views->views.size() == 2 && views->unit.upper_double() < 0x1p-16);
  expect_the_same(pipeline, analyst, Rational(4), Rational(6));
  EXPECT_EQ(enclosed_windows(pipeline, analyst, 4, 6).windows.size(), 4U);
}

// Times their unit, slopes in tails are those that are found with all counts together, up to what either errs by.
TEST(LocalInViews, SlopesAreThoseOfAllCounts) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {6, 5, 54}, {2});
  const Analyst analyst = with_weights({5, 4, 3}, Matrix::of({{0, 4, 24}, {12, 8, 30}, {17, 10, 2}}));
  const CountAmongKnown count(pipeline, analyst);
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  const Cell cell{Rational(5), Rational(1, 100)};
  const std::optional<CountViews> views = tail_views(count, cell);
  ASSERT_TRUE(views && views->views.size() == 2);
  const std::unique_ptr<LocalLoss> tails = local_in_views(*views, count, joint, cell);
  const std::unique_ptr<LocalLoss> all = local_in_views(whole_view(count, cell), count, joint, cell);
  ASSERT_TRUE(tails != nullptr && all != nullptr);
  std::size_t compared = 0;
  for (const CountView& view : views->views) {
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
TEST(LocalInViews, LeaveNothingOut) {
  const Pipeline pipeline = counting_among(Perturber::geometric(6), {235, 2, 4, 0, 929, 1}, {4});
  Analyst analyst;
  analyst.goal = Analyst::Goal::squared_error;
  analyst.prior = Prior({Rational(2, 10), Rational(1, 100), 0, 0, Rational(78, 100), Rational(1, 100)});
  const CountAmongKnown count(pipeline, analyst);
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  const Cell cell{Rational(10), Rational(1, 100)};
  const std::optional<CountViews> views = tail_views(count, cell);
  ASSERT_TRUE(views && views->views.size() == 2);
  EXPECT_NE(local_in_views(*views, count, joint, cell), nullptr);
  CountViews shorter = *views;
  shorter.views[0].last -= 6;
  EXPECT_EQ(local_in_views(shorter, count, joint, cell), nullptr);
  shorter = *views;
  shorter.views[1].first += 6;
  EXPECT_EQ(local_in_views(shorter, count, joint, cell), nullptr);
  for (std::size_t left_out = 0; left_out < 2; ++left_out) {
    shorter = *views;
    shorter.views.erase(shorter.views.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(local_in_views(shorter, count, joint, cell), nullptr);
  }
}

// In a tail's units, probabilities and their sums are those of the law itself.
TEST(ViewedLaw, HasTheProbabilitiesOfTheLaw) {
  const Pipeline pipeline = counting_among(Perturber::geometric(3), {4, 30, 5}, {1});
  const CountAmongKnown count(pipeline, {});
  const Cell cell{Rational(9), Rational(1, 10)};
  const CountLaw whole = count.law_at(Enclosure::of(Rational(9), law_bits));
  const CountView low{0, 12, Rational(1, 20), 12};
  const CountView high{33, 40, Rational(7), 32};
  for (CountView view : {low, high}) {
    for (const Enclosure& p : count.counted_at(Enclosure::of(cell.centre, law_bits))) {
      Enclosure moment = Enclosure::of(view.ratio - 1, law_bits) * p;
      arb_add_ui(moment.arb(), moment.arb(), 1, law_bits);
      view.moments.push_back(moment);
    }
    view.share = Enclosure::of(Rational(1));
    const ViewedLaw law(count, view, Enclosure::of(Rational(9), law_bits));
    Enclosure unit = Enclosure::of(view.ratio.pow(-static_cast<std::int64_t>(view.reference)), law_bits);
    for (std::size_t value = 0; value < 3; ++value) {
      for (std::size_t person = 0; person < count.histogram()[value]; ++person) {
        arb_mul(unit.arb(), unit.arb(), view.moments[value].arb(), law_bits);
      }
    }
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

// 1 - 10^-1000 of all counts leave this analyst with the most frequent value.
TEST(EnclosedWindows, AreDecidedHoweverUnlikely) {
  const Pipeline pipeline = counting_among(Perturber::geometric(6), {2358, 16, 38, 1, 9291, 5}, {4});
  Analyst analyst = with_weights({2358, 16, 38, 1, 9291, 5}, Matrix());
  analyst.goal = Analyst::Goal::linear_error;
  analyst.losses = {};
  const EnclosedWindows answer = enclosed_windows(pipeline, analyst, 19, Rational(96, 5));
  EXPECT_TRUE(answer.windows.empty());
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, AreQuickerWherePolynomialsAreMany) {
  EXPECT_EQ(window_search(noisy_argmax(20, 3), mode_guesser()), WindowSearch::isolated);
  EXPECT_EQ(window_search(noisy_argmax(60, 4), mode_guesser()), WindowSearch::enclosed);
  EXPECT_EQ(window_search(noisy_argmax(60, 4), {}), WindowSearch::isolated);  // there is no other way
  EXPECT_EQ(window_search(known_others(), thousandfold_error()), WindowSearch::isolated);
  EXPECT_EQ(window_search(adding_among(Perturber::geometric(4), {2, 1, 0, 1}, {0, 1, 2, 3}), {}),
            WindowSearch::isolated);
  EXPECT_EQ(window_search(adding_among(Perturber::geometric(4), {9, 5, 0, 10}, {0, 1, 2, 3}), {}),
            WindowSearch::enclosed);
}

TEST(EnclosedWindows, OfHighestBarsAreThoseThatAreIsolated) {
  EXPECT_TRUE(rc::check([] {
    const auto participants = *rc::gen::inRange<std::size_t>(2, 6);
    Pipeline pipeline = noisy_argmax(participants, *rc::gen::inRange<std::size_t>(2, 4));
    if (*rc::gen::arbitrary<bool>()) pipeline.perturber = Perturber::randomized_response(participants + 1);
    expect_the_same(pipeline, mode_guesser(), *rc::gen::element<Rational>(1, Rational(3, 2)), 9);
  }));
}

TEST(EnclosedWindows, AppendixD1) {
  const EnclosedWindows answer = enclosed_windows(known_others(), thousandfold_error(), 1, 100);
  ASSERT_EQ(answer.windows.size(), 1U);
  const std::vector<UnstableWindow> exact = unstable_windows(known_others(), thousandfold_error(), 1, 100);
  for (const auto& end : {&UnstableWindow::from, &UnstableWindow::to}) {
    EXPECT_LE((answer.windows[0].*end).lower, (exact[0].*end).lower);
    EXPECT_GE((answer.windows[0].*end).upper, (exact[0].*end).upper);
    EXPECT_LT((answer.windows[0].*end).upper - (answer.windows[0].*end).lower, Rational(1, 100'000'000));
  }
}

/// Windows are proved by pairs of losses, and losses on a grid rise just there.
EnclosedWindows explain_a_grid(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                               const Rational& to, int points) {
  EnclosedWindows answer = enclosed_windows(pipeline, analyst, from, to);
  for (const UnstableWindow& window : answer.windows) {
    EXPECT_TRUE(window.proof.has_value() && window.proof->loss_from.upper < window.proof->loss_to.lower);
  }
  const auto touches = [](const RealBounds& range, const Rational& low, const Rational& high) {
    return range.lower <= high && low <= range.upper;
  };
  Rational before = from;
  RealBounds loss_before = utility_bounds(pipeline, analyst, Exponent::log(before));
  for (int i = 1; i <= points; ++i) {
    const Rational here = from + (to - from) * Rational(i, points);
    const RealBounds loss = utility_bounds(pipeline, analyst, Exponent::log(here));
    bool may_rise =
        std::ranges::any_of(answer.undecided, [&](const RealBounds& range) { return touches(range, before, here); });
    bool rises = false;
    for (const UnstableWindow& window : answer.windows) {
      may_rise = may_rise || touches({window.from.lower, window.to.upper}, before, here);
      rises = rises || (window.from.upper <= before && here <= window.to.lower);
    }
    EXPECT_TRUE(may_rise || loss.lower <= loss_before.upper) << here.to_string();
    EXPECT_TRUE(!rises || loss.upper > loss_before.lower) << here.to_string();
    before = here;
    loss_before = loss;
  }
  return answer;
}

TEST(EnclosedWindows, ExplainAGridForHundredsOfPeople) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::squared_error;
  const EnclosedWindows answer = explain_a_grid(counting_among(Perturber::geometric(6), {118, 1, 2, 0, 464, 1}, {4}),
                                                analyst, 2, Rational(5, 2), 1000);
  EXPECT_GT(answer.windows.size(), 20U);
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, ExplainAGridOfSums) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  const EnclosedWindows answer =
      explain_a_grid(adding_among(Perturber::geometric(4), {40, 5, 0, 60}, {0, 1, 2, 5}), analyst, 2, 4, 200);
  EXPECT_TRUE(answer.undecided.empty());
}

TEST(EnclosedWindows, ExplainAGridOfHighestBars) {
  const EnclosedWindows answer = explain_a_grid(noisy_argmax(24, 4), mode_guesser(), Rational(5, 4), 9, 40);
  EXPECT_TRUE(answer.undecided.empty());
}

// A loss that does not depend on the count has no window, up to where it does; theorem 6.1 allows none at all.
TEST(EnclosedWindows, NoneForRandomizedResponse) {
  const EnclosedWindows answer =
      enclosed_windows(counting_among(Perturber::randomized_response(4), {250, 300, 249, 200}, {0, 1}), {}, 2, 20);
  EXPECT_TRUE(answer.windows.empty());
  EXPECT_TRUE(answer.undecided.empty());
  EXPECT_THROW(enclosed_windows(noisy_argmax(2, 3), {}, 2, 3), Error);
}

/// f(t) = least of t + 1/8 and 1/8 - t / 2 on places t, something that does not change, and a tail whose slope is at most so much: rises
/// up to 0.
class Roof final : public LocalLoss {
 public:
  Roof(double tail, double error) : has_tail_(tail > 0) {
    arb_set_d(tail_.arb(), tail);
    arb_set_d(error_.arb(), error);
    for (const double slope : {1.0, -0.5, 0.0}) {
      LocalPolynomial constant;
      Enclosure value;
      arb_set_d(value.arb(), slope);
      arb_poly_set_coeff_arb(constant.get(), 0, value.arb());
      slopes_.emplace_back(constant);
    }
  }
  std::vector<OpenActions> observations() const override {
    std::vector<OpenActions> all{{0, 0, {0, 1}}, {1, 1, {2}}};
    if (has_tail_) all.push_back({2, 3, {0, 1}});
    return all;
  }
  std::size_t parting(std::size_t first, std::size_t /*last*/, const Places& /*places*/) const override {
    return first;
  }
  bool is_no_worse(std::size_t action, std::size_t /*other*/, std::size_t observation, const Places& places) override {
    return observation == 0 && (action == 0 ? places.to <= 0 : places.from >= 0);
  }
  const FilteredPolynomial& slope(std::size_t /*first*/, std::size_t /*last*/, std::size_t action) override {
    return slopes_[action];
  }
  bool is_negligible(std::size_t first, std::size_t /*last*/, const Places& /*places*/) override { return first > 1; }
  const Enclosure& negligible_slope() const override { return tail_; }
  Enclosure slope_error() const override { return error_; }
  double flat_slope() const override { return 0x1p-58; }

 private:
  bool has_tail_;
  Enclosure tail_;
  Enclosure error_;
  std::vector<FilteredPolynomial> slopes_;
};

std::vector<LossPiece::Direction> directions(double tail, double error) {
  Roof roof(tail, error);
  std::vector<LossPiece::Direction> result;
  for (const LossPiece& piece : pieces_of(roof, {10, 1})) result.push_back(piece.direction);
  return result;
}

// What is left out, and what interpolation errs by, count: with as much of either as the slope, nothing is claimed.
TEST(PiecesOf, TailsAndErrorsCount) {
  using enum LossPiece::Direction;
  EXPECT_EQ(directions(0, 0), (std::vector{rises, falls}));
  EXPECT_EQ(directions(0.4, 0), (std::vector{rises, falls}));
  EXPECT_EQ(directions(0, 0.6), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(0.6, 0), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(0.3, 0.3), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(1.1, 0), (std::vector{unknown}));
}

}  // namespace
}  // namespace fractile::flow
