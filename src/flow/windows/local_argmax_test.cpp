#include "flow/windows/local_argmax.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "flow/algebra/bernstein_ellipse.hpp"
#include "flow/pipeline/noise.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

/// Odds on the ellipse about a cell, or within it for a share below 1.
ComplexBox odds_near(const Cell& cell, double angle, double share) {
  constexpr double sum = Interpolation::bernstein_parameter;
  ComplexBox odds;
  acb_set_d_d(odds.get(),
              cell.centre.to_double() + share * cell.radius.to_double() * (sum + 1 / sum) / 2 * std::cos(angle),
              share * cell.radius.to_double() * (sum - 1 / sum) / 2 * std::sin(angle));
  return odds;
}

/// The sum of the moduli of a row of the noise.
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

// The bound is at least the sum of moduli on and within the ellipse, and not much more than the largest sum there.
TEST(LargestModulus, HoldsOnTheEllipse) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 12);
    const Perturber perturber =
        *rc::gen::arbitrary<bool>() ? Perturber::geometric(values) : Perturber::randomized_response(values);
    const Rational centre = Rational(1) + Rational(*rc::gen::inRange(0, 400), 100);
    const Cell cell{centre, centre * Rational(*rc::gen::inRange(1, 31), 100)};
    Pipeline pipeline = noisy_argmax(values - 1, 1);
    pipeline.perturber = perturber;
    const PolynomialNoise& noise = noise_of(perturber);
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
      RC_ASSERT(law <= 8 * largest || largest > 2);
    }
  }));
}

}  // namespace
}  // namespace fractile::flow
