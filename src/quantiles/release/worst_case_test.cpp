#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "support/preliminary_outcome.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::as_if_found;
using testing::effort;
using testing::profile_of;

QuantileQuery query_for(std::initializer_list<const char*> quantiles, const Budget& budget,
                        Mechanism mechanism = Mechanism::automatic) {
  QuantileQuery query{{}, budget};
  for (const char* q : quantiles) query.quantiles.push_back(Rational::parse(q));
  query.mechanism = mechanism;
  return query;
}

Budget epsilon(const char* text) { return Budget::pure(Exponent::parse(text)); }

// By hand: ages 0 .. 125, the median at epsilon 1. exp(-r) a rank, 125 other candidates, odds 1/19: r = ceil(ln(125 * 19)) = 8.
TEST(WorstCase, OfOneQuantileIsTheLemmas) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  QuantileQuery query = query_for({"1/2"}, epsilon("1"), Mechanism::exponential);
  const WorstCase worst = worst_case(query, ages, Rational(19, 20));
  ASSERT_EQ(worst.ranks.size(), 1U);
  EXPECT_EQ(worst.ranks[0], 8U);
  EXPECT_EQ(worst.simultaneous_rank, 8U);
  query.budget = epsilon("1/10");
  EXPECT_EQ(worst_case(query, ages, Rational(19, 20)).ranks[0], 78U);  // 10 ln 2375 = 77.7
  query.quantiles = {Rational(0)};                                     // monotone: twice the slope
  query.budget = epsilon("1");
  EXPECT_EQ(worst_case(query, ages, Rational(19, 20)).ranks[0], 8U);
}

TEST(WorstCase, OneCandidateIsNeverWrong) {
  const WorstCase worst = worst_case(query_for({"1/2"}, epsilon("1/1000"), Mechanism::exponential),
                                     Lattice::regular(7, 7, 1), Rational(1, 2));
  EXPECT_EQ(worst.ranks[0], 0U);
}

// With a selected total, a rank costs most at the middle pivot (lemma 3), and as much at both ends.
TEST(WorstCase, OfJointQuantilesDependsOnWhatARankCostsAtEach) {
  const Lattice values = Lattice::regular(0, 100'000, 1);
  const QuantileQuery query = query_for({"1/20", "1/2", "19/20"}, epsilon("1"), Mechanism::joint_total);
  const WorstCase worst = worst_case(query, values, Rational(19, 20));
  ASSERT_EQ(worst.ranks.size(), 3U);
  EXPECT_LT(worst.ranks[1], worst.ranks[0]);
  EXPECT_EQ(worst.ranks[2], worst.ranks[0]);
}

/// Rank errors of releases of a table, sorted, for each quantile and (last) the largest of each release.
std::vector<std::vector<double>> errors_of(const QuantileQuery& query, const RankProfile& table,
                                           std::uint64_t releases) {
  std::vector<std::vector<double>> errors(query.quantiles.size() + 1);
  RandomBits bits = RandomBits::system();
  for (std::uint64_t i = 0; i < releases; ++i) {
    const Release release = fractile::release(table, query, bits);
    double largest = 0;
    for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
      const QuantileFraction alpha = QuantileFraction::of(query.quantiles[j]);
      const std::uint64_t c = release.only().indices[j];
      const double error = static_cast<double>(interval_score(alpha, table.below(c), table.equal(c), table.records())) /
                           static_cast<double>(alpha.denominator);
      errors[j].push_back(error);
      largest = std::max(largest, error);
    }
    errors.back().push_back(largest);
  }
  return errors;
}

double share_above(const std::vector<double>& errors, std::uint64_t bound) {
  const auto above = std::ranges::count_if(errors, [&](double error) { return error > static_cast<double>(bound); });
  return static_cast<double>(above) / static_cast<double>(errors.size());
}

/// Tables with half of the records at each end, all at the last value, all in the middle, or one step apart.
std::vector<RankProfile> adversaries(const Lattice& lattice, std::uint64_t rows) {
  const std::uint64_t candidates = lattice.size();
  const Position last = 2 * candidates - 1;
  std::map<Position, std::uint64_t> close;
  for (std::uint64_t i = 0; i < rows; ++i) ++close[2 * ((candidates / 3 + i) % candidates) + 1];
  return {profile_of(lattice, {{1, rows / 2}, {last, rows - rows / 2}}), profile_of(lattice, {{last, rows}}),
          profile_of(lattice, {{candidates | 1, rows}}), profile_of(lattice, close)};
}

// On adversarial tables the bound is exceeded in at most the stated share of the releases.
TEST(WorstCase, IsKeptOnAdversarialTables) {
  const std::uint64_t rows = 600;
  const Lattice coarse = Lattice::regular(0, 999, 1);
  const Lattice fine = Lattice::regular(0, 100'000, Rational(1, 100));
  const std::vector<QuantileQuery> queries{
      query_for({"1/2"}, epsilon("1"), Mechanism::exponential),
      query_for({"1/4", "1/2", "3/4"}, epsilon("1"), Mechanism::approximate),
      query_for({"1/4", "1/2", "3/4"}, epsilon("1")),
      query_for({"1/10", "1/2", "9/10"}, epsilon("2"), Mechanism::joint),
      query_for({"0.1", "0.2", "0.5", "0.7", "0.9"}, epsilon("2"), Mechanism::joint_tree),
      query_for({"1/4", "1/2", "3/4"}, epsilon("3"), Mechanism::independent),
      query_for({"1/4", "1/2", "3/4"}, Budget::zcdp(Rational(1, 2))),
  };
  for (const Lattice& lattice : {coarse, fine}) {
    for (QuantileQuery query : queries) {
      query.expected_rows = rows;
      query.interpolate = false;
      const WorstCase worst = worst_case(query, lattice, Rational(4, 5));
      ASSERT_EQ(worst.unbounded_reason, "");
      for (const RankProfile& table : adversaries(lattice, rows)) {
        const auto errors = errors_of(query, table, effort(query.quantiles.size() > 1 ? 300 : 3000));
        for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
          EXPECT_LE(share_above(errors[j], worst.ranks[j].value()), 0.2) << to_string(query.mechanism) << ' ' << j;
        }
        EXPECT_LE(share_above(errors.back(), worst.simultaneous_rank.value()), 0.2) << to_string(query.mechanism);
      }
    }
  }
}

// A median's worst table: all records at one value, so that all other candidates miss by half of them.
TEST(WorstCase, OfOneQuantileIsAttained) {
  const Lattice lattice = Lattice::regular(0, 999, 1);
  QuantileQuery query = query_for({"1/2"}, epsilon("1"), Mechanism::exponential);
  const Rational confidence(4, 5);
  const std::uint64_t bound = worst_case(query, lattice, confidence).ranks[0].value();
  // 2 bound records, all at one value: every other candidate misses by `bound`. With two more records, it misses by more.
  const RankProfile table = profile_of(lattice, {{1001, 2 * bound}});
  const auto errors = errors_of(query, table, effort(20'000));
  const double share = share_above(errors[0], bound - 1);
  EXPECT_GT(share, 0.05);  // a bound that forgets the number of candidates allows 0.2 at r = 2, where the share is 0.99
  EXPECT_LE(share_above(errors[0], bound), 0.2);
}

TEST(WorstCaseMutant, ABoundWithoutTheNumberOfCandidatesIsCaught) {
  const Lattice lattice = Lattice::regular(0, 999, 1);
  const QuantileQuery query = query_for({"1/2"}, epsilon("1"), Mechanism::exponential);
  const std::uint64_t forgetful = worst_case(query, Lattice::regular(0, 1, 1), Rational(4, 5)).ranks[0].value();
  const RankProfile table = profile_of(lattice, {{1001, 2 * forgetful + 2}});
  EXPECT_GT(share_above(errors_of(query, table, effort(2000))[0], forgetful), 0.5);
}

TEST(WorstCase, FallsWithEpsilonAndWithTheRowsKnown) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  QuantileQuery query = query_for({"0.1", "0.25", "0.5", "0.75", "0.9"}, epsilon("1"));
  const std::uint64_t unknown = worst_case(query, lattice, Rational(19, 20)).ranks[2].value();
  query.expected_rows = 50'000;
  const std::uint64_t known = worst_case(query, lattice, Rational(19, 20)).ranks[2].value();
  EXPECT_LT(known, unknown);
  query.budget = epsilon("2");
  const std::uint64_t twice = worst_case(query, lattice, Rational(19, 20)).ranks[2].value();
  EXPECT_LT(twice, known * 6 / 10);
  EXPECT_GT(twice, known * 4 / 10);
  EXPECT_GE(worst_case(query, lattice, Rational(999, 1000)).ranks[2].value(), twice);
}

QuantileQuery fortieths(const Budget& budget, Mechanism mechanism = Mechanism::automatic) {
  QuantileQuery query{{}, budget};
  for (int i = 1; i < 40; ++i) query.quantiles.emplace_back(i, 40);
  query.mechanism = mechanism;
  return query;
}

/// Fails unless the existing bounds, at a confidence of 4/5, are exceeded in at most a fifth of the releases.
void expect_kept(const QuantileQuery& query, const RankProfile& table, std::uint64_t releases = 100) {
  const WorstCase worst = worst_case(query, table.lattice(), Rational(4, 5));
  ASSERT_TRUE(std::ranges::any_of(worst.ranks, [](const auto& ranks) { return ranks.has_value(); }));
  const auto errors = errors_of(query, table, effort(releases, 10));
  for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
    if (!worst.ranks[j]) continue;
    EXPECT_LE(share_above(errors[j], *worst.ranks[j]), 0.2) << to_string(query.mechanism) << ' ' << j;
  }
  if (worst.simultaneous_rank) {
    EXPECT_LE(share_above(errors.back(), *worst.simultaneous_rank), 0.2) << to_string(query.mechanism);
  }
}

TEST(WorstCase, OfCountsIsKeptOnAdversarialTables) {
  const std::uint64_t rows = 3000;
  for (const std::uint64_t candidates : {2U, 16U, 17U, 201U}) {
    const Lattice lattice = Lattice::numbers(candidates);
    for (QuantileQuery query : {fortieths(epsilon("1")), fortieths(Budget::zcdp(Rational(1, 2)), Mechanism::tree)}) {
      query.expected_rows = rows;
      for (const RankProfile& table : adversaries(lattice, rows)) expect_kept(query, table);
    }
  }
}

// By hand: a median among 16 counts, rate 1: a sum of them errs by more than s with at most 2 (1 - t^2)^-16 exp(-t s), and 2 * 16
// are looked at. The best of the t = k/16 is 1/2: s = 2 (ln 1280 + 16 ln(4/3)) = 23.5.
TEST(WorstCase, OfCountsIsTheLemmas) {
  const QuantileQuery query = query_for({"1/2"}, epsilon("1"), Mechanism::tree);
  EXPECT_EQ(worst_case(query, Lattice::regular(1, 16, 1), Rational(19, 20)).ranks[0], 49U);
}

// By hand: 201 candidates under 14 nodes of up to 15, rho = 1/2, variance 2: sqrt(2 * 2 * 15 ln(4 * 215 * 20)), four times.
TEST(WorstCase, OfCountsOnTwoLevelsIsTheLemmas) {
  const QuantileQuery query = query_for({"1/2"}, Budget::zcdp(Rational(1, 2)), Mechanism::tree);
  const double s = std::sqrt(60 * std::log(4 * 215 * 20));
  EXPECT_EQ(worst_case(query, Lattice::regular(0, 200, 1), Rational(19, 20)).ranks[0],
            static_cast<std::uint64_t>(std::ceil(4 * s + 1)));
}

// Every seventh record is finer than the found grid: rounding moves quantiles past as many ranks.
TEST(WorstCase, OfCountsOnAGridThatIsFoundTellsOfFinerRecords) {
  const Lattice fine = Lattice::regular(0, 300, Rational(1, 1000));
  const std::uint64_t rows = 20'000;
  QuantileQuery query = fortieths(epsilon("1"));
  query.expected_rows = rows;
  const WorstCase worst = worst_case(query, fine, Rational(4, 5));
  EXPECT_GT(worst.largest().value(), rows / 5);
  EXPECT_LT(worst.largest().value(), rows / 2);
  EXPECT_GT(worst.rounding.value(), rows / 5);
  EXPECT_LT(worst.rounding.value(), worst.largest().value());
  const std::uint64_t finer = rows * 15 / 100;
  std::map<Position, std::uint64_t> close{{2 * 150'499 + 1, finer}};  // 150.499 is counted as 150
  for (std::uint64_t i = 0; i < rows - finer; ++i) ++close[2 * (1000 * (100 + i % 100)) + 1];
  const RankProfile table = profile_of(fine, close);
  expect_kept(query, table);
  const auto errors = errors_of(query, table, effort(30, 5));
  EXPECT_GT(errors.back()[0], static_cast<double>(finer) / 2);  // so a bound that forgets them is exceeded
  RandomBits bits = RandomBits::system();
  const Release release = fractile::release(table, query, bits);
  EXPECT_EQ(release.only().used.mechanism, Mechanism::tree);
  EXPECT_LE(worst_case(release, Rational(4, 5)).largest().value(), worst.largest().value());
}

TEST(WorstCase, OfInterpolatedQuantilesOnAGridThatIsFoundTellsOfFinerRecords) {
  const Lattice fine = Lattice::regular(0, 10'000, Rational(1, 100));
  const std::uint64_t rows = 20'000;
  QuantileQuery query{{}, epsilon("1/2")};  // 10,000 / 55 cells: interpolated
  for (int i = 1; i < 300; ++i) query.quantiles.emplace_back(i, 300);
  query.expected_rows = rows;
  const RankProfile table = reference_table(fine, Shape::normal, rows);
  expect_kept(query, table, 20);
  RandomBits bits = RandomBits::system();
  const Release release = fractile::release(table, query, bits);
  ASSERT_LT(release.only().used.selected, query.quantiles.size());
  const WorstCase not_rounded = worst_case(as_if_found(release, {}), Rational(4, 5));
  const WorstCase rounded = worst_case(as_if_found(release, {RoundGrid{0, 100}, {}}), Rational(4, 5));
  EXPECT_GT(rounded.ranks[150].value(), not_rounded.ranks[150].value() + rows / 5);
  EXPECT_TRUE(rounded.rounding);
  EXPECT_FALSE(not_rounded.rounding);
}

// Of 3,001 quantiles 2,000 are bounded, and the others by their neighbors: by the records of one step more than in a release of
// fewer quantiles.
TEST(WorstCase, OfThousandsOfQuantilesIsThatOfTheirNeighbours) {
  const Lattice lattice = Lattice::regular(0, 9999, 1);
  const auto query_of = [](std::int64_t parts) {
    QuantileQuery query{{}, epsilon("20"), Neighbors::add_remove, 1, Mechanism::approximate};
    for (std::int64_t i = 1; i < parts; ++i) query.quantiles.emplace_back(i, parts);
    query.expected_rows = 60'000;
    return query;
  };
  const WorstCase many = worst_case(query_of(3001), lattice, Rational(4, 5));
  EXPECT_EQ(many.unbounded_reason, "");
  const std::uint64_t fewer = worst_case(query_of(1501), lattice, Rational(4, 5)).largest().value();
  EXPECT_GE(many.largest().value(), fewer);
  EXPECT_LT(many.largest().value(), 2 * fewer + 2 * 60'000 / 2000);
}

TEST(WorstCase, OfFoundBoundsIsKept) {
  const BoundsSearch search{Rational(1)};
  const std::uint64_t zero = std::uint64_t{1} << 60;
  const std::uint64_t rows = 2000;
  QuantileQuery query = query_for({"1/100", "1/2", "9/10"}, epsilon("1"));
  query.expected_rows = rows;
  std::map<Position, std::uint64_t> records{{2 * (zero + 3) + 1, rows / 2}, {2 * (zero + 900'000) + 1, rows / 2}};
  const RankProfile table = profile_of(search.lattice(), records);
  RandomBits bits = RandomBits::system();
  const std::uint64_t releases = effort(200);
  std::uint64_t exceeded = 0;
  std::uint64_t bounded = 0;
  for (std::uint64_t i = 0; i < releases; ++i) {
    const Release release = fractile::release(table, {query, BoundsToFind{search, Rational(1, 10)}}, bits);
    const WorstCase worst = worst_case(release, Rational(4, 5));
    if (!worst.ranks[0]) continue;
    ++bounded;
    const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(zero) + release.value(0).to_int64());
    const QuantileFraction alpha = QuantileFraction::of(query.quantiles[0]);
    const double error = static_cast<double>(interval_score(alpha, table.below(value), table.equal(value), rows)) /
                         static_cast<double>(alpha.denominator);
    if (error > static_cast<double>(*worst.ranks[0])) ++exceeded;
  }
  EXPECT_GT(bounded, releases * 9 / 10);  // very wide bounds are found now and then
  EXPECT_LE(exceeded, releases / 5);
}

// The least quantile's bound is drawn for half of it: by as many ranks as its selection may miss more, the quantile may.
TEST(WorstCase, OfFoundBoundsCountsTheBoundsOwnMisses) {
  const BoundsSearch search{Rational(1)};
  RandomBits bits = RandomBits::system();
  const auto worst_of = [&](std::uint64_t rows, bool is_public) {
    QuantileQuery query = query_for({"1/100"}, epsilon("1"), Mechanism::exponential);
    query.expected_rows = rows;
    const RankProfile table = reference_table(search.lattice(), Shape::normal, rows);
    Release release = fractile::release(table, {query, BoundsToFind{search, Rational(1, 10)}}, bits);
    if (is_public) release.public_rows = rows;
    return worst_case(release, Rational(19, 20)).ranks[0].value();
  };
  EXPECT_GT(worst_of(1000, true), 150U);     // a quantile of ten records beside a bound that may miss 200
  EXPECT_GT(worst_of(100'000, true), 150U);  // of that many rows, a few may hold a number
  EXPECT_GT(worst_of(100'000, false), 150U);
}

// By hand: a bound has half of 1/10, in a range of 7/4 (drawn for 1/8), so 1/35 a rank, and misses by more than 35 ln(122 * 39) = 296.4
// with probability at most 1/40. The quartile is 1/8 away: 8 * 297.
TEST(WorstCase, OfFoundBoundsSaysFromHowManyRecordsTheyHoldAllQuantiles) {
  const BoundsSearch search{Rational(1)};
  RandomBits bits = RandomBits::system();
  const auto enough = [&](const char* budget, std::initializer_list<const char*> quantiles) {
    const QuantileQuery query = query_for(quantiles, epsilon(budget));
    const RankProfile table = reference_table(search.lattice(), Shape::normal, 300);
    return records_that_bounds_hold(fractile::release(table, {query, BoundsToFind{search, Rational(1, 10)}}, bits),
                                    Rational(19, 20));
  };
  const std::uint64_t of_one = enough("1", {"1/4", "1/2", "3/4"}).value();
  EXPECT_EQ(of_one, 2376U);
  EXPECT_EQ(enough("4", {"1/4", "1/2", "3/4"}).value(), 600U);
  EXPECT_GT(enough("1", {"1/10", "1/2"}).value(), of_one);
  EXPECT_EQ(enough("1", {"0", "1/2"}), std::nullopt);  // drawn for the extreme itself
  const Release declared = fractile::release(profile_of(10, {{5, 3}}), query_for({"1/2"}, epsilon("1")), bits);
  EXPECT_EQ(records_that_bounds_hold(declared, Rational(19, 20)), std::nullopt);
}

TEST(WorstCase, OfFoundBoundsHoldsForTheExtremesToo) {
  const BoundsSearch search{Rational(1)};
  const std::uint64_t zero = std::uint64_t{1} << 60;
  const RankProfile table =
      profile_of(search.lattice(), {{2 * (zero + 3) + 1, 50'000}, {2 * (zero + 900) + 1, 50'000}});
  QuantileQuery query = query_for({"0", "1/2", "1"}, epsilon("4"), Mechanism::approximate);
  query.expected_rows = 100'000;
  RandomBits bits = RandomBits::unsafe_seeded(7);  // others may find bounds far out
  Release release = fractile::release(table, {query, BoundsToFind{search, Rational(1, 2)}}, bits);
  // A bound pays 1 a rank, half of 4 in two, and is drawn for an extreme itself: it misses by ln(122 * 80) or more.
  const WorstCase unknown = worst_case(release, Rational(19, 20));
  EXPECT_EQ(unknown.unbounded_reason, "");
  EXPECT_GE(unknown.ranks[0].value(), 9U);
  EXPECT_GE(unknown.ranks[2].value(), 9U);
  release.public_rows = 100'000;
  EXPECT_LE(worst_case(release, Rational(19, 20)).ranks[1].value(), unknown.ranks[1].value());
}

TEST(WorstCase, SaysWhenThereIsNone) {
  QuantileQuery query = query_for({"1/4", "3/4"}, epsilon("1"), Mechanism::tree);
  const WorstCase worst = worst_case(query, Lattice::regular(0, 100'000, 1), Rational(19, 20));
  EXPECT_EQ(worst.ranks, (std::vector<std::optional<std::uint64_t>>{std::nullopt, std::nullopt}));
  EXPECT_NE(worst.unbounded_reason, "");
  const Lattice ages = Lattice::regular(0, 125, 1);
  EXPECT_THROW(worst_case(query, ages, Rational(1)), Error);
  EXPECT_THROW(worst_case(query, ages, Rational(0)), Error);
}

// 1,000 records of 50 among 0 and 100: either candidate misses the median by 500, though three records are expected.
TEST(WorstCase, OfListedCandidatesIsNotKnown) {
  const Lattice ends = Lattice::explicit_points({Rational(0), Rational(100)});
  QuantileQuery query = query_for({"1/2"}, epsilon("1"));
  const RankProfile between = profile_of(ends, {{2, 1000}});
  RandomBits bits = RandomBits::system();
  const Release release = fractile::release(between, query, bits);
  EXPECT_EQ(errors_of(query, between, 1)[0][0], 500);
  for (const Mechanism mechanism :
       {Mechanism::automatic, Mechanism::exponential, Mechanism::independent, Mechanism::tree}) {
    query.mechanism = mechanism;
    const WorstCase planned = worst_case(query, ends, Rational(19, 20));
    EXPECT_EQ(planned.ranks[0], std::nullopt);
    EXPECT_EQ(planned.simultaneous_rank, std::nullopt);
    EXPECT_NE(planned.unbounded_reason.find("between two of the listed candidates"), std::string::npos)
        << planned.unbounded_reason;
  }
  EXPECT_EQ(worst_case(release, Rational(19, 20)).ranks[0], std::nullopt);
  try {
    query_for_rank_error(query, ends, 10, Rational(19, 20));
    ADD_FAILURE() << "a budget was found";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("records may lie between two of them"), std::string::npos) << error.what();
  }
}

TEST(WorstCase, OfAReleaseIsThatOfWhatRan) {
  const Lattice fine = Lattice::regular(0, 10'000, Rational(1, 100));
  QuantileQuery query = query_for({"1/4", "1/2", "3/4"}, epsilon("1"));
  RandomBits bits = RandomBits::system();
  Release release = fractile::release(reference_table(fine, Shape::normal, 500), query, bits);
  const WorstCase planned = worst_case(query, fine, Rational(19, 20));
  const WorstCase run = worst_case(release, Rational(19, 20));
  EXPECT_EQ(run.rows, 4'294'967'295U);
  EXPECT_LE(run.ranks[1].value(), planned.ranks[1].value());
  release.public_rows = 500;
  EXPECT_EQ(worst_case(release, Rational(19, 20)).rows, 500U);
  EXPECT_LT(worst_case(release, Rational(19, 20)).ranks[1].value(), run.ranks[1].value());
}

TEST(WorstCase, RefusesAReleaseThatDoesNotSayHowItRan) {
  RandomBits bits = RandomBits::system();
  Release release = fractile::release(profile_of(10, {{5, 3}}), query_for({"1/2"}, epsilon("1")), bits);
  release.groups.front().course.reset();
  EXPECT_THROW(worst_case(release, Rational(1, 2)), Error);
}

}  // namespace
}  // namespace fractile
