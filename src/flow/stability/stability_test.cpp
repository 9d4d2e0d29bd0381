#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "flow/pipeline/canonical_post.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

// Two numbers alone might be epsilons or odds.
template <class Number>
concept IsARange = requires(const Pipeline& pipeline, const Analyst& analyst, Number low, Number high) {
  check_stability(pipeline, {low, high});
};
template <class Number>
concept IsARangeForAnAnalyst = requires(const Pipeline& pipeline, const Analyst& analyst, Number low, Number high) {
  check_stability_for(pipeline, analyst, {low, high});
};
template <class Number>
concept IsARangeOfOdds = requires(const Pipeline& pipeline, Number low, Number high) {
  proved_stability(pipeline, {low, high});
};
template <class Number>
concept IsCompared = requires(const Pipeline& pipeline, Number from, Number to) {
  check_refinement(pipeline, from, to);
};
static_assert(IsARange<Exponent> && !IsARange<int> && !IsARange<Rational>);
static_assert(IsARangeForAnAnalyst<Exponent> && !IsARangeForAnAnalyst<int> && !IsARangeForAnAnalyst<Rational>);
static_assert(!IsARangeOfOdds<int> && !IsARangeOfOdds<Rational>);
static_assert(IsCompared<Odds> && !IsCompared<int> && !IsCompared<Rational> && !IsCompared<Exponent>);

Stability::Verdict verdict(const Pipeline& pipeline) { return check_stability(pipeline, OddsRange(2, 3)).verdict; }

// Theorems 4.2 and 6.1, sections 6.2 and 7.1, lemma 8.2.
TEST(CheckStability, ThePapersVerdicts) {
  using enum Stability::Verdict;
  const Perturber response = Perturber::randomized_response(3);
  const Perturber geometric = Perturber::geometric(3);
  EXPECT_EQ(verdict(pipeline_of(1, response, {PostProcessor::Kind::table, {}, {0, 1, 0}})), stable);
  for (const std::size_t participants : {std::size_t{2}, std::size_t{3}}) {
    EXPECT_EQ(verdict(pipeline_of(participants, response, counting({0, 1}))), stable);
    EXPECT_EQ(verdict(pipeline_of(participants, response, summing())), unstable);
    EXPECT_EQ(verdict(pipeline_of(participants, geometric, counting({0}))), unstable);
    EXPECT_EQ(verdict(pipeline_of(participants, geometric, counting({0, 2}))), stable);
    EXPECT_EQ(verdict(pipeline_of(participants, geometric, summing())), unstable);
    EXPECT_EQ(verdict(pipeline_of(participants, geometric, {})), stable);
  }
  EXPECT_EQ(verdict(noisy_argmax(2, 3)), unstable);
  EXPECT_EQ(verdict(pipeline_of(2, Perturber::randomized_response(2), summing())), stable);
  EXPECT_EQ(verdict(pipeline_of(1, geometric, summing())), stable);
  EXPECT_EQ(verdict(pipeline_of(2, Perturber::fixed(Channel(Matrix::identity(2))), summing())), stable);
  Pipeline target = pipeline_of(3, response, counting({2}));
  target.secret = Secret::target_knowing({0, 1});
  EXPECT_EQ(verdict(target), stable);
}

// Whatever the ends of a range are, an answer over it holds at all its epsilons.
TEST(CheckStability, RangesOfEpsilonsAreRoundedToTheSafeSide) {
  using enum Stability::Verdict;
  const EpsilonRange exact{Exponent::parse("ln 2"), Exponent::parse("ln 3")};
  const EpsilonRange rounded{Exponent::parse("0.7"), Exponent::parse("1.09")};
  EXPECT_TRUE(exact.is_exact());
  EXPECT_EQ(odds_around(exact).low, Rational(2));
  EXPECT_EQ(odds_within(exact).high, Rational(3));
  EXPECT_FALSE(rounded.is_exact());
  EXPECT_LT(odds_around(rounded).low, odds_within(rounded).low);
  EXPECT_LT(odds_within(rounded).high, odds_around(rounded).high);
  EXPECT_EQ(odds_around({Exponent(), exact.high}).low, Rational(1));
  const Pipeline unstable_sum = pipeline_of(2, Perturber::randomized_response(3), summing());
  const Pipeline stable_count = pipeline_of(2, Perturber::randomized_response(3), counting({0, 1}));
  for (const EpsilonRange& range : {exact, rounded}) {
    EXPECT_EQ(check_stability(stable_count, range).verdict, stable);
    const Stability answer = check_stability(unstable_sum, range);
    ASSERT_EQ(answer.verdict, unstable);
    EXPECT_GE(answer.to, odds_within(range).low);
    EXPECT_LE(answer.from, odds_within(range).high);
  }
}

// Renamed outputs change no verdict: each channel refines to the other, and their stability is the same.
TEST(CheckStability, OneChannelHasOneVerdict) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 4);
    const auto participants = *rc::gen::inRange<std::size_t>(1, 3);
    std::size_t tuples = values;
    for (std::size_t i = 1; i < participants; ++i) tuples *= values;
    const auto raw = *rc::gen::container<std::vector<std::size_t>>(tuples, rc::gen::inRange<std::size_t>(0, values));
    std::map<std::size_t, std::size_t> numbers;
    PostProcessor table{PostProcessor::Kind::table, {}, {}};
    for (const std::size_t output : raw) table.image.push_back(numbers.emplace(output, numbers.size()).first->second);
    const Perturber perturber =
        *rc::gen::arbitrary<bool>() ? Perturber::randomized_response(values) : Perturber::geometric(values);
    Pipeline described = pipeline_of(participants, perturber, table);
    Pipeline canonical = described;
    canonical.post = canonical_post(described);
    RC_ASSERT(check_stability(described, OddsRange(2, 3)).verdict ==
              check_stability(canonical, OddsRange(2, 3)).verdict);
    // Secrets may be grouped in one of the two: compare by everyone's tuples.
    if (canonical.post.is_symmetric()) return;
    const Channel first = channel_at(described, Odds(3)).channel;
    const Channel second = channel_at(canonical, Odds(3)).channel;
    RC_ASSERT(refines(first, second).refines());
    RC_ASSERT(refines(second, first).refines());
  }));
}

/// Section 9.1: the highest of three noisy bars is named.
Pipeline of_voters(std::size_t voters) { return noisy_argmax(voters, 3); }
// "Appears to be ama-stable" (section 9.1): for the uniform prior it is, and Definition 3.3 is about all.
TEST(CheckStabilityFor, NoisyArgmaxIsNotAmaStable) {
  const LossStability answer = check_stability_for(of_voters(5), mode_guesser(), OddsRange(2, 3));
  ASSERT_EQ(answer.verdict, Stability::Verdict::unstable) << answer.reason;
  const Counterexample& found = answer.refutation.value();
  EXPECT_LT(found.loss_to, found.loss_from);
  EXPECT_EQ(answer.secrets.size(), found.prior.size());
  Analyst somebody = mode_guesser();
  somebody.prior = found.prior;
  EXPECT_EQ(expected_loss(of_voters(5), somebody, Odds(answer.from)), found.loss_from);
  EXPECT_EQ(expected_loss(of_voters(5), somebody, Odds(answer.to)), found.loss_to);
  // By hand: two histograms are enough.
  std::vector<Rational> prior(found.prior.size());
  const std::vector<std::string> secrets = channel_at(of_voters(5), Odds(3)).channel.secrets();
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(secrets, name) - secrets.begin());
  };
  prior[at("(2,3,0)")] = Rational(6419, 10000);
  prior[at("(2,2,1)")] = Rational(3581, 10000);
  somebody.prior = Prior(prior);
  EXPECT_EQ(expected_loss(of_voters(5), somebody, Odds(3)), Rational(3313921, 9720000));
  EXPECT_EQ(expected_loss(of_voters(5), somebody, Odds(2)), Rational(65287, 192000));
}

// docs/worth.md: figure 3's own twenty people.
TEST(CheckStabilityFor, NoisyArgmaxOfTwentyIsNotAmaStable) {
  const Pipeline twenty = of_voters(20);
  EXPECT_TRUE(check_refinement_for(twenty, mode_guesser(), Odds(3), Odds(2)).refuted());
  const std::vector<std::string> secrets = channel_at(twenty, Odds(3)).channel.secrets();
  std::vector<Rational> prior(secrets.size());
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(secrets, name) - secrets.begin());
  };
  prior[at("(10,10,0)")] = Rational(1421, 2000);
  prior[at("(1,10,9)")] = Rational(579, 2000);
  Analyst somebody = mode_guesser();
  somebody.prior = Prior(prior);
  EXPECT_EQ(
      (RealBounds{expected_loss(twenty, somebody, Odds(3)), expected_loss(twenty, somebody, Odds(3))}.to_decimal(4)),
      "0.2443");
  EXPECT_EQ(
      (RealBounds{expected_loss(twenty, somebody, Odds(2)), expected_loss(twenty, somebody, Odds(2))}.to_decimal(4)),
      "0.2148");
}

TEST(CheckStabilityFor, OneLossIsDecidedAtPairs) {
  // Stable for all analysts implies stable for each.
  Analyst guesser;
  EXPECT_EQ(
      check_stability_for(pipeline_of(2, Perturber::randomized_response(3), counting({1})), guesser, OddsRange(2, 3))
          .verdict,
      Stability::Verdict::stable);
  // Unstable for all; guessing both values is another matter.
  const Pipeline sums = pipeline_of(2, Perturber::geometric(3), summing());
  EXPECT_EQ(check_stability(sums, OddsRange(2, 3)).verdict, Stability::Verdict::unstable);
  const LossStability answer =
      check_stability_for(known_others(), thousandfold_error(), OddsRange(Rational(7, 2), Rational(351, 100)));
  EXPECT_EQ(answer.verdict, Stability::Verdict::unstable)
      << answer.reason;  // appendix D.1: even with the uniform prior
}

// A proof of stability, or a certificate against it, agrees with every pair of odds that is tried.
TEST(CheckStability, AgreesWithPairs) {
  for (const std::size_t values : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    for (std::size_t counted = 1; counted + 1 < (std::size_t{1} << values); ++counted) {
      std::vector<std::size_t> subset;
      for (std::size_t value = 0; value < values; ++value) {
        if ((counted >> value & 1) == 1) subset.push_back(value);
      }
      const Pipeline pipeline = pipeline_of(2, Perturber::geometric(values), counting(subset));
      const Stability stability = check_stability(pipeline, OddsRange(1, 5));
      bool refuted = false;
      for (std::int64_t high = 2; high <= 5; ++high) {
        for (std::int64_t low = 1; low < high; ++low) {
          refuted = refuted || check_refinement(pipeline, Odds(high), Odds(low)).refinement.refuted();
        }
      }
      const bool unstable = stability.verdict == Stability::Verdict::unstable;
      EXPECT_EQ(refuted, unstable) << values << " " << counted;
      EXPECT_TRUE(unstable || stability.verdict == Stability::Verdict::stable) << values << " " << counted;
      if (!unstable) continue;
      EXPECT_TRUE(stability.refutation->refinement.refuted());
      EXPECT_LT(stability.to, stability.from);
    }
  }
}

Stability::Verdict of_quantile(const Rational& quantile, std::size_t records, std::size_t values,
                               const Secret& secret = {}) {
  Pipeline pipeline = pipeline_of(
      records, Perturber::release({CentralMechanism::Kind::exponential, {quantile}, Neighbors::add_remove}, values),
      {});
  pipeline.secret = secret;
  return check_stability(pipeline,
                         OddsRange(odds_bounds(Exponent::parse("0.5")).lower, odds_bounds(Exponent::parse("2")).upper))
      .verdict;
}

// docs/quantile-stability.md, "Everyone".
TEST(QuantileStability, OfEveryone) {
  for (const Rational& quantile : {Rational(1, 2), Rational(1, 4), Rational(0)}) {
    for (std::size_t records = 1; records <= 6; ++records) {
      for (std::size_t values = 2; values <= 6; ++values) {
        const bool stable = records == 1 || (records == 2 && values == 2 && quantile == Rational(1, 2));
        EXPECT_EQ(of_quantile(quantile, records, values),
                  stable ? Stability::Verdict::stable : Stability::Verdict::unstable)
            << quantile.to_string() << " " << records << " " << values;
      }
    }
  }
}

// The same, "Known others": stable when the others are one alone, or span the candidates.
TEST(QuantileStability, OfOneAmongKnownOthers) {
  for (std::size_t records = 2; records <= 4; ++records) {
    std::size_t tuples = 1;
    for (std::size_t i = 1; i < records; ++i) tuples *= 4;
    for (std::size_t tuple = 0; tuple < tuples; ++tuple) {
      std::vector<std::size_t> others;
      for (std::size_t rest = tuple; others.size() + 1 < records; rest /= 4) others.push_back(rest % 4);
      if (!std::ranges::is_sorted(others)) continue;
      const bool stable = records == 2 || (others.front() == 0 && others.back() == 3);
      EXPECT_EQ(of_quantile(Rational(1, 2), records, 4, Secret::target_knowing(others)),
                stable ? Stability::Verdict::stable : Stability::Verdict::unstable)
          << records << " " << tuple;
    }
  }
}

// --- Perturbers of other shapes -------------------------------------------------------------------------------------------

Perturber written_geometric() {
  return Perturber::in_odds({{"odds/(odds+1)", "(odds-1)/(odds*(odds + 1))", "1/(odds^2+odds)"},
                             {"1/(odds+1)", "(odds-1)/(odds+1)", "1/(odds+1)"},
                             {"1/(odds^2+odds)", "(odds-1)/(odds*(odds + 1))", "odds/(odds+1)"}});
}

TEST(CheckStability, OfPerturbersThatDifferOrAreOblong) {
  Pipeline wide = pipeline_of(2, Perturber::wide_geometric(3, 2), {});
  wide.answers = {-2, -1, 0, 1, 2, 3, 4};
  EXPECT_EQ(check_stability(wide, OddsRange(2, 3)).verdict, Stability::Verdict::stable);
  // Perturbers by participant that are all equal make no difference.
  for (const PostProcessor& post : {counting({1}), counting({0}), summing(), taking_the_mode()}) {
    for (const Secret& secret : {Secret(), Secret::target_knowing({0, 2})}) {
      Pipeline shared = pipeline_of(3, Perturber::geometric(3), post);
      shared.secret = secret;
      Pipeline each = shared;
      each.perturber = Perturber::by_participant(std::vector<Perturber>(3, Perturber::geometric(3)));
      EXPECT_EQ(check_stability(each, OddsRange(2, 3)).verdict, check_stability(shared, OddsRange(2, 3)).verdict);
    }
  }
  // Side by side, families stay families; their counts need not be a family.
  const Perturber mixed = Perturber::by_participant({Perturber::geometric(3), Perturber::randomized_response(3)});
  EXPECT_EQ(check_stability(pipeline_of(2, mixed, {}), OddsRange(2, 3)).verdict, Stability::Verdict::stable);
  EXPECT_EQ(check_stability(pipeline_of(2, mixed, counting({0})), OddsRange(2, 3)).verdict,
            Stability::Verdict::unstable);
}

TEST(CheckStability, OfMatricesInOdds) {
  EXPECT_EQ(check_stability(pipeline_of(1, written_geometric(), {}), OddsRange(2, 3)).verdict,
            Stability::Verdict::stable);
  EXPECT_EQ(check_stability(pipeline_of(2, written_geometric(), counting({0})), OddsRange(2, 3)).verdict,
            Stability::Verdict::unstable);
  // This is not a family: the truth is most probable at odds = 2.
  const Perturber hump = Perturber::in_odds(
      {{"1/2 + odds/(odds^2 + 4)", "1/2 - odds/(odds^2 + 4)"}, {"1/2 - odds/(odds^2 + 4)", "1/2 + odds/(odds^2 + 4)"}});
  EXPECT_EQ(check_stability(pipeline_of(1, hump, {}), OddsRange(1, 2)).verdict, Stability::Verdict::stable);
  for (const std::size_t participants : {std::size_t{1}, std::size_t{3}}) {
    EXPECT_EQ(check_stability(pipeline_of(participants, hump, {}), OddsRange(2, 5)).verdict,
              Stability::Verdict::unstable);
    EXPECT_EQ(check_stability(pipeline_of(participants, hump, counting({1})), OddsRange(2, 5)).verdict,
              Stability::Verdict::unstable);
  }
}

// Answers that are bits, but drawn together: each place's counts say less than all of them together.
TEST(CheckStability, BitsThatDependAreNotCountedByThemselves) {
  const Perturber together = Perturber::in_odds({{"1/(odds + 3)", "1/(odds + 3)", "odds/(odds + 3)", "1/(odds + 3)"},
                                                 {"1/(odds + 3)", "odds/(odds + 3)", "1/(odds + 3)", "1/(odds + 3)"}});
  PostProcessor bits;
  bits.kind = PostProcessor::Kind::bits;
  const Pipeline pipeline{2, {0, 1}, together, bits, {}, unary_answers(2)};
  EXPECT_NE(check_stability(pipeline, OddsRange(2, 3)).theorem, Theorem::counted_bits);
  const Pipeline alone{40, {0, 1}, Perturber::optimized_unary(2), bits, {}, unary_answers(2)};
  EXPECT_EQ(check_stability(alone, OddsRange(2, 3)).theorem, Theorem::counted_bits);
}

TEST(CheckStability, RangesIncrease) {
  const Pipeline pipeline = pipeline_of(2, Perturber::geometric(3), counting({0}));
  const Exponent one(1);
  const Exponent three = Exponent::log(3);
  for (const EpsilonRange& range : {EpsilonRange{one, one}, EpsilonRange{three, three}, EpsilonRange{three, one}}) {
    EXPECT_THROW(check_stability(pipeline, range), Error);
    EXPECT_THROW(check_stability_for(pipeline, {}, range), Error);
    EXPECT_THROW(odds_around(range), Error);
    EXPECT_THROW(odds_within(range), Error);
  }
  EXPECT_THROW(check_stability(pipeline, OddsRange(3, 3)), Error);
  EXPECT_THROW(check_stability_for(pipeline, {}, OddsRange(3, 3)), Error);
}

}  // namespace
}  // namespace fractile::flow
