#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "flow/pipeline/answer_draws.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

/// Goes through all draws of a program, one run after the other, with the exact probability of each.
class EnumeratedAnswers : public AnswerDraws {
 public:
  explicit EnumeratedAnswers(Rational odds) : odds_(std::move(odds)) {}

  /// The law of the program's result.
  template <class Program>
  auto law_of(const Program& program) {
    std::map<decltype(program()), Rational> law;
    way_.clear();
    do {
      at_ = 0;
      const auto outcome = program();
      Rational p = 1;
      for (const Step& step : way_) p *= step.options[step.taken].second;
      law[outcome] += p;
    } while (advance());
    return law;
  }

 private:
  using Option = std::pair<std::int64_t, Rational>;
  struct Step {
    std::vector<Option> options;
    std::size_t taken;
  };

  std::int64_t next(std::vector<Option> options) {
    if (at_ == way_.size()) way_.push_back({std::move(options), 0});
    const Step& step = way_[at_++];
    return step.options[step.taken].first;
  }

  bool advance() {
    while (!way_.empty() && way_.back().taken + 1 == way_.back().options.size()) way_.pop_back();
    if (way_.empty()) return false;
    ++way_.back().taken;
    return true;
  }

  bool coin(const Chance& chance) override {
    const Rational p = chance.numerator.at(odds_) / chance.denominator.at(odds_);
    EXPECT_GE(p, Rational(0));
    EXPECT_LE(p, Rational(1));
    if (p == 1) return true;  // no chance of anything else
    return next({{0, Rational(1) - p}, {1, p}}) == 1;
  }

  std::uint64_t below(std::uint64_t n) override {
    std::vector<Option> options;
    for (std::uint64_t k = 0; k < n; ++k) {
      options.emplace_back(static_cast<std::int64_t>(k), Rational(1, n));
    }
    return static_cast<std::uint64_t>(next(std::move(options)));
  }

  // The two-sided geometric law of section 7, everything beyond an end summed up there: a^d + a^(d+1) + ... = a^d / (1 - a).
  std::int64_t noise(std::int64_t low, std::int64_t high) override {
    const Rational ratio = Rational(1) / odds_;
    std::vector<Option> options;
    for (std::int64_t k = low; k <= high; ++k) {
      const Rational inner = (Rational(1) - ratio) / (Rational(1) + ratio) * ratio.pow(std::abs(k));
      const Rational outer = ratio.pow(std::abs(k)) / (Rational(1) + ratio);
      options.emplace_back(k, k == low || k == high ? outer : inner);
    }
    return next(std::move(options));
  }

  Rational odds_;
  std::vector<Step> way_;
  std::size_t at_ = 0;
};

Perturber response_in_odds() {
  return Perturber::in_odds({{"odds/(odds + 2)", "1/(odds + 2)", "1/(odds + 2)"},
                             {"1/(odds + 2)", "odds/(odds + 2)", "1/(odds + 2)"},
                             {"1/(odds + 2)", "1/(odds + 2)", "odds/(odds + 2)"}});
}

/// Two answers of three values, and one that only a larger epsilon gives.
Perturber oblong() {
  return Perturber::in_odds({{"odds/(odds + 1)", "1/(odds + 1)", "0"},
                             {"1/2", "1/(2*odds)", "(odds - 1)/(2*odds)"},
                             {"1 - odds/(odds + 1)", "0", "odds/(odds + 1)"}});
}

const std::vector<Rational> some_odds{1, 2, Rational(7, 2)};

// Algorithm 1, and one participant's part of every other perturber.
TEST(PerturbedAnswers, AreDrawnFromTheChannelsRows) {
  const Channel own(matrix({{"1/3", "2/3"}, {"0", "1"}, {"1/4", "3/4"}}));
  for (const Perturber& perturber : {Perturber::randomized_response(2), Perturber::randomized_response(4),
                                     Perturber::geometric(2), Perturber::geometric(5), Perturber::wide_geometric(3, 2),
                                     Perturber::fixed(own), response_in_odds(), oblong()}) {
    for (const Rational& odds : some_odds) {
      const Channel channel = perturber.at(Odds(odds));
      EnumeratedAnswers draws(odds);
      for (std::size_t value = 0; value < perturber.values(); ++value) {
        auto law = draws.law_of([&] { return perturbed(perturber, value, draws); });
        for (std::size_t answer = 0; answer < perturber.answers(); ++answer) {
          EXPECT_EQ(law[answer], channel(value, answer)) << value << " " << answer << " " << odds.to_string();
        }
      }
    }
  }
}

void expect_rows_are_drawn(const Pipeline& pipeline) {
  const Rational odds(5, 2);
  const PipelineChannel shown = channel_at(pipeline, Odds(odds));
  EnumeratedAnswers draws(odds);
  for (std::size_t x = 0; x < shown.secrets.size(); ++x) {
    auto law = draws.law_of([&] { return released(pipeline, shown.secrets[x], draws); });
    for (std::size_t y = 0; y < shown.channel.observations().size(); ++y) {
      EXPECT_EQ(law[shown.channel.observations()[y]], shown.channel(x, y)) << shown.channel.secrets()[x];
    }
  }
}

// Algorithm 2: respondents answer one by one, and their answers are counted; with every post-processor.
TEST(ReleasedObservations, AreDrawnFromThePipelinesRows) {
  PostProcessor halves;
  halves.kind = PostProcessor::Kind::round;
  halves.unit = 2;
  const PostProcessor table{PostProcessor::Kind::table, {}, {0, 1, 1, 2, 0, 2, 1, 0, 2}};
  for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3), oblong()}) {
    for (const PostProcessor& post :
         {counting({0}), counting({0, 2}), summing(), taking_the_mode(), table, halves, {}}) {
      expect_rows_are_drawn(pipeline_of(2, perturber, post));
    }
  }
}

TEST(ReleasedObservations, OfATargetAndOfParticipantsThatDiffer) {
  Pipeline pipeline = pipeline_of(3, Perturber::geometric(3), summing());
  pipeline.secret = Secret::target_knowing({2, 0});
  expect_rows_are_drawn(pipeline);
  pipeline.perturber =
      Perturber::by_participant({Perturber::geometric(3), oblong(), Perturber::randomized_response(3)});
  expect_rows_are_drawn(pipeline);
  pipeline.secret = {};
  for (const PostProcessor& post : {counting({1}), summing(), taking_the_mode(), PostProcessor{}}) {
    pipeline.post = post;
    expect_rows_are_drawn(pipeline);
  }
}

// Algorithm 3: noisy ArgMax.
TEST(ReleasedObservations, OfHistogramsAsInAlgorithmThree) {
  expect_rows_are_drawn(noisy_argmax(2, 3));
  expect_rows_are_drawn(noisy_argmax(3, 2));
  Pipeline bars = noisy_argmax(2, 2);
  bars.post = {};
  expect_rows_are_drawn(bars);
}

// A thousand times too few for a law, and enough for the ends of ranges, bits and epsilons to be right.
TEST(ReleasedObservations, ComeFromRandomBits) {
  RandomBits bits = RandomBits::unsafe_seeded(26);
  constexpr int draws = 20'000;
  for (const Exponent& epsilon : {Exponent(Rational(0)), Exponent(Rational(1)), Exponent::log(3)}) {
    const RealBounds odds = odds_bounds(epsilon);
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3), oblong()}) {
      const Channel channel = perturber.at(Odds(odds.lower));
      for (std::size_t value = 0; value < 3; ++value) {
        std::vector<int> counts(3);
        for (int i = 0; i < draws; ++i) ++counts[perturbed(perturber, epsilon, value, bits)];
        for (std::size_t answer = 0; answer < 3; ++answer) {
          EXPECT_NEAR(counts[answer] / double{draws}, channel(value, answer).to_double(),
                      0.02);  // over five deviations
        }
      }
    }
  }
  EXPECT_EQ(
      released(pipeline_of(2, Perturber::fixed(Channel(Matrix::identity(3))), summing()), Exponent(), {1, 2}, bits),
      "3");
}

TEST(ReleasedObservations, RefuseWhatIsNoSecretAndNoAnswer) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), summing());
  EXPECT_THROW(released(pipeline, Exponent(), {0}, bits), Error);
  EXPECT_THROW(released(pipeline, Exponent(), {0, 3}, bits), Error);
  EXPECT_THROW(collected(pipeline, {0}), Error);
  EXPECT_THROW(collected(pipeline, {0, 3}), Error);
  EXPECT_THROW(perturbed(Perturber::geometric(3), Exponent(), 3, bits), Error);
  const Perturber each = Perturber::by_participant({Perturber::geometric(3), Perturber::geometric(3)});
  EXPECT_THROW(perturbed(each, Exponent(), 0, bits), Error);
  const Perturber release = Perturber::release({}, 3);
  EXPECT_THROW(perturbed(release, Exponent(), 0, bits), Error);
  EXPECT_THROW(released({2, whole_values(3), release, {}}, Exponent(), {0, 0}, bits), Error);
}

}  // namespace
}  // namespace fractile::flow
