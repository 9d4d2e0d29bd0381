#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t no_limit = std::uint64_t{1} << 32;

QuantileFraction fraction(std::int64_t num, std::int64_t den) { return QuantileFraction::of(Rational(num, den)); }

/// rank_score / den of each candidate 0 .. n-1 when the data are 0 .. n-1, as in section 1.1 of both papers.
std::vector<Rational> paper_scores(std::uint64_t n, const QuantileFraction& alpha) {
  std::vector<Rational> scores;
  for (std::uint64_t c = 0; c < n; ++c) {
    const std::uint64_t score = rank_score(alpha, c, 1, n, no_limit);
    scores.push_back(-Rational(score, alpha.denominator));
  }
  return scores;
}

std::vector<Rational> rationals(std::initializer_list<const char*> texts) {
  std::vector<Rational> result;
  for (const char* text : texts) result.push_back(Rational::parse(text));
  return result;
}

// quantile-score-candidates 2022 and 2025, section 1.1.
TEST(RankScore, GivesThePapersExamples) {
  EXPECT_EQ(paper_scores(5, fraction(1, 2)), rationals({"-2", "-1", "0", "-1", "-2"}));
  EXPECT_EQ(paper_scores(6, fraction(1, 2)), rationals({"-2.5", "-1.5", "-0.5", "-0.5", "-1.5", "-2.5"}));
  EXPECT_EQ(paper_scores(5, fraction(1, 4)), rationals({"-1", "0", "-1", "-2", "-3"}));
  EXPECT_EQ(paper_scores(6, fraction(1, 4)), rationals({"-1.25", "-0.25", "-0.75", "-1.75", "-2.75", "-3.75"}));
}

// 40 zeros and 60 tens: 10 is a median, and the papers' score prefers every candidate between.
TEST(Scores, OnlyTheIntervalScoreFindsATiedMedian) {
  const QuantileFraction half = fraction(1, 2);
  EXPECT_EQ(rank_score(half, 40, 60, 100, no_limit), 40U);
  EXPECT_EQ(rank_score(half, 40, 0, 100, no_limit), 20U);
  EXPECT_EQ(interval_score(half, 40, 60, 100), 0U);
  EXPECT_EQ(interval_score(half, 40, 0, 100), 20U);
  EXPECT_EQ(interval_score(half, 0, 40, 100), 20U);
}

TEST(Scores, CountsBeyondTheLimitAreCut) {
  EXPECT_EQ(rank_score(fraction(1, 2), 10, 0, 10, 6), 6U);  // |2 * 6 - 1 * 6|
  EXPECT_EQ(rank_score(fraction(1, 2), 10, 0, 10, 10), 10U);
  // Equation 7 cuts what is left after the ties.
  EXPECT_EQ(rank_score(fraction(1, 2), 2, 10, 14, 6), 0U);  // |2 * 2 - 1 * 4|
  EXPECT_EQ(rank_score(fraction(1, 2), 1, 10, 20, 6), 4U);  // |2 * 1 - 1 * 6|
}

// Section 2 of the 2025 paper samples tables down to a limit, here 3 records: 1, 2 and 3. If 0 is added, the sample may be 0, 1 and 2, which
// moves the score of 2.5 like a changed record.
TEST(Scores, SamplingDownWouldMoveThemLikeAChangedRecord) {
  const QuantileFraction half = fraction(1, 2);
  EXPECT_EQ(rank_score(half, 2, 0, 3, no_limit), 1U);
  EXPECT_EQ(rank_score(half, 3, 0, 4, no_limit), 2U);  // all four records: moved by max(1, 2 - 1)
  EXPECT_EQ(rank_score(half, 3, 0, 3, no_limit), 3U);  // the sample: moved by 2, the denominator
}

TEST(Scores, AQuantileIsAFractionOfTheUnitInterval) {
  EXPECT_THROW(QuantileFraction::of(Rational(-1, 2)), Error);
  EXPECT_THROW(QuantileFraction::of(Rational(3, 2)), Error);
  EXPECT_THROW(QuantileFraction::of(Rational::parse("0.1234567891")), Error);
  EXPECT_EQ(QuantileFraction::of(Rational::parse("0.57")).numerator, 57U);  // not 0.5699
}

struct Counts {
  std::uint64_t below, equal, above;
  std::uint64_t n() const { return below + equal + above; }
};

/// A candidate's counts after one record is added below (0), on (1) or above (2) it.
Counts with_record(Counts c, int where) {
  (where == 0 ? c.below : where == 1 ? c.equal : c.above) += 1;
  return c;
}

std::int64_t score(bool interval, const QuantileFraction& alpha, const Counts& c, std::uint64_t limit) {
  return static_cast<std::int64_t>(interval ? interval_score(alpha, c.below, c.equal, c.n())
                                            : rank_score(alpha, c.below, c.equal, c.n(), limit));
}

// quantile-score-candidates 2025, Lemma 4.1; the interval score by docs/proofs/scores.md.
TEST(Scores, OneRecordMovesThemByAtMostTheSensitivity) {
  EXPECT_TRUE(rc::check("add or remove", [] {
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 50);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto count = [] { return *rc::gen::inRange<std::uint64_t>(0, 40); };
    const Counts before{count(), count(), count()};
    const Counts after = with_record(before, *rc::gen::inRange(0, 3));
    const auto most = static_cast<std::int64_t>(std::max(alpha.numerator, den - alpha.numerator));
    for (const bool interval : {false, true}) {
      const std::int64_t moved = score(interval, alpha, after, no_limit) - score(interval, alpha, before, no_limit);
      RC_ASSERT(std::abs(moved) <= most);
    }
  }));
}

// Lemma 4.1 fails where the size limit cuts only one of the two counts: the step that drops both min() is not an
// inequality. alpha 1/3, limit 3, five records above: one more below moves the score from 3 to 0, and the lemma allows 2.
TEST(Scores, ABindingSizeLimitBreaksThePapersLemma) {
  const QuantileFraction third = fraction(1, 3);
  EXPECT_EQ(rank_score(third, 0, 0, 5, 3), 3U);
  EXPECT_EQ(rank_score(third, 1, 0, 6, 3), 0U);
  EXPECT_TRUE(rc::check("the denominator bounds it", [] {
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 50);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto count = [] { return *rc::gen::inRange<std::uint64_t>(0, 40); };
    const Counts before{count(), count(), count()};
    const Counts after = with_record(before, *rc::gen::inRange(0, 3));
    const std::uint64_t limit = count();
    const std::int64_t moved = score(false, alpha, after, limit) - score(false, alpha, before, limit);
    RC_ASSERT(std::abs(moved) <= static_cast<std::int64_t>(den));
  }));
}

// Lemma 4.2 of the 2025 paper claims 2 den for a changed record; den is enough (and is what our releases pay).
TEST(Scores, OneChangedRecordMovesThemByAtMostTheDenominator) {
  EXPECT_TRUE(rc::check("change one", [] {
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 50);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto count = [] { return *rc::gen::inRange<std::uint64_t>(0, 40); };
    const Counts rest{count(), count(), count()};
    const Counts before = with_record(rest, *rc::gen::inRange(0, 3));
    const Counts after = with_record(rest, *rc::gen::inRange(0, 3));
    for (const bool interval : {false, true}) {
      const std::int64_t moved = score(interval, alpha, after, no_limit) - score(interval, alpha, before, no_limit);
      RC_ASSERT(std::abs(moved) <= static_cast<std::int64_t>(den));
    }
  }));
}

// Products of a denominator and a number of records need 79 bits: a score is exact up to 2^63 - 1, and no larger.
TEST(Scores, OfAnyNumberOfRecordsAndAnyDenominatorKeepTheirSensitivity) {
  EXPECT_TRUE(rc::check("add or remove, near the ends of 63 bits", [] {
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, (std::uint64_t{1} << 31) + 1);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto count = [&] {
      const std::uint64_t around = std::min(RankProfile::max_records / 4, farthest_score / den);
      return *rc::gen::inRange<std::uint64_t>(around - around / 1000, around + around / 1000 + 2);
    };
    const Counts before{count(), count(), count()};
    const Counts after = with_record(before, *rc::gen::inRange(0, 3));
    const auto most = static_cast<std::int64_t>(std::max(alpha.numerator, den - alpha.numerator));
    const auto exact = [&](const Counts& c) {
      const auto times = [](std::uint64_t a, std::uint64_t b) { return Rational(a) * Rational(b); };
      const Rational above = times(den, c.below) - times(alpha.numerator, c.n());
      const Rational under = times(alpha.numerator, c.n()) - times(den, c.below + c.equal);
      return std::min(times(farthest_score, 1), std::max(Rational(0), std::max(above, under)));
    };
    RC_ASSERT(Rational(score(true, alpha, before, no_limit)) == exact(before));
    RC_ASSERT(std::abs(score(true, alpha, after, no_limit) - score(true, alpha, before, no_limit)) <= most);
  }));
  EXPECT_EQ(interval_score({1, 1}, 0, 0, farthest_score), farthest_score);
  EXPECT_EQ(interval_score({1, 2}, 0, 0, farthest_score), farthest_score);
  EXPECT_EQ(interval_score({2147483647, 2147483648}, 0, 0, RankProfile::max_records), farthest_score);
  EXPECT_EQ(interval_score({1, 2147483648}, RankProfile::max_records, 0, RankProfile::max_records), farthest_score);
}

}  // namespace
}  // namespace fractile
