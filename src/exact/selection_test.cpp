#include "exact/selection.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "exact/law.hpp"
#include "exact/majorant.hpp"
#include "exact/run_majorant.hpp"
#include "exact/unit_majorant.hpp"
#include "fractile/error.hpp"
#include "support/instruction_sets.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::placed_bits;
using testing::word_that_draws;
using Scores = std::vector<std::uint64_t>;

struct Case {
  const char* name;
  Scores scores;
  Scores lengths;  // empty: ones
  const char* rate;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"ties", {3, 3, 0, 1, 3}, {}, "1"},
      {"flat", {7, 7, 7, 7, 7, 7, 7}, {}, "2/3"},
      {"ramp", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {}, "ln 2"},
      {"steep", {100, 104, 101, 130}, {}, "1/2 ln 3"},
      {"far from zero", {~std::uint64_t{0}, ~std::uint64_t{0} - 2, ~std::uint64_t{0} - 1}, {}, "1/2"},
      {"wide", {0, std::uint64_t{1} << 60, std::uint64_t{1} << 61}, {}, "1e-18"},
      {"lengths", {0, 5, 1, 9}, {1, 1000, 0, 50'000}, "1"},
      {"long tail", {40, 0, 42}, {std::uint64_t{1} << 61, 3, std::uint64_t{1} << 60}, "1"},
      {"rate zero", {5, 1, 9}, {1, 2, 3}, "0"},
      {"single", {17}, {}, "1"},
  };
  return all;
}

std::vector<double> law_of(const Case& c) {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < c.scores.size(); ++k)
    runs.push_back({k, c.lengths.empty() ? 1 : c.lengths[k], c.scores[k]});
  std::vector<double> law;
  for (const Enclosure& p : softmax_law(runs, Exponent::parse(c.rate))) law.push_back(p.to_double());
  return law;
}

template <class Select>
double p_value(const Case& c, std::uint64_t draws, Select&& select) {
  Scores counts(c.scores.size());
  for (std::uint64_t i = 0; i < draws; ++i) ++counts[select()];
  return chi_square_p(counts, law_of(c));
}

std::size_t majorant_draw(const Case& c, RandomBits& bits, Filter filter) {
  const Exponent rate = Exponent::parse(c.rate);
  return c.lengths.empty() ? detail::select_softmax(c.scores, rate, bits, Optimize::minimize, filter)
                           : detail::select_softmax(c.scores, c.lengths, rate, bits, Optimize::minimize, filter);
}

/// The result of `draw` on bits that depend on the seed alone.
std::size_t seeded(std::uint64_t seed, const std::function<std::size_t(RandomBits&)>& draw) {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  return draw(bits);
}

TEST(Selection, PublicOnesDrawWithTheDefaultFilter) {
  const Scores s{3, 0, 7, 2, 1};
  const Scores n{1, 5, 20, 0, 3};
  const std::vector<Rational> exact{Rational(1, 3), Rational(2), Rational(0), Rational(1, 7)};
  const Exponent r = Exponent::parse("1/2");
  std::size_t otherwise = 0;  // with another filter
  for (const Optimize o : {Optimize::minimize, Optimize::maximize}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto draws = [&](const auto& draw) { return seeded(seed, draw); };
      const std::size_t drawn = draws([&](auto& b) { return select_softmax(s, r, b, o); });
      EXPECT_EQ(drawn, draws([&](auto& b) { return detail::select_softmax(s, r, b, o, {}); }));
      otherwise +=
          drawn == draws([&](auto& b) { return detail::select_softmax(s, r, b, o, Filter::stress()); }) ? 0U : 1U;
      EXPECT_EQ(draws([&](auto& b) { return select_softmax(s, n, r, b, o); }),
                draws([&](auto& b) { return detail::select_softmax(s, n, r, b, o, {}); }));
      EXPECT_EQ(draws([&](auto& b) { return select_softmax(exact, r, b, o); }),
                draws([&](auto& b) { return detail::select_softmax(exact, r, b, o, {}); }));
      EXPECT_EQ(draws([&](auto& b) { return select_permute_and_flip(s, r, b, o); }),
                draws([&](auto& b) { return detail::select_permute_and_flip(s, r, b, o, {}); }));
      EXPECT_EQ(draws([&](auto& b) { return select_permute_and_flip(exact, r, b, o); }),
                draws([&](auto& b) { return detail::select_permute_and_flip(exact, r, b, o, {}); }));
      EXPECT_EQ(draws([&](auto& b) { return select_gumbel(s, n, r, b, o); }),
                draws([&](auto& b) { return detail::select_gumbel(s, n, r, b, o, {}); }));
    }
  }
  EXPECT_GT(otherwise, 0U);
}

TEST(Selection, ByMajorantHasTheSoftmaxLaw) {
  RandomBits bits = RandomBits::system();
  for (const Case& c : cases()) {
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const auto draw = [&] { return majorant_draw(c, bits, filter); };
      EXPECT_GT(p_value(c, effort(filter.prefix_bits == 64 ? 300'000 : 60'000), draw), 1e-9) << c.name;
    }
  }
}

TEST(Selection, ByGumbelVariablesHasTheSoftmaxLaw) {
  RandomBits bits = RandomBits::system();
  for (const Case& c : cases()) {
    if (std::string(c.name) == "far from zero") continue;  // the same law, at 64 more bits of shift
    for (const Filter filter : {Filter{}, Filter::stress()}) {
      const auto draw = [&] {
        return detail::select_gumbel(c.scores, c.lengths, Exponent::parse(c.rate), bits, Optimize::minimize, filter);
      };
      EXPECT_GT(p_value(c, effort(4'000), draw), 1e-9) << c.name;
    }
  }
}

TEST(Selection, MaximizingMirrorsMinimizing) {
  RandomBits bits = RandomBits::system();
  const Case up{"up", {4, 8, 9, 10}, {}, "1/2"};
  const Case down{"down", {6, 2, 1, 0}, {}, "1/2"};
  Scores counts(4);
  for (std::uint64_t i = 0; i < effort(100'000); ++i) {
    ++counts[select_softmax(up.scores, Exponent::parse("1/2"), bits, Optimize::maximize)];
  }
  EXPECT_GT(chi_square_p(counts, law_of(down)), 1e-9);
  Scores reference(4);
  for (std::uint64_t i = 0; i < effort(4'000); ++i) {
    ++reference[select_gumbel(up.scores, {}, Exponent::parse("1/2"), bits, Optimize::maximize)];
  }
  EXPECT_GT(chi_square_p(reference, law_of(down)), 1e-9);
}

TEST(Selection, ASamplerWrongByOneThousandthIsCaught) {
  const Case c{"coin", {0, 1}, {}, "1"};
  const std::vector<double> law = law_of(c);
  std::mt19937_64 random(5);
  std::bernoulli_distribution wrong(law[0] + 1e-3);
  Scores counts(2);
  for (int i = 0; i < 20'000'000; ++i) ++counts[wrong(random) ? 0 : 1];
  EXPECT_LT(chi_square_p(counts, law), 1e-9);
}

TEST(Selection, ExtremeRatesEndAndAreRight) {
  RandomBits bits = RandomBits::system();
  const Scores scores{5, 4, 900, std::uint64_t{1} << 63};
  for (const char* rate : {"1e300", "1e9999", "1e18"}) {
    EXPECT_EQ(select_softmax(scores, Exponent::parse(rate), bits), 1U) << rate;
    EXPECT_EQ(select_gumbel(scores, {}, Exponent::parse(rate), bits), 1U) << rate;
  }
  for (const char* rate : {"1e-300", "1e-9999", "0"}) {
    Scores counts(4);
    for (std::uint64_t i = 0; i < effort(20'000); ++i) ++counts[select_softmax(scores, Exponent::parse(rate), bits)];
    EXPECT_GT(chi_square_p(counts, {0.25, 0.25, 0.25, 0.25}), 1e-9) << rate;
  }
}

/// The p-value of the scores of many drawn indices.
double p_value_by_score(const Case& c, RandomBits& bits, Filter filter) {
  std::map<std::uint64_t, double> exact;
  std::map<std::uint64_t, std::uint64_t> drawn;
  const std::vector<double> by_index = law_of(c);
  for (std::size_t i = 0; i < c.scores.size(); ++i) exact[c.scores[i]] += by_index[i];
  for (std::uint64_t i = 0; i < effort(20'000); ++i) ++drawn[c.scores[majorant_draw(c, bits, filter)]];
  std::vector<double> law;
  Scores counts;
  for (const auto& [score, probability] : exact) {
    law.push_back(probability);
    counts.push_back(drawn[score]);
  }
  return chi_square_p(counts, law);
}

TEST(Selection, HasTheSoftmaxLawInEveryInstructionSet) {
  testing::on_every_instruction_set([] {
    RandomBits bits = RandomBits::system();
    for (const std::size_t k : {3U, 13U, 90U, 1100U}) {
      Case plain{"plain", Scores(k), {}, "ln 2"};
      for (std::size_t i = 0; i < k; ++i) plain.scores[i] = 5 + i * 5 % 7;
      Case runs{"runs", plain.scores, Scores(k), "ln 2"};
      for (std::size_t i = 0; i < k; ++i) runs.lengths[i] = i * i % 11 * (i % 3 == 0 ? 1000 : 1);
      for (const Case& c : {plain, runs}) {
        for (const Filter filter : {Filter{}, Filter::stress()}) {
          EXPECT_GT(p_value_by_score(c, bits, filter), 1e-9) << c.name << " " << k;
        }
      }
    }
  });
}

TEST(Selection, RefusesWhatHasNoLaw) {
  RandomBits bits = RandomBits::system();
  EXPECT_THROW(select_softmax(Scores{}, Exponent(Rational(1)), bits), Error);
  EXPECT_THROW(select_softmax(Scores{1, 2}, Scores{0, 0}, Exponent(1), bits), Error);
  EXPECT_THROW(select_softmax(Scores{1, 2}, Scores{1}, Exponent(1), bits), Error);
  EXPECT_THROW(select_softmax(Scores{1, 2}, Scores{std::uint64_t{1} << 62, std::uint64_t{1} << 62}, Exponent(1), bits),
               Error);
  EXPECT_THROW(select_gumbel({}, {}, Exponent(1), bits), Error);
  RandomBits broken =
      RandomBits::from_source([](std::span<std::byte>) { throw Error(ErrorCode::internal, "no bits"); });
  EXPECT_THROW(select_softmax(Scores{1, 2}, Exponent(1), broken), Error);
}

TEST(Majorant, IsNeverBelowTheWeightAndNeverFarAbove) {
  std::mt19937_64 random(2);
  double worst = 0;
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (std::uint64_t i = 0; i < effort(20'000); ++i) {
      const std::uint64_t gap = random() >> (random() % 64);
      const std::uint64_t length = i % 3 == 0 ? 1 : (random() >> (1 + random() % 62)) + 1;
      const Exponent rate(
          Rational::dyadic(static_cast<std::int64_t>(random() >> 20), static_cast<int>(random() % 120) - 100));
      const RateBounds bounds(rate);
      std::fesetround(mode);
      const uint128 w = bounds.majorant(gap, length);
      std::fesetround(FE_TONEAREST);
      const Enclosure share = acceptance_enclosure(rate, gap, length, w, 128);
      ASSERT_TRUE(certainly_at_most(share, Enclosure::of(Rational(1))) || gap == 0 || rate.is_zero())
          << rate.to_string() << " gap " << gap << " length " << length;
      ASSERT_LE(least_acceptance(w), share.lower_double()) << rate.to_string() << " gap " << gap;
      if (w > 1'000'000) worst = std::max(worst, 1 / share.to_double());
    }
  }
  EXPECT_LT(worst, 1.06149);
  EXPECT_GT(worst, 1.05);
}

// More rates in turn than are kept, and equal rates that are written differently.
TEST(Majorant, OfAKeptRateIsThatOfTheRate) {
  const auto majorants = [](const RateBounds& bounds) {
    std::vector<uint128> all;
    for (const std::uint64_t gap : {1U, 7U, 1'000U}) all.push_back(bounds.majorant(gap, 12'345));
    return all;
  };
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t i = 1; i < 20; ++i) {
      for (const Exponent& rate :
           {Exponent(Rational(1, i)), Exponent::log(Rational(i + 1), Rational(1, 7)), Exponent::log(9, Rational(1, i)),
            Exponent::log(3, Rational(2, i)), Exponent(Rational::parse("1e-30") / Rational(i))}) {
        EXPECT_TRUE(majorants(RateBounds::of(rate)) == majorants(RateBounds(rate))) << rate.to_string();
        EXPECT_EQ(RateBounds::of(rate).bits_per_unit(), RateBounds(rate).bits_per_unit());
      }
    }
  }
}

TEST(Majorant, AcceptanceBoundsContainTheProbability) {
  std::mt19937_64 random(3);
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (std::uint64_t i = 0; i < effort(20'000); ++i) {
      const std::uint64_t gap = random() >> (random() % 64);
      const std::uint64_t length = (random() >> (1 + random() % 62)) + 1;
      const Exponent rate(
          Rational::dyadic(static_cast<std::int64_t>(random() >> 20), static_cast<int>(random() % 120) - 100));
      const RateBounds bounds(rate);
      std::fesetround(mode);
      const uint128 w = bounds.majorant(gap, length);
      const Bounds first = bounds.acceptance(gap, length, w);
      std::fesetround(FE_TONEAREST);
      const Enclosure p = acceptance_enclosure(rate, gap, length, w, 200);
      ASSERT_LE(first.lower, p.lower_double()) << rate.to_string() << " gap " << gap;
      ASSERT_GE(first.upper, p.upper_double()) << rate.to_string() << " gap " << gap;
    }
  }
}

TEST(Majorant, OfUnitScoresIsNeverBelowTheWeightAndNeverFarAbove) {
  std::mt19937_64 random(4);
  double worst = 0;
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (std::uint64_t i = 0; i < effort(20'000); ++i) {
      const std::uint64_t gap = random() >> (random() % 64);
      const Exponent rate(
          Rational::dyadic(static_cast<std::int64_t>(random() >> 20), static_cast<int>(random() % 120) - 100));
      const RateBounds bounds(rate);
      const UnitMajorant majorant(bounds.bits_per_unit());
      std::fesetround(mode);
      const std::uint64_t w = majorant(gap);
      std::fesetround(FE_TONEAREST);
      const Enclosure share = acceptance_enclosure(rate, gap, 1, uint128{w} << 2, 128);
      ASSERT_TRUE(certainly_at_most(share, Enclosure::of(Rational(1)))) << rate.to_string() << " gap " << gap;
      ASSERT_LE(w, std::uint64_t{1} << 52);
      ASSERT_LE(least_acceptance(w), share.lower_double()) << rate.to_string() << " gap " << gap;
      if (w > 1'000'000) worst = std::max(worst, 1 / share.to_double());
    }
  }
  EXPECT_LT(worst, 1.0615);
  EXPECT_GT(worst, 1.05);
}

TEST(Majorant, BlocksSumWhatTheirMembersSay) {
  std::mt19937_64 random(5);
  for (const std::uint64_t flip : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    for (std::uint64_t i = 0; i < effort(200); ++i) {
      std::vector<std::uint64_t> scores(random() % 600 + 1);
      const int width = static_cast<int>(random() % 64);
      for (std::uint64_t& score : scores) score = random() >> width;
      const UnitMajorant majorant(
          std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 80) - 70));
      const std::uint64_t best = least_score(scores, flip);
      std::uint64_t least = ~std::uint64_t{0};
      std::uint64_t sum = 0;
      for (const std::uint64_t score : scores) least = std::min(least, score ^ flip);
      for (const std::uint64_t score : scores) sum += majorant((score ^ flip) - least);
      ASSERT_EQ(best, least);
      ASSERT_EQ(unit_mass(majorant, scores, flip, best), sum);
      std::vector<std::uint64_t> masses(scores.size());
      unit_masses(majorant, scores, flip, best, masses.data());
      for (std::size_t k = 0; k < scores.size(); ++k) ASSERT_EQ(masses[k], majorant((scores[k] ^ flip) - best));
    }
  }
}

TEST(Majorant, ATailProposalIsDecidedExactly) {
  // Masses for gaps 0 and 60: the target just above the first proposes the second.
  const Scores scores{0, 60};
  const Exponent rate = Exponent::parse("1");
  const UnitMajorant majorant(RateBounds(rate).bits_per_unit());
  const std::uint64_t total = majorant(0) + majorant(60);
  const std::uint64_t propose_tail = word_that_draws(majorant(0), total);
  const std::uint64_t propose_best = word_that_draws(0, total);
  // Its coin: exp(-60) 2^51 / W. A uniform of 0 accepts; one just above p rejects, and then the best is proposed.
  SelectionCost cost;
  RandomBits accepts = placed_bits({propose_tail, 0, 0});
  EXPECT_EQ(detail::select_softmax(scores, rate, accepts, Optimize::minimize, {}, &cost), 1U);
  const double p = std::exp(-60.0) * 0x1p51 / static_cast<double>(majorant(60));
  RandomBits rejects =
      placed_bits({propose_tail, static_cast<std::uint64_t>(std::ldexp(p * 1.000001, 64)), propose_best, 0});
  EXPECT_EQ(detail::select_softmax(scores, rate, rejects, Optimize::minimize, {}, &cost), 0U);
  EXPECT_EQ(cost.trials, 3U);
}

TEST(Majorant, CoinsAreRightAroundTheirFirstBound) {
  std::mt19937_64 random(6);
  const Exponent rate = Exponent::parse("1/1000");
  const RateBounds bounds(rate);
  for (const std::uint64_t gap : {1U, 7U, 386U, 900U}) {  // 386: 0.557 bits, where the chord is farthest
    const uint128 w = bounds.majorant(gap, 1);
    const double p = acceptance_enclosure(rate, gap, 1, w, 128).to_double();
    for (const double edge : {0.9375, p}) {
      for (const int offset : {-1'000'000, -2, -1, 0, 1, 2, 1'000'000}) {
        const std::uint64_t prefix =
            static_cast<std::uint64_t>(std::ldexp(edge, 64)) + static_cast<std::uint64_t>(std::int64_t{offset} * 2048);
        RandomBits bits = placed_bits({prefix, random(), random()});
        const bool kept = accept(bounds, rate, gap, 1, w, least_acceptance(w), bits, {}, nullptr);
        if (offset == 0) continue;  // too near for doubles: the other tests of coins
        EXPECT_EQ(kept, edge < 0.94 || offset < 0) << gap << " " << edge << " " << offset;
      }
    }
  }
}

TEST(Majorant, TheKeptRateIsThatOfTheCall) {
  for (const char* text : {"1", "ln 2", "ln 3", "2 ln 3", "1", "1", "0", "123456789012345678901234567890/7", "1"}) {
    const Exponent rate = Exponent::parse(text);
    EXPECT_EQ(RateBounds::of(rate).bits_per_unit(), RateBounds(rate).bits_per_unit()) << text;
  }
}

TEST(Selection, OfAnyNumberHasTheSoftmaxLaw) {
  // Four scores of four classes, among so many that rows, blocks and the list of blocks all are used.
  RandomBits bits = RandomBits::system();
  for (const std::size_t k : {64U, 65U, 600U, 40'000U}) {
    Case c{"many", Scores(k), {}, "1/2"};
    for (std::size_t i = 0; i < k; ++i) c.scores[i] = 1000 + i * 7 % 4;
    const std::vector<double> law = law_of(c);
    std::vector<double> classes(8);  // by score, and by half
    Scores counts(8);
    const auto class_of = [&](std::size_t i) { return c.scores[i] - 1000 + (2 * i >= k ? 4 : 0); };
    for (std::size_t i = 0; i < k; ++i) classes[class_of(i)] += law[i];
    for (std::uint64_t i = 0; i < effort(k > 1000 ? 5'000 : 100'000); ++i) {
      ++counts[class_of(select_softmax(c.scores, Exponent::parse(c.rate), bits))];
    }
    EXPECT_GT(chi_square_p(counts, classes), 1e-9) << k;
  }
}

RunMajorant fitted(const Scores& scores, const Scores& lengths, const Exponent& rate) {
  RunMajorant majorant(RateBounds(rate).bits_per_unit());
  const RunSpan runs{scores, lengths, 0};
  majorant.fit(largest_weight(majorant, runs, least_score(runs)));
  return majorant;
}

TEST(Majorant, ARunInTheTailIsDecidedExactly) {
  const Scores scores{0, 60};
  const Scores lengths{1, 1'000'000};
  const Exponent rate = Exponent::parse("1");
  const RunMajorant majorant = fitted(scores, lengths, rate);
  const std::uint64_t total = majorant(0, lengths[0]) + majorant(60, lengths[1]);
  const std::uint64_t propose_tail = word_that_draws(total - 1, total);
  const std::uint64_t propose_best = word_that_draws(0, total);
  RandomBits accepts = placed_bits({propose_tail, 0, 0});
  EXPECT_EQ(select_softmax(scores, lengths, rate, accepts), 1U);
  const double p =
      1e6 * std::exp(-60.0) * std::ldexp(1.0, majorant.unit_bits()) / static_cast<double>(majorant(60, lengths[1]));
  RandomBits rejects =
      placed_bits({propose_tail, static_cast<std::uint64_t>(std::ldexp(p * 1.000001, 64)), propose_best, 0});
  EXPECT_EQ(select_softmax(scores, lengths, rate, rejects), 0U);
}

TEST(Majorant, BlocksAreCrossedExactly) {
  // 1500 equal scores of equal masses: the target names the member. The coin accepts at 0.
  const Scores scores(1500, 4);
  const Scores lengths(1500, 3);
  const Exponent rate = Exponent::parse("1");
  const std::uint64_t mass = UnitMajorant(RateBounds(rate).bits_per_unit())(0);
  const std::uint64_t run_mass = fitted(scores, lengths, rate)(0, 3);
  for (const std::uint64_t k : {0U, 1U, 63U, 64U, 511U, 512U, 513U, 575U, 576U, 1023U, 1024U, 1499U}) {
    RandomBits unit = placed_bits({word_that_draws(k * mass + 12345, 1500 * mass), 0});
    EXPECT_EQ(select_softmax(scores, rate, unit), k);
    RandomBits runs = placed_bits({word_that_draws(k * run_mass + 12345, 1500 * run_mass), 0});
    EXPECT_EQ(select_softmax(scores, lengths, rate, runs), k);
  }
}

}  // namespace
}  // namespace fractile
