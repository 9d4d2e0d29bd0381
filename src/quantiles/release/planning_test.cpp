#include "fractile/planning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "quantiles/release/noise_share.hpp"
#include "support/releases.hpp"

namespace fractile {
namespace {

QuantileQuery quartiles(const Budget& budget) { return {{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, budget}; }

TEST(Planning, TheSolvedEpsilonGivesTheWantedError) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  for (const std::uint64_t wanted : {20U, 100U, 1000U}) {
    for (const Budget& kind : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1))}) {
      QuantileQuery query = quartiles(kind);
      query.expected_rows = 50'000;
      query.interpolate = false;
      const QuantileQuery solved = query_for_rank_error(query, lattice, wanted, Rational(19, 20));
      EXPECT_EQ(solved.budget.measure(), kind.measure());
      const WorstCase worst = worst_case(solved, lattice, Rational(19, 20));
      const std::uint64_t largest = worst.largest().value();
      EXPECT_LE(largest, wanted);
      EXPECT_GE(static_cast<double>(largest), static_cast<double>(wanted) * 0.99 - 1) << solved.budget.to_string();
    }
  }
}

TEST(Planning, ATenthOfTheErrorTakesTenTimesTheEpsilon) {
  const Lattice lattice = Lattice::regular(0, 125, 1);
  const QuantileQuery query{
      {Rational(1, 2)}, Budget::pure(Rational(1)), Neighbors::add_remove, 1, Mechanism::exponential};
  const auto solved = [&](std::uint64_t ranks) {
    return query_for_rank_error(query, lattice, ranks, Rational(19, 20)).budget.epsilon().to_double();
  };
  EXPECT_NEAR(solved(100), std::log(125 * 19) / 100, 1e-4);
  EXPECT_NEAR(solved(10), std::log(125 * 19) / 10, 1e-3);
}

TEST(Planning, WhatCannotBeSolvedIsRefused) {
  const Lattice lattice = Lattice::regular(0, 125, 1);
  EXPECT_THROW(query_for_rank_error(quartiles(Budget::pure(Rational(1))), lattice, 0, Rational(19, 20)), Error);
  QuantileQuery query = quartiles(Budget::pure(Rational(1)));
  query.mechanism = Mechanism::tree;
  EXPECT_THROW(query_for_rank_error(query, Lattice::regular(0, 100'000, 1), 1000, Rational(19, 20)), Error);
  query.mechanism = Mechanism::independent;
  query.budget = Budget::approximate(Rational(1), Rational(1, 1'000'000));
  EXPECT_THROW(query_for_rank_error(query, lattice, 1000, Rational(19, 20)), Error);
}

TEST(Planning, ReferenceTablesHaveTheirShapes) {
  const Lattice lattice = Lattice::regular(0, 8000, 1);
  const RankProfile normal = reference_table(lattice, Shape::normal, 10'000);
  EXPECT_EQ(normal.records(), 10'000U);
  EXPECT_NEAR(static_cast<double>(normal.below(4000)), 5000, 5);
  EXPECT_NEAR(static_cast<double>(normal.below(5000)), 8413, 8);   // one standard deviation
  EXPECT_NEAR(static_cast<double>(normal.below(2000)), 227.5, 3);  // minus two
  const RankProfile log_normal = reference_table(lattice, Shape::log_normal, 10'000);
  EXPECT_NEAR(static_cast<double>(log_normal.below(500)), 5000, 8);
  EXPECT_NEAR(static_cast<double>(log_normal.below(1058)), 8413, 8);  // 500 exp(3/4)
  const RankProfile uniform = reference_table(lattice, Shape::uniform, 1000);
  EXPECT_NEAR(static_cast<double>(uniform.below(2000)), 250, 1);
  EXPECT_EQ(reference_table(lattice, Shape::normal, 1).below(4001), 1U);
}

// One quantile on a line of ages: the law of the error is a two-sided geometric one, cut at the candidates.
TEST(Planning, TypicalErrorsAreThoseOfTheLaw) {
  const Lattice lattice = Lattice::regular(0, 999, 1);
  const QuantileQuery query{
      {Rational(1, 2)}, Budget::pure(Rational(1, 10)), Neighbors::add_remove, 1, Mechanism::exponential};
  const TypicalError typical = typical_error(query, lattice, Shape::uniform, 1000, 20'000);
  ASSERT_EQ(typical.median.size(), 1U);
  // one record a candidate, two candidates for every error: P[error <= r] = 1 - exp(-(r + 1)/10)
  EXPECT_NEAR(typical.median[0], 6, 1);
  EXPECT_NEAR(typical.nine_in_ten[0], 22.5, 1);
  const TypicalError again = typical_error(query, lattice, Shape::uniform, 1000, 20'000);
  EXPECT_EQ(typical.median, again.median);
}

// 2^33 places would be 64 GiB, and 2^63 more than a vector can hold.
TEST(Planning, TypicalErrorsAreOfTablesThatCanBeMade) {
  const Lattice lattice = Lattice::regular(0, 999, 1);
  const QuantileQuery query = quartiles(Budget::pure(Rational(1)));
  const auto refused = [](auto call) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
  };
  for (const std::uint64_t rows : {std::uint64_t{1} << 33, std::uint64_t{1} << 63}) {
    EXPECT_TRUE(refused([&] { typical_error(query, lattice, Shape::normal, rows, 1); })) << rows;
    EXPECT_TRUE(refused([&] { reference_table(lattice, Shape::normal, rows); })) << rows;
  }
  EXPECT_TRUE(refused([&] { typical_error(query, lattice, Shape::normal, 0, 1); }));
  EXPECT_TRUE(refused([&] { typical_error(query, lattice, Shape::normal, 100, 0); }));
  EXPECT_TRUE(refused([&] { typical_error(Release{query, lattice, {}}); }));
}

/// A query for this many evenly spread quantiles of about this many rows.
QuantileQuery spread(std::int64_t quantiles, std::uint64_t rows, const Budget& budget) {
  QuantileQuery query{{}, budget};
  for (std::int64_t i = 1; i <= quantiles; ++i) query.quantiles.emplace_back(i, quantiles + 1);
  query.expected_rows = rows;
  return query;
}

// Of 1,000 rows, 500 lie between the median and either end. At an epsilon of 1/10 it misses by about ten, of which 125 are tolerated; at
// next to none the value is uniform between the bounds, four standard deviations to either side, and misses by
// (2 - 1/sqrt(2 pi))/4 = 0.4 of the rows.
TEST(MostlyNoise, IsWhatMissesByAQuarterOfTheRowsBetween) {
  const Lattice lattice = Lattice::regular(0, 999'999, 1);
  QuantileQuery query = spread(1, 1'000, Budget::pure(Rational(1, 10)));
  query.mechanism = Mechanism::approximate;
  EXPECT_FALSE(mostly_noise(query, lattice));
  query.expected_rows.reset();
  EXPECT_FALSE(mostly_noise(query, lattice));  // nothing tells
  query.expected_rows = 1'000;
  query.budget = Budget::pure(Rational(1, 1'000'000));
  const std::optional<MostlyNoise> noise = mostly_noise(query, lattice);
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->rows, 1'000U);
  EXPECT_NEAR(noise->share, 0.8, 0.1);
}

// Quantiles that are far apart are not simulated: with every mechanism of Mechanism::automatic the values are not noise.
TEST(MostlyNoise, IsNotWhereQuantilesAreFarApart) {
  const std::vector<Lattice> lattices{Lattice::regular(0, 1'000, 1), Lattice::regular(0, 500'000, 1),
                                      Lattice::regular(0, Rational::parse("1e13"), 1),
                                      Lattice::regular(0, Rational::parse("4e18"), 1)};
  for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 2))}) {
    for (const Lattice& lattice : lattices) {
      for (const std::int64_t quantiles : {1, 9, 40}) {
        const QuantileQuery query = spread(quantiles, static_cast<std::uint64_t>(quantiles + 1) * 5'000, budget);
        EXPECT_FALSE(mostly_noise(query, lattice));
        const TypicalError typical = typical_error(query, lattice, Shape::normal, 10'000, 3);
        EXPECT_LT(noise_share(query.quantiles, typical.mean, *query.expected_rows), 0.1) << quantiles;
      }
    }
  }
}

TEST(MostlyNoise, TheBudgetThatWouldDoDoes) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 50))}) {
    QuantileQuery query = spread(9, 50, budget);
    const std::optional<MostlyNoise> noise = mostly_noise(query, lattice);
    ASSERT_TRUE(noise);
    ASSERT_TRUE(noise->sufficient_budget);
    EXPECT_EQ(noise->sufficient_budget->measure(), budget.measure());
    query.budget = *noise->sufficient_budget;
    EXPECT_FALSE(mostly_noise(query, lattice));
    query.budget = noise->sufficient_budget->scaled(Rational(1, 2));
    EXPECT_TRUE(mostly_noise(query, lattice));
  }
}

TEST(MostlyNoise, SomeQuantilesNoBudgetSeparates) {
  const std::optional<MostlyNoise> noise =
      mostly_noise(spread(99, 20, Budget::pure(Rational(1))), Lattice::regular(0, 500'000, 1));
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->sufficient_budget);
}

// What is simulated is counted beforehand: percentiles of many rows, once searched through for thirteen seconds, and what one joint selection
// decides, of which a single release takes longer than the words are worth.
TEST(MostlyNoise, SaysNoMoreThanATenthOfASecondFinds) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  QuantileQuery query = spread(99, 100'000, Budget::pure(Rational(1, 100)));
  const std::optional<MostlyNoise> noise = mostly_noise(query, lattice);
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->sufficient_budget);
  query.mechanism = Mechanism::joint_total;
  EXPECT_FALSE(mostly_noise(query, lattice));
}

// Whatever the records are and whatever was drawn: only the number that was told or declared counts.
TEST(MostlyNoise, OfAReleaseIsOfWhatIsPublic) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  QuantileQuery query = spread(9, 50, Budget::pure(Rational(1)));
  query.mechanism = Mechanism::joint_total;  // which counts nothing
  const std::optional<MostlyNoise> told = mostly_noise(query, lattice);
  RandomBits bits = RandomBits::system();
  for (const std::uint64_t records : {0U, 7U, 5'000U}) {
    const RankProfile profile = reference_table(lattice, Shape::uniform, records);
    Release release = fractile::release(profile, query, bits);
    const std::optional<MostlyNoise> noise = mostly_noise(release).front();
    ASSERT_TRUE(noise);
    EXPECT_EQ(noise->share, told->share);
    EXPECT_EQ(noise->rows, 50U);
    EXPECT_EQ(noise->sufficient_budget->epsilon(), told->sufficient_budget->epsilon());
    release.public_rows = 100'000;
    EXPECT_FALSE(mostly_noise(release).front());
  }
}

// Mechanism::automatic counts the records, and publishes the approximate number that it used.
TEST(MostlyNoise, OfAReleaseThatCountedIsOfThatCount) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  QuantileQuery query = spread(9, 0, Budget::pure(Rational(1)));
  query.expected_rows.reset();
  RandomBits bits = RandomBits::unsafe_seeded(4);
  for (const std::uint64_t records : {5U, 5'000U}) {
    const Release release = fractile::release(reference_table(lattice, Shape::normal, records), query, bits);
    const std::optional<MostlyNoise> noise = mostly_noise(release).front();
    ASSERT_TRUE(release.only().used.rows);
    ASSERT_EQ(noise.has_value(), records == 5);
    EXPECT_EQ(noise ? noise->rows : *release.only().used.rows, *release.only().used.rows);
  }
  const RankProfile few = reference_table(lattice, Shape::normal, 5);
  const RankProfile many = reference_table(lattice, Shape::normal, 5'000);
  const std::vector<std::optional<MostlyNoise>> noises =
      mostly_noise(release({"a", "b", "c"}, {few, many, few}, query, bits));
  ASSERT_EQ(noises.size(), 3U);
  EXPECT_TRUE(noises[0]);
  EXPECT_FALSE(noises[1]);
  EXPECT_TRUE(noises[2]);
}

// The named budget is the whole one, of which the bounds take a share.
TEST(MostlyNoise, OfFoundBoundsPaysForThem) {
  const BoundsSearch search{Rational(1)};
  const QuantileQuery query = spread(9, 50, Budget::pure(Rational(1, 10)));
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const Release release = fractile::release(reference_table(search.lattice(), Shape::normal, 300),
                                            {query, BoundsToFind{search, Rational(1, 2)}}, bits);
  QuantileQuery rest = query;
  rest.budget = query.budget.scaled(Rational(1, 2));
  const std::optional<MostlyNoise> noise = mostly_noise(release).front();
  const std::optional<MostlyNoise> of_rest = mostly_noise(rest, release.lattice);
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->share, of_rest->share);
  const Rational twice = of_rest->sufficient_budget->epsilon().coefficient() * Rational(2);
  const Rational named = noise->sufficient_budget->epsilon().coefficient();
  EXPECT_GE(named, twice);
  EXPECT_LE(named, twice * Rational(11, 10));
}

// The query that each group answers decides: under change-one, it is calibrated to two records that come or go, which costs
// selections of outer quantiles accuracy.
TEST(MostlyNoise, OfGroupsIsOfWhatAGroupSpends) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  QuantileQuery query = spread(9, 50, Budget::pure(Rational(1)));
  query.mechanism = Mechanism::independent;
  query.neighbors = Neighbors::change_one;
  RandomBits bits = RandomBits::system();
  const RankProfile empty = reference_table(lattice, Shape::uniform, 0);
  const Release groups = release({"a", "b"}, {empty, empty}, query, bits);
  QuantileQuery each = query;
  each.neighbors = Neighbors::add_remove;
  each.records_per_person = 2;
  const std::optional<MostlyNoise> noise = mostly_noise(groups).back();
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->share, mostly_noise(each, lattice)->share);
  EXPECT_NE(noise->share, mostly_noise(query, lattice)->share);
}

TEST(Planning, APlanHoldsItAll) {
  QuantileQuery query = quartiles(Budget::pure(Rational(1)));
  query.expected_rows = 2'000;
  const ReleasePlan plan = plan_release(query, Lattice::regular(0, 500'000, 1));
  EXPECT_EQ(plan.used.mechanism, Mechanism::joint_total);
  EXPECT_EQ(plan.typical.rows, 2'000U);
  ASSERT_EQ(plan.worst.ranks.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(plan.typical.nine_in_ten[i], static_cast<double>(plan.worst.ranks[i].value()));
    EXPECT_LE(plan.typical.median[i], plan.typical.nine_in_ten[i]);
  }
}

// The number of releases that a plan simulates was a quotient by the number of rows.
TEST(Planning, ATableWithoutRowsIsRefused) {
  const Lattice lattice = Lattice::regular(0, 100, 1);
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  PlanOptions options;
  options.rows = 0;
  EXPECT_THROW(plan_release(query, lattice, options), Error);
  query.expected_rows = 0;
  EXPECT_THROW(plan_release(query, lattice), Error);
}

// Tables kept from one simulated release to the next change neither the law nor the draws.
TEST(TypicalErrors, AreThoseOfReleases) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  const RankProfile table = reference_table(lattice, Shape::log_normal, 3000);
  for (const Mechanism mechanism : {Mechanism::joint_total, Mechanism::joint, Mechanism::joint_tree}) {
    QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(1))};
    query.mechanism = mechanism;
    const TypicalError typical = typical_error(query, lattice, Shape::log_normal, 3000, 60);
    RandomBits bits = RandomBits::unsafe_seeded(0);
    std::vector<double> largest;
    for (int i = 0; i < 60; ++i) {
      const Release one = release(table, query, bits);
      double most = 0;
      for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
        const double target = query.quantiles[j].to_double() * 3000;
        const auto below = static_cast<double>(table.below(one.only().indices[j]));
        const auto until = below + static_cast<double>(table.equal(one.only().indices[j]));
        most = std::max({most, below - target, target - until});
      }
      largest.push_back(most);
    }
    std::ranges::sort(largest);
    EXPECT_EQ(typical.largest, largest) << to_string(mechanism);
  }
}

// The budget is the whole one: the errors of quantiles are at the budget that counts and means leave.
TEST(Planning, SaysHowFarCountsAreOffAndWhatTheyLeave) {
  const Lattice ages = Lattice::regular(0, 120, 1);
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  query.expected_rows = 5000;
  PlanOptions options{.releases = 20};
  options.statistics = StatisticsRequest{{Rational(18)}, true, Rational(1, 5)};
  const ReleasePlan plan = plan_release(query, ages, options);
  EXPECT_EQ(plan.query.budget.epsilon(), query.budget.epsilon());
  QuantileQuery rest = query;
  rest.budget = Budget::pure(Rational(4, 5));
  EXPECT_EQ(plan.worst.ranks, worst_case(rest, ages, Rational(19, 20)).ranks);
  const StatisticsErrors& errors = plan.statistics->errors;
  EXPECT_EQ(errors.rows, 5000U);
  EXPECT_EQ(plan.statistics->terms.count_noise.rate, Exponent(Rational(1, 10)));
  EXPECT_LT(errors.below[0], errors.count);  // one draw of two
  // ln(1/20) over the rate, rounded up to whole records: the exact law's.
  EXPECT_NEAR(static_cast<double>(errors.below[0]), 30, 1);
  EXPECT_LT(*errors.mean, *errors.mean_at_ends);
  EXPECT_LT(*errors.mean_at_ends, Rational(1));
  EXPECT_FALSE(plan_release(query, ages, {.releases = 20}).statistics);
}

}  // namespace
}  // namespace fractile
