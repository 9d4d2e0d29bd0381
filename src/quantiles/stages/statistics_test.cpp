#include "quantiles/stages/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "exact/gaussian.hpp"
#include "exact/laplace.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

const Lattice tens = Lattice::regular(0, 80, 10);

QuantileQuery paid(const Budget& budget) { return {{Rational(1, 2)}, budget}; }

/// Discrete Laplace and Gaussian masses at k, by their definitions.
double mass_of(const CountNoise& noise, std::int64_t k) {
  const auto x = static_cast<double>(k);
  if (noise.measure == Measure::zcdp) {
    const double s = noise.sigma_squared.to_double();
    return std::exp(-x * x / (2 * s)) / std::sqrt(2 * M_PI * s);  // for sigma^2 >= 2 to seven digits
  }
  const double r = noise.rate.to_double();
  return std::tanh(r / 2) * std::exp(-r * std::abs(x));
}

/// The largest magnitude of the noise, except for almost none.
std::int64_t reach_of(const CountNoise& noise) {
  return static_cast<std::int64_t>(noise.measure == Measure::zcdp ? 6 * std::sqrt(noise.sigma_squared.to_double())
                                                                  : 16 / noise.rate.to_double());
}

bool holds(const CountInterval& interval, std::int64_t n) {
  return interval.lower <= static_cast<std::uint64_t>(n) && static_cast<std::uint64_t>(n) <= interval.upper;
}
bool holds(const Statistics::Ratio& ratio, const Rational& value) {
  return ratio.lower <= value && value <= ratio.upper;
}

/// Budgets whose noise is so narrow that all of it can be listed.
const Budget budgets[] = {Budget::pure(Rational(1, 2)), Budget::pure(Rational(3)), Budget::zcdp(Rational(1, 32))};

/// The law of the published counts of two bins, listed draw by draw: each interval holds the truth as often as its level says.
TEST(Statistics, IntervalsOfCountsAndSharesHoldTheTruthAsOftenAsTheySay) {
  for (const Budget& budget : budgets) {
    const StatisticsSampler sampler({{Rational(40)}, false, Rational(1, 10)}, paid(budget), tens);
    const CountNoise& noise = sampler.terms().count_noise;
    const std::int64_t reach = reach_of(noise);
    for (const auto& [below, above] : {std::pair{0, 0}, {0, 9}, {5, 3}, {40, 60}, {500, 1}}) {
      double count = 0;
      double part = 0;
      double share = 0;
      double all = 0;
      for (std::int64_t a = -reach; a <= reach; ++a) {
        for (std::int64_t b = -reach; b <= reach; ++b) {
          const double p = mass_of(noise, a) * mass_of(noise, b);
          const Statistics seen = sampler.intervals().computed({{below + a, above + b}, {}});
          all += p;
          count += holds(seen.count.interval, below + above) ? p : 0;
          part += holds(seen.below[0].interval, below) ? p : 0;
          share += below + above == 0 || holds(seen.shares[0], Rational(below, below + above)) ? p : 0;
        }
      }
      const std::string what = budget.to_string() + ' ' + std::to_string(below) + ' ' + std::to_string(above);
      EXPECT_NEAR(all, 1, 1e-4) << what;
      for (const double coverage : {count, part, share}) EXPECT_GE(coverage + (1 - all), 0.95 - 1e-6) << what;
      if (reach < 20) continue;
      EXPECT_LE(count, 0.99) << what;  // no wider than whole numbers make it
      EXPECT_LE(part, 0.99) << what;
    }
  }
}

TEST(Statistics, IntervalsOfMeansHoldTheTruthAsOftenAsTheySay) {
  for (const Budget& budget : {Budget::pure(Rational(3)), Budget::zcdp(Rational(1, 4))}) {
    const StatisticsSampler sampler({{}, true, Rational(1, 5)}, paid(budget), tens);
    const CountNoise& of_count = sampler.terms().count_noise;
    const CountNoise& of_sum = sampler.terms().sum_noise.value();
    const std::int64_t count_reach = reach_of(of_count);
    const std::int64_t sum_reach = reach_of(of_sum);
    for (const auto& [records, u] : {std::pair{1, 8}, {1, -8}, {6, 0}, {40, -3}, {300, 8}, {300, 1}}) {
      double coverage = 0;
      double all = 0;
      const Rational mean = Rational(40) + Rational(5 * u);
      for (std::int64_t z = -count_reach; z <= count_reach; ++z) {
        for (std::int64_t y = -sum_reach; y <= sum_reach; ++y) {
          const double p = mass_of(of_count, z) * mass_of(of_sum, y);
          const Statistics seen = sampler.intervals().computed({{records + z}, records * u + y});
          all += p;
          coverage += holds(seen.mean.value(), mean) ? p : 0;
          EXPECT_EQ(seen.mean->value.has_value(), records + z > 0);
        }
      }
      EXPECT_NEAR(all, 1, 1e-4);
      EXPECT_GE(coverage + (1 - all), 0.95 - 1e-6) << records << ' ' << u;
      if (records == 300) {
        EXPECT_LE(coverage, 0.985) << u;
      }
    }
  }
}

/// A record is at its candidate: 44 is at 40, which is not below 40. In a list, a record between two values is between their
/// candidates.
TEST(Statistics, OfALotOfBudgetAreThoseOfTheTable) {
  ProfileBuilder builder(tens);
  for (const double value : {-5.0, 3.0, 34.0, 44.0, 46.0, 80.0, 900.0}) builder.add(value);
  const RankProfile profile = builder.finish();
  const QuantileQuery query = paid(Budget::pure(Rational(100'000)));
  const StatisticsSampler sampler({{Rational(40), Rational(50), Rational(80)}, true, Rational(1, 5)}, query, tens);
  RandomBits bits = RandomBits::unsafe_seeded(1);
  RandomSource source(bits);
  Odometer odometer(query.budget, PersonSteps::in_table(query));
  Draws draws(source, odometer);
  const Statistics seen = sampler.sample(profile, Share::whole(query.budget), draws);
  EXPECT_EQ(seen.count.value, 7);
  EXPECT_EQ(seen.count.interval, (CountInterval{7, 7}));
  ASSERT_EQ(seen.below.size(), 3U);
  EXPECT_EQ(seen.below[0].value, 3);
  EXPECT_EQ(seen.below[1].value, 4);
  EXPECT_EQ(seen.below[2].value, 5);
  EXPECT_LE(seen.shares[0].lower, Rational(3, 7));
  EXPECT_GE(seen.shares[0].upper, Rational(3, 7));
  const Rational mean(0 + 0 + 30 + 40 + 50 + 80 + 80, 7);
  EXPECT_LE(seen.mean->lower, mean);
  EXPECT_GE(seen.mean->upper, mean);
  EXPECT_NEAR(seen.mean->value->to_double(), mean.to_double(), 0.1);
  const std::vector<PartCost> spent = odometer.spent();
  ASSERT_EQ(spent.size(), 2U);
  EXPECT_EQ(spent[0].part, "count");
  EXPECT_EQ(spent[1].part, "sum");
  EXPECT_EQ(spent[0].amount + spent[1].amount, EpsilonSum(query.budget.epsilon()));

  const Lattice listed = Lattice::explicit_points({Rational(0), Rational(10), Rational(100)});
  ProfileBuilder between(listed);
  for (const double value : {5.0, 10.0, 50.0, 100.0}) between.add(value);
  const StatisticsSampler of_list({{Rational(10), Rational(100)}, false, Rational(1, 5)}, query, listed);
  Odometer again(query.budget, PersonSteps::in_table(query));
  Draws more(source, again);
  const Statistics counted = of_list.sample(between.finish(), Share::whole(query.budget), more);
  EXPECT_EQ(counted.below[0].value, 1);
  EXPECT_EQ(counted.below[1].value, 3);
}

/// The noise's law follows from the sensitivities: a record is in one bin and moves the centered sum by at most half the width, and
/// a replaced one does both twice.
TEST(Statistics, NoiseIsThatOfTheProof) {
  const StatisticsRequest all{{Rational(40)}, true, Rational(1, 5)};
  const StatisticsRequest only_count{{}, false, Rational(1, 10)};
  QuantileQuery query = paid(Budget::pure(Rational(1)));
  query.records_per_person = 3;
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().count_noise.rate, Exponent(Rational(1, 6)));
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().sum_noise->rate, Exponent(Rational(1, 2 * 3 * 8)));
  EXPECT_EQ(StatisticsSampler(only_count, query, tens).terms().count_noise.rate, Exponent(Rational(1, 3)));
  query.neighbors = Neighbors::change_one;
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().count_noise.rate, Exponent(Rational(1, 12)));
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().sum_noise->rate, Exponent(Rational(1, 2 * 3 * 16)));
  EXPECT_EQ(StatisticsSampler(only_count, query, tens).terms().count_noise.rate, Exponent(Rational(1, 3)));
  query.budget = Budget::zcdp(Rational(1, 2));
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().count_noise.sigma_squared, Rational(2 * 9 * 2));
  EXPECT_EQ(StatisticsSampler(all, query, tens).terms().sum_noise->sigma_squared, Rational(2 * 9 * 16 * 16));
  EXPECT_EQ(StatisticsSampler(only_count, query, tens).terms().count_noise.sigma_squared, Rational(9));
}

/// Without records there are a count and numbers below, but no share and no mean.
TEST(Statistics, OfNothingHaveNoRatios) {
  const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  const Statistics seen = sampler.intervals().computed({{-3, 2}, 5});
  EXPECT_EQ(seen.count.value, -1);
  EXPECT_EQ(seen.below[0].value, -3);
  EXPECT_EQ(seen.count.interval.lower, 0U);
  EXPECT_EQ(seen.shares[0], (Statistics::Ratio{{}, 0, 1}));
  EXPECT_EQ(seen.mean, (Statistics::Ratio{{}, 0, 80}));
  EXPECT_EQ(seen.centered_sum, 5);
}

/// A sum that no mean explains tells nothing, and neither does one that was clamped.
TEST(Statistics, OfWhatNoTableExplainsHaveTheWholeRange) {
  const StatisticsSampler sampler({{}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  EXPECT_EQ(sampler.intervals().computed({{10}, 100'000}).mean, (Statistics::Ratio{Rational(80), 0, 80}));
  EXPECT_EQ(sampler.intervals().computed({{1 << 30}, most_sum}).mean->lower, Rational(0));
}

// The noise moves a sum that was cut off away from the end, and then the mean's interval excluded the table's mean.
TEST(Statistics, OfASumThatMayBeCutOffHaveTheWholeRange) {
  constexpr std::int64_t count = std::int64_t{1} << 59;
  for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 8))}) {
    const StatisticsSampler sampler({{}, true, Rational(1, 5)}, paid(budget), tens);
    for (const std::int64_t sum : {most_sum, most_sum - 1, most_sum - 20, 20 - most_sum}) {
      EXPECT_TRUE(sampler.intervals().may_be_cut_off(sum));
      const Statistics seen = sampler.intervals().computed({{count}, sum});
      EXPECT_EQ(seen.mean->lower, Rational(0)) << sum;
      EXPECT_EQ(seen.mean->upper, Rational(80)) << sum;
    }
    const Statistics seen = sampler.intervals().computed({{count}, most_sum - (1 << 20)});
    EXPECT_GT(seen.mean->lower, Rational(59));
    EXPECT_LT(seen.mean->upper, Rational(61));
  }
}

// --- Totals -------------------------------------------------------------------------------------------------------------

/// The statistics of the total of groups, each with its drawn bins and sum.
Statistics total_of(const StatisticsSampler& sampler, const std::vector<DrawnStatistics>& drawn) {
  std::vector<Statistics> groups;
  for (const DrawnStatistics& each : drawn) groups.push_back(sampler.intervals().computed(each));
  return Margins(sampler.terms(), tens).of(groups);
}

TEST(Margins, AddUp) {
  const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  const Statistics total = total_of(sampler, {{{400, 600}, 2000}, {{-3, 2}, -40}, {{90, 10}, 1}});
  EXPECT_EQ(total.count.value, 1099);
  EXPECT_EQ(total.below[0].value, 487);
  EXPECT_EQ(total.centered_sum, 1961);
  EXPECT_NEAR(total.shares[0].value->to_double(), 487.0 / 1099, 0.01);
  EXPECT_NEAR(total.mean->value->to_double(), 40 + 5 * 1961.0 / 1099, 0.1);
  const Statistics first = sampler.intervals().computed({{400, 600}, 2000});
  EXPECT_EQ(count_of(first, sampler.terms()).draws(), 2U);
  EXPECT_EQ(count_below(first, sampler.terms(), 0), ReleasedCount(400, sampler.terms().count_noise));
  // As the counts themselves add up.
  const ReleasedCount sum(1099, sampler.terms().count_noise, 6);
  EXPECT_EQ(intervals_of({&sum, 1}, Rational(19, 20)).front(), total.count.interval);
}

TEST(Margins, OfOneGroupAreIts) {
  const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(Budget::zcdp(Rational(1, 8))), tens);
  const DrawnStatistics drawn{{40, 60}, -30};
  EXPECT_EQ(total_of(sampler, {drawn}), sampler.intervals().computed(drawn));
}

// A receipt that was written by hand may hold any number: sums of these went beyond 64 bits.
TEST(Margins, OfNumbersThatNoReleaseHasStayInTheirRange) {
  const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  Statistics forged = sampler.intervals().computed({{1, 2}, 3});
  forged.below[0].value = -largest;
  forged.count.value = largest;
  forged.centered_sum = largest;
  const std::vector<Statistics> both{forged, forged};
  const Statistics total = Margins(sampler.terms(), tens).of(both);
  EXPECT_EQ(total.below[0].value, -most_sum);
  EXPECT_EQ(total.count.value, 0);
  EXPECT_EQ(total.centered_sum, most_sum);
  const ReleasedCount count(largest, sampler.terms().count_noise);
  EXPECT_EQ((count + count).value(), most_sum);
  const std::uint64_t most_draws = std::uint64_t{1} << 40;
  EXPECT_THROW(ReleasedCount(1, sampler.terms().count_noise, most_draws + 1), Error);
  EXPECT_THROW(ReleasedCount(1, sampler.terms().count_noise, most_draws) + count, Error);
}

// Sums were cut off at each group, so the total depended on the order of the groups.
TEST(Margins, SumsMayGoBeyondTheirRangeOnTheWay) {
  const StatisticsSampler sampler({{}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  constexpr std::int64_t count = std::int64_t{1} << 59;
  constexpr std::int64_t large = most_sum - (1 << 20);
  for (const auto& sums : {std::vector{large, large, -large}, {large, -large, large}}) {
    std::vector<DrawnStatistics> drawn;
    for (const std::int64_t sum : sums) drawn.push_back({{count}, sum});
    const Statistics total = total_of(sampler, drawn);
    EXPECT_EQ(total.centered_sum, large);
    EXPECT_NEAR(total.mean->lower.to_double(), 40 + 5 * 4.0 / 3, 0.1);
    EXPECT_NEAR(total.mean->upper.to_double(), 40 + 5 * 4.0 / 3, 0.1);
  }
  for (const std::int64_t other : {large, 1 - most_sum}) {  // the total, or one group, may be cut off
    const Statistics total = total_of(sampler, {{{count}, large}, {{count}, other}});
    EXPECT_EQ(total.mean->lower, Rational(0));
    EXPECT_EQ(total.mean->upper, Rational(80));
  }
}

TEST(Margins, OfOthersAreRefused) {
  const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  const StatisticsSampler other({{Rational(40)}, false, Rational(1, 5)}, paid(Budget::pure(Rational(1))), tens);
  const Statistics without = other.intervals().computed({{1, 2}, {}});
  Margins margins(sampler.terms(), tens);
  EXPECT_THROW(margins.of({}), Error);
  EXPECT_THROW(margins.of({&without, 1}), Error);
  EXPECT_THROW(count_below(without, other.terms(), 1), Error);
}

/// Sums of the noise of four groups, drawn: the intervals of the total hold the truth as often as they say.
TEST(Margins, HoldTheTruthAsOftenAsTheySay) {
  for (const Budget& budget : {Budget::pure(Rational(1, 4)), Budget::zcdp(Rational(1, 50))}) {
    const StatisticsSampler sampler({{Rational(40)}, true, Rational(1, 5)}, paid(budget), tens);
    RandomBits bits = RandomBits::unsafe_seeded(7);
    const CountNoise& count_noise = sampler.terms().count_noise;
    const CountNoise& sum_noise = *sampler.terms().sum_noise;
    const auto draw = [&](const CountNoise& noise) {
      return noise.measure == Measure::pure ? DiscreteLaplace(noise.rate)(bits)
                                            : DiscreteGaussian(noise.sigma_squared)(bits);
    };
    Margins margins(sampler.terms(), tens);
    const std::int64_t below = 500;
    const std::int64_t above = 300;
    const std::int64_t sum = -1000;
    constexpr int runs = 2000;
    int counts = 0;
    int shares = 0;
    int means = 0;
    for (int run = 0; run < runs; ++run) {
      std::vector<Statistics> groups(
          4, Statistics{{0, {0, 0}}, {{0, {0, 0}}}, {{{}, 0, 1}}, Statistics::Ratio{{}, 0, 80}, 0});
      for (Statistics& each : groups) {
        each.below[0].value = below + draw(count_noise);
        each.count.value = each.below[0].value + above + draw(count_noise);
        each.centered_sum = sum + draw(sum_noise);
      }
      const Statistics total = margins.of(groups);
      counts += holds(total.count.interval, 4 * (below + above)) ? 1 : 0;
      shares += holds(total.shares[0], Rational(below, below + above)) ? 1 : 0;
      means += holds(*total.mean, Rational(40) + Rational(5 * sum, below + above)) ? 1 : 0;
    }
    for (const int held : {counts, shares, means}) EXPECT_GE(held, 0.935 * runs) << budget.to_string();
    for (const int held : {counts, means}) EXPECT_LE(held, 0.98 * runs) << budget.to_string();
  }
}

std::string refused(const StatisticsRequest& request, const Lattice& lattice = tens,
                    const Budget& budget = Budget::pure(Rational(1)), const Rational& bounds_share = 0) {
  try {
    request.validate(lattice, paid(budget), bounds_share);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "nothing";
}

TEST(Statistics, AloneTakeTheWholeBudget) {
  const Lattice lattice = Lattice::regular(0, 100, 1);
  const QuantileQuery query{{}, Budget::pure(Rational(1))};
  StatisticsRequest request{{}, true, Rational(1)};
  EXPECT_NO_THROW(request.validate(lattice, query));
  EXPECT_THROW(request.validate(lattice, query, Rational(1, 10)), Error) << "bounds to be found hold quantiles";
  request.share = Rational(1, 2);
  EXPECT_THROW(request.validate(lattice, query), Error);
}

/// Once, the hint named the smallest possible value, too, below which nothing can lie.
TEST(Statistics, NameValuesThatCanBeAskedFor) {
  for (const auto& [below, hint] : {std::pair(Rational(5), "write 10"), std::pair(Rational(15), "write 10 or 20")}) {
    try {
      StatisticsRequest{{below}}.validate(tens, paid(Budget::pure(Rational(1))));
      FAIL() << below.to_string();
    } catch (const Error& error) {
      EXPECT_EQ(error.hint(), hint);
    }
  }
}

TEST(Statistics, RefuseWhatHasNoMeaning) {
  EXPECT_EQ(refused({{Rational(10), Rational(80)}, true}), "nothing");
  EXPECT_EQ(refused({{Rational(0)}}), "nothing can lie below 0, the smallest possible value");
  EXPECT_EQ(refused({{Rational(90)}}), "90 lies outside the possible values");
  EXPECT_EQ(refused({{Rational(15)}}), "15 is not one of the possible values, at which records count");
  EXPECT_EQ(refused({{Rational(20), Rational(10)}}), "the value 10 is not above the one before it");
  EXPECT_EQ(refused({{Rational(20), Rational(20)}}), "the value 20 is not above the one before it");
  EXPECT_NE(refused({{}, false, Rational(0)}), "nothing");
  EXPECT_NE(refused({{}, false, Rational(1)}), "nothing");
  EXPECT_NE(refused({{}, false, Rational(1, 2)}, tens, Budget::pure(Rational(1)), Rational(1, 2)), "nothing");
  EXPECT_NE(refused({{}, true}, tens, Budget::pure(Rational(1)), Rational(1, 10)), "nothing");
  EXPECT_NE(refused({}, tens, Budget::approximate(Rational(1), Rational(1, 100))), "nothing");
  EXPECT_NE(refused({{}, true}, Lattice::explicit_points({Rational(0), Rational(1)})), "nothing");
  EXPECT_NE(refused({{}, true}, Lattice::regular(0, 0, 1)), "nothing");
  EXPECT_NE(refused({{}, true}, Lattice::numbers((std::uint64_t{1} << 32) + 1)), "nothing");
  EXPECT_EQ(refused({{}, true}, Lattice::numbers(std::uint64_t{1} << 32)), "nothing");
}

}  // namespace
}  // namespace fractile
