#include "flow/refinement/analytic_centre.hpp"

#include <gtest/gtest.h>

#include "flow/refinement/reduction.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Reduction sums_among(std::size_t others, const Perturber& perturber) {
  Pipeline pipeline = pipeline_of(others + 1, perturber, summing());
  pipeline.secret = {Secret::Kind::target, {others / 3, others / 3, others - 2 * (others / 3)}};
  return reduce(channel_at(pipeline, Odds(3)).channel, channel_at(pipeline, Odds(2)).channel);
}

// docs/proofs/refinement.md, "From inside": totals are as unlikely as 4^-60, and all equations hold of each, relative to how likely it is.
TEST(AnalyticCentre, LeadsFromOneToTheOther) {
  const Reduction channels = sums_among(60, Perturber::randomized_response(3));
  const auto inside = suggest_inside(rough(channels.from, channels.scales), rough(channels.to, channels.scales));
  ASSERT_TRUE(inside);
  for (std::size_t z = 0; z < channels.to.columns(); ++z) {
    for (std::size_t x = 0; x < channels.from.rows(); ++x) {
      Rational wanted;
      fmpq_set_fmpz(flint_of(wanted), channels.to.at(x, z));
      double relative = 0;
      for (std::size_t y = 0; y < channels.from.columns(); ++y) {
        EXPECT_GE(inside->entries[y][z], 0);
        Rational entry;
        fmpq_set_fmpz(flint_of(entry), channels.from.at(x, y));
        relative += (entry / wanted).to_double() * inside->entries[y][z];
      }
      EXPECT_NEAR(relative, 1, 1e-5);
    }
  }
  for (const std::vector<double>& row : inside->entries) {
    double sum = 0;
    for (const double entry : row) sum += entry;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(AnalyticCentre, NothingIsSuggestedWhereNothingLeads) {
  const Reduction channels = sums_among(60, Perturber::geometric(3));
  EXPECT_FALSE(suggest_inside(rough(channels.from, channels.scales), rough(channels.to, channels.scales)));
}

}  // namespace
}  // namespace fractile::flow
