#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "flow/channel/papers.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/errors.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// --- Section 7: truncated and infinite geometric noise ------------------------------------------------------------------

// Entries of the infinite mechanism are (1 - a) / (1 + a) a^|r - c| wherever nothing is cut off.
TEST(WideGeometric, IsTheInfiniteMechanismWithinItsReach) {
  const Rational odds(5, 2);
  const Rational a = Rational(1) / odds;
  const Channel wide = Perturber::wide_geometric(3, 4).at(Odds(odds));
  for (std::size_t x = 0; x < 3; ++x) {
    for (std::size_t y = 1; y + 1 < wide.observations().size(); ++y) {
      const auto distance = std::abs(static_cast<std::int64_t>(x + 4) - static_cast<std::int64_t>(y));
      EXPECT_EQ(wide(x, y), (Rational(1) - a) / (Rational(1) + a) * a.pow(distance));
    }
  }
  EXPECT_EQ(Perturber::wide_geometric(3, 0).at(Odds(odds)), Perturber::geometric(3).at(Odds(odds)));
}

// Chatzikokolakis, Fernandes and Palamidessi 2019, as section 7 cites them: each is the other followed by a stochastic matrix.
TEST(WideGeometric, IsWorthWhatTheTruncatedOneIs) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 5);
    const auto reach = *rc::gen::inRange<std::size_t>(0, 5);
    const Rational odds(*rc::gen::inRange<std::int64_t>(10, 60), 10);
    const Channel truncated = Perturber::geometric(values).at(Odds(odds));
    const Channel wide = Perturber::wide_geometric(values, reach).at(Odds(odds));
    RC_ASSERT(verify(wide, truncated, Witness{truncated_answers(values, reach)}));
    RC_ASSERT(verify(truncated, wide, Witness{extended_answers(values, reach, Odds(odds))}));
    RC_ASSERT(refines(wide, truncated).refines());
    RC_ASSERT(refines(truncated, wide).refines());
  }));
}

// "They contribute equivalently to any of the pipelines we study": here the analyst may look at all answers.
TEST(WideGeometric, ContributesEquallyToPipelines) {
  Pipeline truncated = pipeline_of(2, Perturber::geometric(3), {});
  Pipeline wide = pipeline_of(2, Perturber::wide_geometric(3, 2), {});
  wide.answers = {-2, -1, 0, 1, 2, 3, 4};
  const Channel some = channel_at(truncated, Odds(3)).channel;
  const Channel all = channel_at(wide, Odds(3)).channel;
  EXPECT_TRUE(verify(some, all, Witness{kronecker(extended_answers(3, 2, Odds(3)), extended_answers(3, 2, Odds(3)))}));
  EXPECT_TRUE(verify(all, some, Witness{kronecker(truncated_answers(3, 2), truncated_answers(3, 2))}));
  // Counting what lies at an end or beyond is the count of the truncated one.
  truncated.post = counting({0});
  wide.post = counting({0, 1, 2});
  EXPECT_EQ(channel_at(truncated, Odds(3)).channel.matrix(), channel_at(wide, Odds(3)).channel.matrix());
}

TEST(WideGeometric, WantsAnswersThatGoOnAsTheValuesDo) {
  Pipeline pipeline = pipeline_of(1, Perturber::wide_geometric(2, 1), summing());
  EXPECT_THROW(pipeline.validate(), Error);
  for (const std::vector<Rational>& answers : {std::vector<Rational>{0, 1, 2, 3}, {-1, 0, 1}, {-2, 0, 2, 4}}) {
    pipeline.answers = answers;
    EXPECT_THROW(pipeline.validate(), Error);
  }
  pipeline.answers = {-1, 0, 1, 2};
  EXPECT_NO_THROW(pipeline.validate());
  EXPECT_THROW(extended_answers(2, 1, Odds(Rational(1, 2))), Error);
}

// --- Definition 3.1: any stochastic matrix -------------------------------------------------------------------------------

// The channel by its definition: a Kronecker product of the participants' matrices and a deterministic post-processor.
TEST(OblongPerturber, ChannelIsWhatTheDefinitionSays) {
  const Channel own(matrix({{"1/2", "1/4", "1/4"}, {"0", "1/3", "2/3"}}));
  Pipeline pipeline = pipeline_of(2, Perturber::fixed(own), summing());
  pipeline.answers = {0, 1, 5};
  const PipelineChannel sums = channel_at(pipeline, Odds(1));
  EXPECT_EQ(sums.channel.secrets(), (std::vector<std::string>{"(0,0)", "(0,1)", "(1,1)"}));
  EXPECT_EQ(sums.channel.observations(), (std::vector<std::string>{"0", "1", "2", "5", "6", "10"}));
  const Channel expected = kronecker_power(own, 2) * deterministic({0, 1, 3, 1, 2, 4, 3, 4, 5}, 6);
  for (const auto& [row, tuple] : {std::pair{0U, 0U}, {1U, 1U}, {2U, 3U}}) {
    EXPECT_TRUE(std::ranges::equal(sums.channel.matrix().row(row), expected.matrix().row(tuple)));
  }
  pipeline.post = counting({2});
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel(2, 2), Rational(4, 9));
  pipeline.post = taking_the_mode();
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel.observations(), (std::vector<std::string>{"0", "1", "5"}));
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel(2, 2), Rational(4, 9));
  pipeline.post = {};
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel.matrix(), kronecker_power(own, 2).matrix());
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel.observations()[5], "(1,5)");
  pipeline.post = {PostProcessor::Kind::table, {}, {0, 1, 1, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(channel_at(pipeline, Odds(1)).channel(0, 0), Rational(1, 4));
}

TEST(PerturbersByParticipant, MakeAKroneckerProduct) {
  const Perturber one = Perturber::geometric(2);
  const Perturber other = Perturber::fixed(Channel(matrix({{"1/3", "2/3"}, {"1", "0"}})));
  Pipeline pipeline = pipeline_of(2, Perturber::by_participant({one, other}), {});
  EXPECT_TRUE(pipeline.perturber.depends_on_epsilon());
  const Channel both = kronecker(one.at(Odds(3)), other.at(Odds(3)));
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel.matrix(), both.matrix());
  pipeline.post = summing();
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel.matrix(), (both * deterministic({0, 1, 1, 2}, 3)).matrix());
  pipeline.post = taking_the_mode();
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel.matrix(), (both * deterministic({0, 0, 0, 1}, 2)).matrix());
  // The target is the last participant, the known one the first.
  pipeline.post = counting({1});
  pipeline.secret = Secret::target_knowing({1});
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel(1, 2), Rational(0));
  EXPECT_EQ(channel_at(pipeline, Odds(3)).channel(0, 2), Rational(3, 4) * Rational(2, 3));
}

// Perturbers by participant that are all equal change nothing.
TEST(PerturbersByParticipant, EqualOnesAreAsOne) {
  for (const PostProcessor& post : {counting({1}), summing(), taking_the_mode()}) {
    const Pipeline shared = pipeline_of(3, Perturber::geometric(3), post);
    Pipeline each = shared;
    each.perturber = Perturber::by_participant(std::vector<Perturber>(3, Perturber::geometric(3)));
    const PipelineChannel rows = channel_at(shared, Odds(2));
    const PipelineChannel all = channel_at(each, Odds(2));
    EXPECT_EQ(all.secrets, rows.secrets);
    for (std::size_t x = 0; x < rows.secrets.size(); ++x) {
      const auto at = static_cast<std::size_t>(std::ranges::find(all.secrets, rows.secrets[x]) - all.secrets.begin());
      EXPECT_TRUE(std::ranges::equal(rows.channel.matrix().row(x), all.channel.matrix().row(at)));
    }
  }
}

TEST(PerturbersByParticipant, AreOneEachAndOfOneShape) {
  const Perturber two = Perturber::geometric(2);
  EXPECT_THROW(Perturber::by_participant({}), Error);
  EXPECT_THROW(Perturber::by_participant({two, Perturber::geometric(3)}), Error);
  EXPECT_THROW(Perturber::by_participant({two, Perturber::by_participant({two})}), Error);
  EXPECT_THROW(Perturber::by_participant({Perturber::release({}, 2)}), Error);
  EXPECT_THROW(pipeline_of(3, Perturber::by_participant({two, two}), summing()).validate(), Error);
  EXPECT_THROW(Perturber::by_participant({two, two}).at(Odds(2)), Error);
  Pipeline bars = noisy_argmax(1, 2);
  bars.perturber = Perturber::by_participant({two, two});
  EXPECT_THROW(bars.validate(), Error);
}

// --- Matrices that depend on epsilon -------------------------------------------------------------------------------------

std::vector<std::vector<std::string>> written_response() {
  return {{"odds/(odds+2)", "1/(odds+2)", "1/(odds+2)"},
          {"1/(odds+2)", "odds/(odds+2)", "1/(odds+2)"},
          {"1/(odds+2)", "1/(odds+2)", "odds/(odds+2)"}};
}

TEST(MatricesInOdds, AreTheFamiliesWhereTheySayTheSame) {
  const Perturber response = Perturber::in_odds(written_response());
  const Perturber geometric = Perturber::in_odds({{"odds/(odds+1)", "(odds-1)/(odds*(odds + 1))", "1/(odds^2+odds)"},
                                                  {"1/(odds+1)", "(odds-1)/(odds+1)", "1/(odds+1)"},
                                                  {"1/(odds^2+odds)", "(odds-1)/(odds*(odds + 1))", "odds/(odds+1)"}});
  for (const Rational& odds : {Rational(1), Rational(2), Rational(7, 2)}) {
    EXPECT_EQ(response.at(Odds(odds)), Perturber::randomized_response(3).at(Odds(odds)));
    EXPECT_EQ(geometric.at(Odds(odds)), Perturber::geometric(3).at(Odds(odds)));
  }
  EXPECT_FALSE(response.is_refinement_preserving());
}

TEST(MatricesInOdds, AreReadAsOneWritesThem) {
  const auto entry = [](const std::string& p) {
    return Perturber::in_odds({{p, "1 - (" + p + ")"}, {"1", "0"}}).at(Odds(3))(0, 0);
  };
  EXPECT_EQ(entry("1/2"), Rational(1, 2));
  EXPECT_EQ(entry(" 0.25 "), Rational(1, 4));
  EXPECT_EQ(entry("1/odds^2"), Rational(1, 9));
  EXPECT_EQ(entry("1 - 1/odds/2"), Rational(5, 6));
  EXPECT_EQ(entry("--1/(2 + -1*odds + 2*odds)"), Rational(1, 5));
  EXPECT_EQ(entry("(odds-1)/(odds+1)"), Rational(1, 2));
  EXPECT_EQ(entry("odds^0 * (((1/4)))"), Rational(1, 4));
}

TEST(MatricesInOdds, OtherEntriesAreRefused) {
  for (const char* const entry : {"",
                                  "odd",
                                  "1/",
                                  "(1",
                                  "1)",
                                  "1//2",
                                  "2 odds",
                                  "1/0",
                                  "1/(odds-odds)",
                                  "odds^",
                                  "odds^-1",
                                  "odds^1000",
                                  "2",
                                  "-1/2",
                                  "1/odds^2 - 1/5",
                                  "1/(odds-2)",
                                  "1/(odds-1)",
                                  "1.2.3",
                                  "1e5",
                                  "1/2;",
                                  "((2^100)^100)^100",
                                  "(odds^100)^100"}) {
    EXPECT_THROW(Perturber::in_odds({{entry, std::string("1 - (") + entry + ")"}, {"1", "0"}}), Error) << entry;
  }
  EXPECT_THROW(Perturber::in_odds({{std::string(300, '(') + "1" + std::string(300, ')'), "0"}, {"1", "0"}}), Error);
  EXPECT_THROW(Perturber::in_odds({{"1/2", "1/3"}, {"1", "0"}}), Error);
  EXPECT_THROW(Perturber::in_odds({{"1"}, {"1", "0"}}), Error);
  EXPECT_THROW(Perturber::in_odds({{"1"}}), Error);
  EXPECT_THROW(Perturber::in_odds({}), Error);
}

// --- Limits --------------------------------------------------------------------------------------------------------------

/// Whether the call is refused with `usage`.
template <class Call>
bool is_refused(const Call& call) {
  return testing::code_of(call) == ErrorCode::usage;
}

// 12^32 is no std::int64_t. When the degree became 0, answers were drawn at a far larger epsilon than was asked for.
TEST(PerturberLimits, RootsOfAHighDegreeAreRefused) {
  Perturber perturber = Perturber::geometric(2);
  perturber = perturber.with_epsilon_times(Rational(1, 12)).with_epsilon_times(Rational(1, 12));
  EXPECT_EQ(perturber.root_degree(), 144);
  EXPECT_TRUE(is_refused([&] { return perturber.with_epsilon_times(Rational(1, 12)); }));
  EXPECT_EQ(perturber.with_epsilon_times(Rational(1, 6)).root_degree(), 864);
  const Perturber each = Perturber::by_participant({perturber, Perturber::geometric(2)});
  EXPECT_TRUE(is_refused([&] { return each.with_epsilon_times(Rational(1, 12)); }));
  const auto seventh = [](int times) {
    Perturber result = Perturber::geometric(2);
    for (int i = 0; i < times; ++i) result = result.with_epsilon_times(Rational(1, 7));
    return result;
  };
  EXPECT_EQ(Perturber::by_participant({perturber, seventh(0)}).root_degree(), 144);
  EXPECT_TRUE(is_refused([&] { return Perturber::by_participant({perturber, seventh(3)}); }));
}

TEST(PerturberLimits, PolynomialsOfAHighDegreeAreRefused) {
  Perturber perturber = Perturber::geometric(2);
  for (int i = 0; i < 4; ++i) perturber = perturber.with_epsilon_times(12);
  EXPECT_EQ(perturber.at(Odds(2))(0, 1), Rational(1) / (Rational(1) + Rational(2).pow(20'736)));
  EXPECT_TRUE(is_refused([&] {
    for (int i = 0; i < 4; ++i) perturber = perturber.with_epsilon_times(12);
  }));
  EXPECT_TRUE(is_refused([&] { return Perturber::wide_geometric(2, 200'000); }));
  EXPECT_TRUE(is_refused([] { return Perturber::geometric(256).at(Odds(Rational(10).pow(1'000'000))); }));
}

TEST(PerturberLimits, ManyProbabilitiesAreRefusedBeforeTheyAreListed) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {std::size_t{1001}, std::size_t{1} << 32, std::size_t{1} << 62, most}) {
    EXPECT_TRUE(is_refused([&] { return Perturber::randomized_response(size); })) << size;
    EXPECT_TRUE(is_refused([&] { return Perturber::geometric(size); })) << size;
  }
  for (const std::size_t reach : {std::size_t{250'000}, std::size_t{1} << 63, most / 2, most}) {
    EXPECT_TRUE(is_refused([&] { return Perturber::wide_geometric(2, reach); })) << reach;
    EXPECT_TRUE(is_refused([&] { return truncated_answers(2, reach); })) << reach;
    EXPECT_TRUE(is_refused([&] { return extended_answers(2, reach, Odds(2)); })) << reach;
  }
}

}  // namespace
}  // namespace fractile::flow
