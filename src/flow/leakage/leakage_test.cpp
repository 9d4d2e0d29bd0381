#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "flow/leakage/worlds.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// A number alone might be odds.
template <class Number>
concept Leaks = requires(const LeakageQuestion& question, Number epsilon) {
  leakage(question, epsilon);
};
static_assert(Leaks<Exponent> && !Leaks<int> && !Leaks<Rational> && !Leaks<Odds>);

Exponent ln(std::int64_t odds) { return Exponent::log(Rational(odds)); }

/// A pipeline of a few people, of whom all but one are known.
Pipeline among_known(const PostProcessor& post) {
  const auto values = *rc::gen::inRange<std::size_t>(2, 5);
  const auto others = *rc::gen::inRange<std::size_t>(1, 5);
  const Perturber perturber =
      *rc::gen::arbitrary<bool>() ? Perturber::geometric(values) : Perturber::randomized_response(values);
  Pipeline pipeline = pipeline_of(others + 1, perturber, post);
  std::vector<std::size_t> known(others);
  for (std::size_t& value : known) value = *rc::gen::inRange<std::size_t>(0, values);
  pipeline.secret = Secret::target_knowing(known);
  return pipeline;
}

Guess some_guess(std::size_t values) {
  const int kind = *rc::gen::inRange(0, 3);
  if (kind == 0) return {};
  if (kind == 1) return {Guess::About::presence};
  Guess guess{Guess::About::property, {}, {"first", "others"}};
  const auto first = *rc::gen::inRange<std::size_t>(1, values);
  for (std::size_t value = 0; value < values; ++value) guess.parts.push_back(value < first ? 0 : 1);
  return guess;
}

/// The same pipeline with its count or sum written as a table, so that no shortcut applies and all rows are summed.
Pipeline with_a_table(const Pipeline& pipeline) {
  Pipeline result = pipeline;
  result.post = {PostProcessor::Kind::table};
  std::vector<std::string> names;
  std::size_t tuples = 1;
  for (std::size_t i = 0; i < pipeline.participants; ++i) tuples *= pipeline.values.size();
  std::vector<Rational> outputs;
  for (std::size_t tuple = 0; tuple < tuples; ++tuple) {
    Rational output;
    for (std::size_t rest = tuple, i = 0; i < pipeline.participants; ++i, rest /= pipeline.values.size()) {
      const std::size_t value = rest % pipeline.values.size();
      const bool is_counted = std::ranges::count(pipeline.post.counted, value) > 0;
      output += pipeline.post.kind == PostProcessor::Kind::sum ? pipeline.values[value] : Rational(is_counted ? 1 : 0);
    }
    const auto at = std::ranges::find(outputs, output);
    result.post.image.push_back(static_cast<std::size_t>(at - outputs.begin()));
    if (at == outputs.end()) outputs.push_back(output);
  }
  return result;
}

// docs/proofs/leakage.md, "One count or sum".
TEST(Leakage, IsThatOfTheRows) {
  EXPECT_TRUE(rc::check([] {
    const bool is_sum = *rc::gen::arbitrary<bool>();
    PostProcessor post = counting({0});
    if (is_sum) post = {PostProcessor::Kind::sum};
    LeakageQuestion question{among_known(post), {}, {}};
    question.guess = some_guess(question.pipeline.values.size());
    RC_PRE(question.guess.about != Guess::About::presence);
    const Leakage found = leakage(question, ln(3));
    question.pipeline = with_a_table(question.pipeline);
    const Leakage listed = leakage(question, ln(3));
    RC_ASSERT(found.after.lower == listed.after.lower);
    RC_ASSERT(found.after.lower == found.after.upper);
    RC_ASSERT(found.capacity.lower == listed.capacity.lower);
  }));
}

// docs/proofs/leakage.md, "Side by side".
TEST(Leakage, AmongKnownAnswersIsThatOfTheOwnAnswer) {
  EXPECT_TRUE(rc::check([] {
    LeakageQuestion question{among_known({}), {}, {}};
    const std::size_t values = question.pipeline.values.size();
    question.guess = some_guess(values);
    RC_PRE(question.guess.about != Guess::About::presence);
    const Leakage found = leakage(question, ln(3));
    const Matrix rows = channel_at(question.pipeline, Odds(3)).channel.matrix();
    Rational after;
    Rational capacity;
    for (std::size_t y = 0; y < rows.columns(); ++y) {
      std::vector<Rational> joint(values);
      Rational highest;
      for (std::size_t x = 0; x < values; ++x) {
        const std::size_t part = question.guess.about == Guess::About::value ? x : question.guess.parts[x];
        joint[part] += rows(x, y) / Rational(values);
        highest = std::max(highest, rows(x, y));
      }
      after += *std::ranges::max_element(joint);
      capacity += highest;
    }
    RC_ASSERT(found.after.lower == after);
    RC_ASSERT(found.after.upper == after);
    RC_ASSERT(found.capacity.lower == capacity);
  }));
  // The channel of 300 people cannot be listed.
  const Perturber last = Perturber::geometric(3);
  LeakageQuestion many{pipeline_of(300, last, {}), Prior(std::vector<Rational>{{1, 2}, {1, 3}, {1, 6}}), {}};
  many.pipeline.secret = Secret::target_knowing(std::vector<std::size_t>(299, 1));
  const LeakageQuestion one{pipeline_of(1, last, {}), many.prior, {}};
  EXPECT_EQ(leakage(many, ln(3)).after.lower, leakage(one, ln(3)).after.lower);
  std::vector<Perturber> each(299, Perturber::randomized_response(3));
  each.push_back(last);
  many.pipeline.perturber = Perturber::by_participant(std::move(each));
  EXPECT_EQ(leakage(many, ln(3)).after.lower, leakage(one, ln(3)).after.lower);
  EXPECT_EQ(leakage(many, ln(3)).capacity.lower, leakage(one, ln(3)).capacity.lower);
}

TEST(Leakage, NeverAboveWhatEpsilonAllows) {
  EXPECT_TRUE(rc::check([] {
    PostProcessor post = counting({0});
    post.kind = *rc::gen::element(PostProcessor::Kind::count, PostProcessor::Kind::sum, PostProcessor::Kind::mode,
                                  PostProcessor::Kind::identity);
    LeakageQuestion question{among_known(post), {}, {}};
    question.guess = some_guess(question.pipeline.values.size());
    const Leakage exact = leakage(question, ln(*rc::gen::inRange(2, 6)));
    RC_ASSERT(exact.before.lower <= exact.after.lower);
    RC_ASSERT(exact.after.lower <= exact.before.lower * exact.capacity.lower);
    RC_ASSERT(exact.allowed.has_value() == (question.guess.about != Guess::About::presence));
    if (exact.allowed) RC_ASSERT(exact.after.lower <= exact.allowed->lower);
    if (exact.capacity_allowed) RC_ASSERT(exact.capacity.lower <= exact.capacity_allowed->lower);
    const Leakage enclosed = leakage_curve(question, {exact.epsilon}).front();
    RC_ASSERT(enclosed.after.lower <= exact.after.lower && exact.after.lower <= enclosed.after.upper);
    RC_ASSERT(enclosed.after.upper - enclosed.after.lower < Rational(1, 1'000'000'000));
    RC_ASSERT(enclosed.capacity.lower <= exact.capacity.lower && exact.capacity.lower <= enclosed.capacity.upper);
  }));
}

// A mechanism at epsilon 0 leaks nothing, and a bare answer of randomized response leaks as much as epsilon allows.
TEST(Leakage, OfAnAnswerIsAllThatEpsilonAllows) {
  LeakageQuestion question{pipeline_of(1, Perturber::randomized_response(3), {}), {}, {}};
  const Leakage response = leakage(question, ln(4));
  EXPECT_EQ(response.after.lower, Rational(2, 3));
  EXPECT_EQ(response.allowed->lower, Rational(2, 3));
  EXPECT_EQ(response.capacity.lower, Rational(2));
  question.pipeline.perturber = Perturber::geometric(3);
  const Leakage geometric = leakage(question, ln(4));
  EXPECT_EQ(geometric.after.lower, geometric.allowed->lower);
  EXPECT_EQ(leakage(question, Exponent()).after.lower, Rational(1, 3));
}

// Under a uniform prior over histograms the others' values tell something about the target.
TEST(Leakage, EpsilonAllowsEverythingWhereOthersTell) {
  Pipeline pipeline = pipeline_of(2, Perturber::randomized_response(2), {PostProcessor::Kind::sum});
  LeakageQuestion question{pipeline, Prior({Rational(1, 3), Rational(1, 3), Rational(1, 3)}), {}};
  EXPECT_FALSE(is_independent_of_others(question));
  EXPECT_FALSE(leakage(question, ln(2)).allowed.has_value());
  question.prior = independent_participants(pipeline, Prior({Rational(1, 3), Rational(2, 3)}));
  EXPECT_TRUE(is_independent_of_others(question));
  EXPECT_TRUE(leakage(question, ln(2)).allowed.has_value());
}

TEST(Leakage, PropertiesHaveNoGaps) {
  LeakageQuestion question{
      pipeline_of(2, Perturber::geometric(3), {}), {}, {Guess::About::property, {0, 1, 0}, {"a", "b"}}};
  EXPECT_NO_THROW(question.validate());
  for (const std::size_t part : {std::size_t{2}, std::size_t{3}, ~std::size_t{0}}) {
    question.guess.parts = {0, part, 0};
    EXPECT_THROW(question.validate(), Error) << part;
    question.guess.names = {};
    EXPECT_THROW(question.validate(), Error) << part;
  }
}

TEST(Leakage, PresenceIsOfOneAmongOthers) {
  LeakageQuestion question{pipeline_of(1, Perturber::geometric(2), {}), {}, {Guess::About::presence}};
  EXPECT_THROW(question.validate(), Error);
  question.pipeline.participants = 2;
  const Leakage shown = leakage(question, ln(3));  // two answers or one
  EXPECT_EQ(shown.after.lower, Rational(1));
}

// The other of two people is counted with probability 1/5, and the target, if present, with 1/3. With the target the count is 0, 1 or 2
// with probabilities 8/15, 6/15 and 1/15; without, it is 0 or 1 with 12/15 and 3/15.
TEST(Leakage, AbsentTargetsAreNotCounted) {
  Pipeline pipeline = pipeline_of(2, Perturber::randomized_response(3), counting({0}));
  pipeline.secret = Secret::target_knowing({1});
  const Leakage shown = leakage({pipeline, {}, {Guess::About::presence}}, ln(3));
  EXPECT_EQ(shown.after.lower, Rational(19, 30));
  EXPECT_EQ(shown.after.upper, Rational(19, 30));
}

}  // namespace
}  // namespace fractile::flow
