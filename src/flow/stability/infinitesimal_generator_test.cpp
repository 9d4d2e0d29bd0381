#include "flow/stability/infinitesimal_generator.hpp"

#include <gtest/gtest.h>

#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Pipeline median_among(std::size_t values, std::vector<std::size_t> known) {
  CentralMechanism release;
  Pipeline pipeline = pipeline_of(known.size() + 1, Perturber::release(release, values), {});
  pipeline.secret = Secret::target_knowing(known);
  return pipeline;
}

/// Whether every pair of some bases of the range refines.
bool all_pairs_refine(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const std::int64_t degree = pipeline.perturber.root_degree();
  constexpr std::int64_t parts = 6;
  for (std::int64_t high = 1; high <= parts; ++high) {
    for (std::int64_t low = 0; low < high; ++low) {
      const Rational more = (from + (to - from) * Rational(high, parts)).pow(degree);
      const Rational less = (from + (to - from) * Rational(low, parts)).pow(degree);
      if (!check_refinement(pipeline, Odds(more), Odds(less)).refinement.refines()) return false;
    }
  }
  return true;
}

// The verdict about steps agrees with the verdicts about pairs, on medians of one unknown among known people; both verdicts occur.
TEST(Steps, AgreeWithPairs) {
  const Rational from(9, 8);
  const Rational to = 3;
  int stable = 0;
  int unstable = 0;
  for (const std::vector<std::size_t>& known : std::vector<std::vector<std::size_t>>{
           {0}, {1}, {0, 0}, {0, 1}, {0, 2}, {1, 1}, {0, 0, 2}, {0, 1, 2}, {0, 0, 1}, {2, 2, 2}, {0, 0, 2, 2}}) {
    const Pipeline pipeline = median_among(3, known);
    const StepsVerdict steps = check_steps(pipeline, from, to);
    if (steps.only_add_noise) {
      ++stable;
      EXPECT_TRUE(all_pairs_refine(pipeline, from, to));
      continue;
    }
    ++unstable;
    ASSERT_TRUE(steps.fails_at.has_value());
    const Stability stability = check_stability(pipeline, OddsRange(from.pow(2), to.pow(2)));
    ASSERT_EQ(stability.verdict, Stability::Verdict::unstable);
    const Refinement& refutation = stability.refutation->refinement;
    EXPECT_TRUE(verify(channel_at(pipeline, Odds(stability.from)).channel,
                       channel_at(pipeline, Odds(stability.to)).channel, std::get<Counterexample>(refutation.verdict)));
  }
  EXPECT_GE(stable, 4);
  EXPECT_GE(unstable, 4);
}

TEST(Steps, AgreeWithTheoremsOnParticipantsNoise) {
  const Rational from(3, 2);
  for (const std::size_t participants : {1U, 2U, 4U}) {
    const Pipeline responses = pipeline_of(participants, Perturber::randomized_response(3), counting({0}));
    EXPECT_TRUE(check_steps(responses, from, 5).only_add_noise);
    EXPECT_TRUE(
        check_steps(pipeline_of(participants, Perturber::geometric(3), counting({0, 2})), from, 5).only_add_noise);
    EXPECT_TRUE(check_steps(pipeline_of(participants, Perturber::geometric(3), counting({0})), from, 5).fails_at);
  }
  EXPECT_TRUE(check_steps(pipeline_of(2, Perturber::randomized_response(3), summing()), from, 5).fails_at);
}

// The median of one record is randomized response, and so is everyone's median of two records with two values.
TEST(Steps, MediansOfVeryFewRecordsAreStable) {
  for (const std::size_t values : {2U, 3U, 5U}) {
    EXPECT_TRUE(check_steps(median_among(values, {}), Rational(9, 8), 4).only_add_noise);
  }
  Pipeline two = median_among(2, {0});
  two.secret = {};
  EXPECT_TRUE(check_steps(two, Rational(9, 8), 4).only_add_noise);
  Pipeline three = median_among(3, {0});
  three.secret = {};
  EXPECT_TRUE(check_steps(three, Rational(9, 8), 4).fails_at);
}

TEST(Steps, SayNothingOfLargeOrDependentChannels) {
  Pipeline large = median_among(6, {0, 1, 2, 3, 4});
  large.secret = {};
  EXPECT_FALSE(check_steps(large, Rational(9, 8), 4).fails_at);
  EXPECT_FALSE(check_steps(large, Rational(9, 8), 4).only_add_noise);
  const Pipeline target = known_others();  // rank 2, five observations
  EXPECT_FALSE(check_steps(target, Rational(9, 8), 4).only_add_noise);
}

}  // namespace
}  // namespace fractile::flow
