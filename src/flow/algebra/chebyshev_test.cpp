#include "flow/algebra/chebyshev.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "flow/algebra/bernstein_ellipse.hpp"
#include "support/reciprocal.hpp"

namespace fractile::flow {
namespace {

// The function's nearest pole is about as close to the ellipse as is allowed: the bound is necessary, and suffices.
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

// Polynomials with values of 1 and -1 in turn, and of 1 only near an end: these are the steepest.
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

// The polynomial in doubles encloses what the balls enclose.
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

}  // namespace
}  // namespace fractile::flow
