#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/release/release.hpp"

namespace fractile {
namespace {

QuantileQuery served_query(Rational quantile) {
  QuantileQuery query{{std::move(quantile)}, Budget::pure(Rational(1))};
  query.mechanism = Mechanism::exponential;
  return query;
}

/// From the definition, on a lattice of so few candidates that nothing is found before: weights exp(-epsilon rate score).
double loss_on(const std::vector<std::uint64_t>& counts, const Rational& quantile, double epsilon,
               const ReleaseAnalyst& analyst) {
  double all = 0;
  for (const std::uint64_t count : counts) all += static_cast<double>(count);
  const double q = quantile.to_double();
  double below = 0;
  double sum = 0;
  double lost = 0;
  for (const std::uint64_t count : counts) {
    const double missed = std::max({below - q * all, q * all - below - static_cast<double>(count), 0.0});
    const double weight = std::exp(-epsilon * missed / std::max(q, 1 - q) / 2);
    below += static_cast<double>(count);
    sum += weight;
    const bool is_mean = analyst.loss == ReleaseAnalyst::Loss::missed_records;
    lost += weight * (is_mean ? missed : missed > static_cast<double>(analyst.tolerance) ? 1 : 0);
  }
  return lost / sum;
}

RankProfile counted(const Lattice& lattice, const std::vector<std::uint64_t>& counts) {
  ProfileBuilder builder(lattice);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) builder.add_position(2 * k + 1, counts[k]);
  }
  return builder.finish();
}

TEST(ServedEpsilons, AreTheDefinitions) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 8);
    std::vector<std::uint64_t> counts;
    for (std::size_t k = 0; k < values; ++k) counts.push_back(*rc::gen::inRange<std::uint64_t>(0, 20));
    counts[*rc::gen::inRange<std::size_t>(0, values)] += 1;
    const Rational quantile(*rc::gen::inRange<std::int64_t>(1, 8), 8);
    ReleaseAnalyst analyst;
    if (*rc::gen::arbitrary<bool>()) {
      analyst.loss = ReleaseAnalyst::Loss::missed_by_more;
      analyst.tolerance = *rc::gen::inRange<std::uint64_t>(0, 10);
      analyst.accepted_loss = Rational(*rc::gen::inRange<std::int64_t>(1, 99), 100);
    } else {
      analyst.accepted_loss = Rational(*rc::gen::inRange<std::int64_t>(1, 100), 10);
    }
    const Lattice lattice = Lattice::numbers(values);
    std::uint64_t rows = 0;
    for (const std::uint64_t count : counts) rows += count;
    const ServedEpsilons found =
        served_epsilons(served_query(quantile), lattice, counted(lattice, counts), rows, analyst, Rational(1, 100), 20);
    const double most = analyst.accepted_loss.to_double();
    const double slack = 1e-9 * (most + 1);
    if (found.served_from) {
      RC_ASSERT(loss_on(counts, quantile, found.served_from->to_double(), analyst) <= most + slack);
    }
    if (found.not_served_to) {
      RC_ASSERT(loss_on(counts, quantile, found.not_served_to->to_double(), analyst) >= most - slack);
    }
    RC_ASSERT(found.served_from.has_value() || found.not_served_to.has_value());
    if (found.served_from && found.not_served_to) {
      RC_ASSERT(*found.not_served_to < *found.served_from);
    } else {
      const bool is_whole = found.served_from ? *found.served_from == found.low : *found.not_served_to == found.high;
      RC_ASSERT(is_whole);
    }
  }));
}

/// Expects a mean over simulated releases to agree with the claimed loss, within the error of so many releases.
void expect_simulated(const QuantileQuery& query, const Lattice& lattice, const AnalystTrial& trial) {
  constexpr std::uint64_t rows = 2000;
  constexpr std::uint64_t releases = 300;
  QuantileQuery asked = query;
  asked.budget = Budget::pure(trial.epsilon);
  const TypicalError typical = typical_error(asked, lattice, Shape::log_normal, rows, releases);
  double mean = 0;
  for (const double one : typical.mean) mean += one / static_cast<double>(typical.mean.size());
  ASSERT_TRUE(trial.loss.has_value());
  const double lower = trial.loss->lower.to_double();
  const double upper = trial.loss->upper.to_double();
  EXPECT_LT(upper - lower, 1e-5 * upper);
  EXPECT_NEAR(mean, upper, 0.2 * upper + 0.05) << trial.epsilon.to_string();
}

// A large range of values, where preliminary selections look for round numbers: losses are means over their findings.
TEST(ServedEpsilons, AreThoseOfReleases) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  const RankProfile reference = reference_table(lattice, Shape::log_normal, 2000);
  for (const std::vector<Rational>& quantiles :
       {std::vector<Rational>{Rational(1, 2)}, {Rational(1, 4), Rational(1, 2), Rational(3, 4)}}) {
    QuantileQuery query{quantiles, Budget::pure(Rational(1))};
    query.expected_rows = 2000;
    ReleaseAnalyst analyst;
    analyst.accepted_loss = 3;
    const ServedEpsilons found =
        served_epsilons(query, lattice, reference, 2000, analyst, Rational(1, 4), Rational(3, 4));
    EXPECT_FALSE(found.never_rises);
    ASSERT_TRUE(found.served_from.has_value());
    ASSERT_TRUE(found.not_served_to.has_value());
    EXPECT_LT(*found.not_served_to, *found.served_from);
    EXPECT_LE(*found.served_from, *found.not_served_to * Rational(11, 10));  // two digits
    for (const Rational& epsilon : {*found.served_from, *found.not_served_to}) {
      const auto at = std::ranges::find(found.tried, epsilon, &AnalystTrial::epsilon);
      ASSERT_NE(at, found.tried.end());
      expect_simulated(query, lattice, *at);
    }
  }
}

// Records on multiples of a thousand, which a preliminary selection finds or does not: the mean over both.
TEST(ServedEpsilons, WeighWhatIsFoundBefore) {
  const Lattice lattice = Lattice::regular(0, 200'000, 1);
  ProfileBuilder builder(lattice);
  for (std::uint64_t k = 1; k <= 40; ++k) builder.add_position(2 * (80'000 + 1000 * k) + 1, 50);
  const RankProfile table = builder.finish();
  for (const std::vector<Rational>& quantiles :
       {std::vector<Rational>{Rational(41, 100)}, {Rational(41, 100), Rational(59, 100)}}) {
    QuantileQuery query{quantiles, Budget::pure(Rational(1))};
    query.expected_rows = table.records();
    ReleaseAnalyst analyst;
    analyst.loss = ReleaseAnalyst::Loss::missed_by_more;
    analyst.tolerance = 10;  // the multiples next to a quantile, and not what lies between
    analyst.accepted_loss = Rational(1, 10);
    const ServedEpsilons found =
        served_epsilons(query, lattice, table, table.records(), analyst, Rational(1, 5), Rational(1, 2));
    for (const AnalystTrial& trial : found.tried) {
      ASSERT_TRUE(trial.loss.has_value());
      query.budget = Budget::pure(trial.epsilon);
      constexpr int releases = 300;
      RandomBits bits = RandomBits::unsafe_seeded(7);
      RandomSource source(bits);
      int missed = 0;
      for (int i = 0; i < releases; ++i) {
        const Release release = release_with(table, {query}, source);
        bool misses = false;
        for (std::size_t j = 0; j < quantiles.size(); ++j) {
          const QuantileFraction alpha = QuantileFraction::of(quantiles[j]);
          const std::uint64_t index = release.only().indices[j];
          misses = misses || interval_score(alpha, table.below(index), table.equal(index), table.records()) >
                                 analyst.tolerance * alpha.denominator;
        }
        missed += misses ? 1 : 0;
      }
      const double expected = trial.loss->upper.to_double();
      EXPECT_LT(expected - trial.loss->lower.to_double(), 1e-6);
      EXPECT_NEAR(static_cast<double>(missed) / releases, expected, 5 * std::sqrt(expected / releases) + 0.002)
          << trial.epsilon.to_string();
    }
  }
}

// The loss of interpolated quantiles, of counts and of selections level by level is not computed: nothing is claimed.
TEST(ServedEpsilons, OfWhatIsNotLookedAtNothingIsKnown) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  const RankProfile reference = reference_table(lattice, Shape::normal, 1000);
  QuantileQuery query{{}, Budget::pure(Rational(1))};
  for (std::int64_t i = 1; i < 7; ++i) query.quantiles.emplace_back(i, 7);
  query.expected_rows = 1000;
  ReleaseAnalyst analyst;
  analyst.accepted_loss = 1000;
  const ServedEpsilons found =
      served_epsilons(query, lattice, reference, 1000, analyst, Rational(1, 5), Rational(3, 5));
  EXPECT_EQ(found.tried.front().answer, AnalystTrial::Answer::unknown);  // some are interpolated
  EXPECT_FALSE(found.tried.front().loss.has_value());
  EXPECT_EQ(found.tried.back().answer, AnalystTrial::Answer::served);
  EXPECT_GT(*found.served_from, found.tried.front().epsilon);
  query.mechanism = Mechanism::tree;
  EXPECT_THROW(served_epsilons(query, lattice, reference, 1000, analyst, Rational(1, 5), 1), Error);
}

TEST(ServedEpsilons, Refusals) {
  const Lattice lattice = Lattice::numbers(4);
  const RankProfile reference = counted(lattice, {1, 1, 1, 1});
  const QuantileQuery query = served_query(Rational(1, 2));
  EXPECT_THROW(served_epsilons(query, lattice, reference, 4, {}, 1, 1), Error);
  EXPECT_THROW(served_epsilons(query, lattice, reference, 4, {}, 0, 1), Error);
  EXPECT_THROW(served_epsilons(query, lattice, reference, 0, {}, 1, 2), Error);
  QuantileQuery zcdp = query;
  zcdp.budget = Budget::zcdp(Rational(1));
  EXPECT_THROW(served_epsilons(zcdp, lattice, reference, 4, {}, 1, 2), Error);
}

}  // namespace
}  // namespace fractile
