#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/errors.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// A number alone once was odds here and an epsilon there: expected_loss(p, a, 2) and expected_loss_bounds(p, a, 2).
template <class Number>
concept AreOdds = requires(const Pipeline& pipeline, Number odds) {
  channel_at(pipeline, odds);
  smallest_epsilon(pipeline, odds);
  is_exact_at(pipeline, odds);
  pipeline.perturber.at(odds);
};
static_assert(AreOdds<Odds> && !AreOdds<int> && !AreOdds<Rational> && !AreOdds<Exponent>);
template <class Number>
concept HasAChannel = requires(const Pipeline& pipeline, Number number) {
  channel_at(pipeline, number);
};
template <class Number>
concept HasChannelBounds = requires(const Pipeline& pipeline, Number epsilon) {
  channel_bounds(pipeline, epsilon);
};
template <class Number>
concept PerturbsBy = requires(const Pipeline& pipeline, Number epsilon, RandomBits& bits) {
  perturbed(pipeline.perturber, epsilon, std::size_t{0}, bits);
};
template <class Number>
concept ReleasesBy = requires(const Pipeline& pipeline, Number epsilon, RandomBits& bits) {
  released(pipeline, epsilon, std::vector<std::size_t>{}, bits);
};
static_assert(!HasAChannel<int> && !HasAChannel<Rational> && !HasAChannel<Exponent> && HasAChannel<Odds>);
static_assert(HasChannelBounds<Exponent> && PerturbsBy<Exponent> && ReleasesBy<Exponent>);
static_assert(!HasChannelBounds<int> && !PerturbsBy<int> && !ReleasesBy<int>);
static_assert(!HasChannelBounds<Rational> && !PerturbsBy<Rational> && !ReleasesBy<Rational>);
static_assert(!HasChannelBounds<Odds> && !PerturbsBy<Odds> && !ReleasesBy<Odds>);

TEST(Perturber, FamiliesAreThePapers) {
  EXPECT_EQ(Perturber::randomized_response(3).at(Odds(2)).matrix(),
            matrix({{"1/2", "1/4", "1/4"}, {"1/4", "1/2", "1/4"}, {"1/4", "1/4", "1/2"}}));
  EXPECT_EQ(Perturber::randomized_response(3).at(Odds(3)).matrix(),
            matrix({{"3/5", "1/5", "1/5"}, {"1/5", "3/5", "1/5"}, {"1/5", "1/5", "3/5"}}));
  EXPECT_EQ(Perturber::geometric(3).at(Odds(2)).matrix(),
            matrix({{"2/3", "1/6", "1/6"}, {"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}}));
  EXPECT_EQ(Perturber::geometric(3).at(Odds(3)).matrix(),
            matrix({{"3/4", "1/6", "1/12"}, {"1/4", "1/2", "1/4"}, {"1/12", "1/6", "3/4"}}));
  EXPECT_EQ(Perturber::geometric(2).at(Odds(1)).matrix(), matrix({{"1/2", "1/2"}, {"1/2", "1/2"}}));
  const Channel own(matrix({{"1/3", "2/3"}, {"0", "1"}}));
  EXPECT_EQ(Perturber::fixed(own).at(Odds(5)), own);
  EXPECT_THROW(Perturber::geometric(3).at(Odds(Rational(99, 100))), Error);
  EXPECT_THROW(Perturber::geometric(1), Error);
  EXPECT_THROW(Perturber::fixed(Channel(matrix({{"1/3", "2/3"}}))), Error);
}

// Appendix D.1, equation 28: some entries; and equation 56.
TEST(Perturber, SevenValuesAsInAppendixD) {
  const Channel first = Perturber::geometric(7).at(Odds(Rational(7, 2)));
  EXPECT_EQ(first(0, 0), Rational(7, 9));
  EXPECT_EQ(first(0, 6), Rational(64, 151263));
  EXPECT_EQ(first(3, 6), Rational(8, 441));
  EXPECT_EQ(first(4, 3), Rational(10, 63));
  const Channel second = Perturber::geometric(7).at(Odds(Rational(351, 100)));
  EXPECT_EQ(second(0, 0), Rational(351, 451));
  EXPECT_EQ(second(2, 1), Rational(25100, 158301));
  EXPECT_EQ(second(5, 0), Rational::parse("10000000000/6845497366851"));
}

/// The pipeline's channel by its definition: a Kronecker power and a deterministic post-processor, with one row per tuple.
Channel by_definition(const Pipeline& pipeline, const Rational& odds) {
  const Channel noise = kronecker_power(pipeline.perturber.at(Odds(odds)), pipeline.participants);
  std::vector<std::string> outputs;
  std::vector<std::size_t> image;
  const std::size_t values = pipeline.values.size();
  const Channel shown = channel_at(pipeline, Odds(odds)).channel;
  for (std::size_t index = 0; index < noise.secrets().size(); ++index) {
    std::vector<std::size_t> tuple;
    for (std::size_t rest = index, i = 0; i < pipeline.participants; ++i, rest /= values)
      tuple.insert(tuple.begin(), rest % values);
    std::string name;
    Rational sum;
    std::int64_t count = 0;
    std::vector<std::size_t> bars(values);
    for (const std::size_t value : tuple) {
      sum += pipeline.values[value];
      ++bars[value];
      for (const std::size_t counted : pipeline.post.counted) count += counted == value ? 1 : 0;
    }
    if (pipeline.post.kind == PostProcessor::Kind::sum) name = sum.to_string();
    if (pipeline.post.kind == PostProcessor::Kind::count) name = std::to_string(count);
    if (pipeline.post.kind == PostProcessor::Kind::mode) {
      name = pipeline.values[static_cast<std::size_t>(std::ranges::max_element(bars) - bars.begin())].to_string();
    }
    const auto at = std::ranges::find(shown.observations(), name);
    if (at == shown.observations().end()) throw std::logic_error("an output that the channel does not have");
    image.push_back(static_cast<std::size_t>(at - shown.observations().begin()));
  }
  return noise * deterministic(image, shown.observations().size());
}

std::size_t tuple_index(const std::vector<std::size_t>& tuple, std::size_t values) {
  std::size_t index = 0;
  for (const std::size_t value : tuple) index = index * values + value;
  return index;
}

// docs/proofs/refinement.md, "Symmetry": one row for all arrangements, the same numbers as without symmetry.
TEST(Pipeline, IsWhatTheDefinitionSays) {
  for (const std::size_t participants : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    for (const Perturber& perturber :
         {Perturber::geometric(3), Perturber::randomized_response(3),
          Perturber::fixed(Channel(matrix({{"1/2", "1/3", "1/6"}, {"0", "1/4", "3/4"}, {"1", "0", "0"}})))}) {
      for (const PostProcessor& post : {counting({0}), counting({0, 2}), summing(), taking_the_mode()}) {
        Pipeline pipeline = pipeline_of(participants, perturber, post);
        pipeline.values = {Rational(-1, 2), 1, perturber.is_geometric() ? Rational(5, 2) : Rational(13, 4)};
        const PipelineChannel shown = channel_at(pipeline, Odds(Rational(5, 2)));
        const Channel expected = by_definition(pipeline, Rational(5, 2));
        Rational secrets;
        for (std::size_t x = 0; x < shown.secrets.size(); ++x) {
          const auto row = expected.matrix().row(tuple_index(shown.secrets[x], 3));
          EXPECT_TRUE(std::ranges::equal(shown.channel.matrix().row(x), row));
          secrets += shown.arrangements[x];
        }
        EXPECT_EQ(secrets, Rational(3).pow(static_cast<std::int64_t>(participants)));
      }
    }
  }
}

// Geometric noise is defined on places: values that are not equally spaced are refused.
TEST(Pipeline, GeometricNoiseWantsEquallySpacedValues) {
  Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  for (const std::vector<Rational>& values : {std::vector<Rational>{1, 0, 2}, {0, 1, 3}, {0, 2, 1}}) {
    pipeline.values = values;
    EXPECT_THROW(channel_at(pipeline, Odds(2)), Error);
  }
  for (const std::vector<Rational>& values : {std::vector<Rational>{2, 1, 0}, {Rational(1, 2), 1, Rational(3, 2)}}) {
    pipeline.values = values;
    EXPECT_NO_THROW(channel_at(pipeline, Odds(2)));
  }
  Pipeline response = pipeline_of(2, Perturber::randomized_response(3), counting({0}));
  response.values = {1, 0, 7};
  EXPECT_NO_THROW(channel_at(response, Odds(2)));
  Pipeline bars = noisy_argmax(2, 3);
  bars.values = {1, 0, 7};
  EXPECT_NO_THROW(channel_at(bars, Odds(2)));
}

TEST(Pipeline, TargetsRowsAreEveryonesRows) {
  for (const PostProcessor& post : {counting({1}), summing(), taking_the_mode()}) {
    Pipeline pipeline = pipeline_of(3, Perturber::geometric(3), post);
    const Channel everyone = by_definition(pipeline, 2);
    pipeline.secret = Secret::target_knowing({2, 0});
    const Channel target = channel_at(pipeline, Odds(2)).channel;
    for (std::size_t value = 0; value < 3; ++value) {
      const auto row = everyone.matrix().row(tuple_index({2, 0, value}, 3));
      EXPECT_TRUE(std::ranges::equal(target.matrix().row(value), row));
    }
  }
}

TEST(Pipeline, IdentityAndTablesAreExplicit) {
  const Perturber perturber = Perturber::geometric(2);
  Pipeline pipeline = pipeline_of(3, perturber, {});
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel, kronecker_power(perturber.at(Odds(3)), 3));
  const std::vector<std::size_t> image{0, 1, 1, 0, 2, 2, 1, 0};
  pipeline.post = {PostProcessor::Kind::table, {}, image};
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel, kronecker_power(perturber.at(Odds(3)), 3) * deterministic(image, 3));
  pipeline.secret = Secret::target_knowing({1, 0});
  const Channel target = channel_at(pipeline, Odds(3)).channel;
  const Channel everyone = kronecker_power(perturber.at(Odds(3)), 3) * deterministic(image, 3);
  EXPECT_TRUE(std::ranges::equal(target.matrix().row(0), everyone.matrix().row(4)));
  EXPECT_TRUE(std::ranges::equal(target.matrix().row(1), everyone.matrix().row(5)));
}

// Another post-processor's image once directed the answers of the identity, beyond the end of a row.
TEST(Pipeline, AnImageIsOfTablesAlone) {
  const Pipeline plain{2, {0, 1}, Perturber::randomized_response(2), {}};
  Pipeline with_image = plain;
  with_image.post.image = {7, 1};
  EXPECT_EQ(channel_at(with_image, Odds(2)).channel, channel_at(plain, Odds(2)).channel);
}

// Section 8: the rows of noisy ArgMax against all perturbed histograms.
TEST(Pipeline, HighestBarIsWhatTheDefinitionSays) {
  const Pipeline pipeline = noisy_argmax(2, 3);
  const PipelineChannel shown = channel_at(pipeline, Odds(3));
  ASSERT_EQ(shown.secrets.size(), 6U);
  const Channel bars = kronecker_power(pipeline.perturber.at(Odds(3)), 3);
  std::vector<std::size_t> image;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t c = 0; c < 3; ++c) image.push_back(a >= b && a >= c ? 0U : b >= c ? 1U : 2U);
    }
  }
  const Channel expected = bars * deterministic(image, 3);
  for (std::size_t x = 0; x < shown.secrets.size(); ++x) {
    const auto row = expected.matrix().row(tuple_index(shown.secrets[x], 3));
    EXPECT_TRUE(std::ranges::equal(shown.channel.matrix().row(x), row)) << shown.channel.secrets()[x];
  }
}

// Appendix E: both tables.
TEST(Pipeline, SumsOfRandomizedResponsesAsInAppendixE) {
  const Pipeline pipeline = pipeline_of(2, Perturber::randomized_response(3), summing());
  const PipelineChannel three = channel_at(pipeline, Odds(3));
  EXPECT_EQ(three.channel.secrets(), (std::vector<std::string>{"(0,0)", "(0,1)", "(0,2)", "(1,1)", "(1,2)", "(2,2)"}));
  EXPECT_EQ(three.channel.matrix(), matrix({{"0.36", "0.24", "0.28", "0.08", "0.04"},
                                            {"0.12", "0.4", "0.28", "0.16", "0.04"},
                                            {"0.12", "0.16", "0.44", "0.16", "0.12"},
                                            {"0.04", "0.24", "0.44", "0.24", "0.04"},
                                            {"0.04", "0.16", "0.28", "0.4", "0.12"},
                                            {"0.04", "0.08", "0.28", "0.24", "0.36"}}));
  EXPECT_EQ(channel_at(pipeline, Odds(2)).channel.matrix(), matrix({{"0.25", "0.25", "0.3125", "0.125", "0.0625"},
                                                                    {"0.125", "0.3125", "0.3125", "0.1875", "0.0625"},
                                                                    {"0.125", "0.1875", "0.375", "0.1875", "0.125"},
                                                                    {"0.0625", "0.25", "0.375", "0.25", "0.0625"},
                                                                    {"0.0625", "0.1875", "0.3125", "0.3125", "0.125"},
                                                                    {"0.0625", "0.125", "0.3125", "0.25", "0.25"}}));
}

// Appendix E: the paper's own five actions refute the refinement, over all nine pairs.
TEST(Refinement, ThePapersLossOfAppendixEIsARefutation) {
  const Matrix losses = matrix({{"0.33525164", "0.67014371", "0.50295689", "0.64597016", "0.34089403"},
                                {"0.58508164", "0.41408977", "0.50010053", "0.42214762", "0.57379685"},
                                {"0.74867853", "0.25036935", "0.49712065", "0.25036935", "0.74867853"},
                                {"0.58508164", "0.41408977", "0.50010053", "0.42214762", "0.57379685"},
                                {"0", "1", "0.49521641", "1", "0"},
                                {"0.57379685", "0.42214762", "0.50010053", "0.41408977", "0.58508164"},
                                {"0.74867853", "0.25036935", "0.49712065", "0.25036935", "0.74867853"},
                                {"0.57379685", "0.42214762", "0.50010053", "0.41408977", "0.58508164"},
                                {"0.34089403", "0.64597016", "0.50295689", "0.67014371", "0.33525164"}});
  const Pipeline pipeline = pipeline_of(2, Perturber::randomized_response(3), summing());
  const Channel from = by_definition(pipeline, 3);
  const Channel to = by_definition(pipeline, 2);
  Counterexample papers{Prior::uniform(9), Loss(losses), {}, {}};
  papers.loss_from = expected_loss(papers.prior, from, papers.loss);
  papers.loss_to = expected_loss(papers.prior, to, papers.loss);
  EXPECT_TRUE(verify(from, to, papers));
  EXPECT_TRUE(refines(from, to).refuted());
}

TEST(Pipeline, ChannelsAreEnclosedAtAnyEpsilon) {
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), summing());
  const ChannelBounds one = channel_bounds(pipeline, Exponent(1));
  const RealBounds odds = odds_bounds(Rational(1));
  const Channel near = channel_at(pipeline, Odds(odds.lower)).channel;
  ASSERT_EQ(one.secrets, near.secrets());
  ASSERT_EQ(one.observations, near.observations());
  for (std::size_t x = 0; x < one.secrets.size(); ++x) {
    for (std::size_t y = 0; y < one.observations.size(); ++y) {
      const RealBounds& p = one.probabilities[x][y];
      EXPECT_LT(p.lower, p.upper);
      EXPECT_LT(p.upper - p.lower, Rational::dyadic(1, -250));
      EXPECT_LT(near(x, y) - p.upper, Rational::dyadic(1, -250));
      EXPECT_LT(p.lower - near(x, y), Rational::dyadic(1, -250));
    }
  }
  const ChannelBounds exact = channel_bounds(pipeline, Exponent::log(2));
  EXPECT_EQ(exact.probabilities[0][0].lower, channel_at(pipeline, Odds(2)).channel(0, 0));
  EXPECT_EQ(exact.probabilities[0][0].upper, exact.probabilities[0][0].lower);
}

TEST(Pipeline, BadOnesAreRefused) {
  const Perturber perturber = Perturber::geometric(3);
  Pipeline pipeline = pipeline_of(2, perturber, counting({3}));
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = pipeline_of(0, perturber, summing());
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = pipeline_of(2, perturber, summing());
  pipeline.values = {0, 1};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline.values = {0, 1, 1};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = pipeline_of(2, perturber, summing());
  pipeline.secret = {Secret::Kind::target, {}};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline.secret = {Secret::Kind::everyone, {1}};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = pipeline_of(2, perturber, {PostProcessor::Kind::table, {}, {0, 1}});
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = noisy_argmax(2, 3);
  pipeline.post = summing();
  EXPECT_THROW(pipeline.validate(), Error);
  EXPECT_THROW(channel_at(pipeline_of(500, perturber, summing()), Odds(2)), Error);
  EXPECT_THROW(channel_at(pipeline_of(30, perturber, {}), Odds(2)), Error);
}

TEST(Secret, TargetAmongAHistogram) {
  EXPECT_EQ(Secret::target_among({1, 3, 0}, 5).known, (std::vector<std::size_t>{1, 3, 0}));
  EXPECT_EQ(Secret::target_among({1, 3, 0}, 4).known, (std::vector<std::size_t>{1, 2, 0}));  // left the most frequent
  EXPECT_EQ(Secret::target_among({2, 2}, 4).known, (std::vector<std::size_t>{1, 2}));        // the first of several
  EXPECT_EQ(Secret::target_among({0, 0}, 1).known, (std::vector<std::size_t>{0, 0}));
  EXPECT_THROW(Secret::target_among({1, 3, 0}, 3), Error);
  EXPECT_THROW(Secret::target_among({1, 3, 0}, 6), Error);
  EXPECT_THROW(Secret::target_among({}, 1), Error);
  EXPECT_THROW(Secret::target_among({0, 0}, 0), Error);
  EXPECT_THROW(Secret::target_among({~std::uint64_t{0}, 2}, 1), Error);
}

// The order of the known participants is kept only where it matters.
TEST(Secret, TargetKnowingTheOthersOneByOne) {
  const Secret secret = Secret::target_knowing({2, 0, 2});
  EXPECT_EQ(secret.known, (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(secret.order, (std::vector<std::size_t>{2, 0, 2}));
  EXPECT_EQ(secret.others(), 3U);
  EXPECT_TRUE(Secret::target_knowing({0, 2, 2}).order.empty());
  Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), {});
  pipeline.secret = {Secret::Kind::target, {1}, {1}};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline.secret = Secret::target_knowing({3});
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline.secret = {Secret::Kind::target, {0, 0, 1, 0}};  // no participant has the value that is none
  EXPECT_NO_THROW(pipeline.validate());
}

TEST(Pipeline, RoundingJoinsAnswers) {
  PostProcessor thirds;
  thirds.kind = PostProcessor::Kind::round;
  thirds.unit = 3;
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(4), thirds);
  const Channel rounded = channel_at(pipeline, Odds(2)).channel;
  EXPECT_EQ(rounded.observations(), (std::vector<std::string>{"(0,0)", "(0,3)", "(3,0)", "(3,3)"}));
  const Matrix single = Perturber::geometric(4).at(Odds(2)).matrix();
  const Rational low = single(0, 0) + single(0, 1);
  EXPECT_EQ(rounded(0, 0), low * low);
  EXPECT_EQ(rounded(0, 3), (Rational(1) - low) * (Rational(1) - low));
  PostProcessor nowhere = thirds;
  nowhere.unit = 0;
  EXPECT_THROW(pipeline_of(2, Perturber::geometric(4), nowhere).validate(), Error);
}

TEST(Pipeline, PeopleWhoCannotBeCountedAreRefused) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  Pipeline pipeline = pipeline_of(3, Perturber::geometric(3), counting({0}));
  for (const std::size_t participants : {most, most / 2, (std::size_t{1} << 40) + 1}) {
    pipeline.participants = participants;
    EXPECT_THROW(pipeline.validate(), Error) << participants;
    EXPECT_THROW(channel_at(pipeline, Odds(2)), Error) << participants;
  }
  pipeline.participants = 3;
  pipeline.secret = {Secret::Kind::target, {most, 3, 0}};  // 2 in 64 bits
  EXPECT_EQ(pipeline.secret.others(), most);
  EXPECT_THROW(pipeline.validate(), Error);
  EXPECT_THROW(Secret::target_knowing({0, most}), Error);
  EXPECT_THROW(Secret::target_knowing({1'000'000}), Error);
}

TEST(Pipeline, SaysHowManyOthersAreKnown) {
  Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  pipeline.secret = Secret::target_knowing({0, 1});
  const Error error = testing::error_of([&] { pipeline.validate(); });
  EXPECT_STREQ(error.what(), "secret: a target among 2 participants has 1 other, and the values of 2 are known");
}

TEST(Pipeline, EpsilonHasALimit) {
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  RandomBits bits = RandomBits::unsafe_seeded(1);
  EXPECT_NO_THROW(channel_bounds(pipeline, Exponent(10'000)));
  for (const char* const large : {"10001", "1e19", "1e300", "10000 ln 3", "1e300 ln 3"}) {
    const Exponent epsilon = Exponent::parse(large);
    EXPECT_THROW(channel_bounds(pipeline, epsilon), Error) << large;
    EXPECT_THROW(expected_loss_bounds(pipeline, {}, epsilon), Error) << large;
    EXPECT_THROW(leakage({pipeline}, epsilon), Error) << large;
    EXPECT_THROW(perturbed(pipeline.perturber, epsilon, 0, bits), Error) << large;
    EXPECT_THROW(released(pipeline, epsilon, {0, 1}, bits), Error) << large;
    // Without epsilon, any will do.
    Pipeline fixed = pipeline;
    fixed.perturber = Perturber::fixed(Perturber::geometric(3).at(Odds(2)));
    EXPECT_NO_THROW(channel_bounds(fixed, epsilon)) << large;
    EXPECT_NO_THROW(perturbed(fixed.perturber, epsilon, 0, bits)) << large;
  }
}

}  // namespace
}  // namespace fractile::flow
