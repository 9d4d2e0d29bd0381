#include "flow/windows/listed_loss.hpp"

#include <gtest/gtest.h>

#include "flow/algebra/ring.hpp"
#include "support/reciprocal.hpp"

namespace fractile::flow {
namespace {

// An interpolated loss encloses the loss, and its slope encloses the loss's slope.
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

}  // namespace
}  // namespace fractile::flow
