#include "fractile/release_analyst.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"

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
    lost += weight * (is_mean ? missed : missed > static_cast<double>(analyst.than) ? 1 : 0);
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
      analyst.than = *rc::gen::inRange<std::uint64_t>(0, 10);
      analyst.most = Rational(*rc::gen::inRange<std::int64_t>(1, 99), 100);
    } else {
      analyst.most = Rational(*rc::gen::inRange<std::int64_t>(1, 100), 10);
    }
    const Lattice lattice = Lattice::numbers(values);
    std::uint64_t rows = 0;
    for (const std::uint64_t count : counts) rows += count;
    const ServedEpsilons found =
        served_epsilons(served_query(quantile), lattice, counted(lattice, counts), rows, analyst, Rational(1, 100), 20);
    const double most = analyst.most.to_double();
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

// Of a large range of values, where preliminary stages may find one thing or another: served whatever they find.
TEST(ServedEpsilons, HoldWhateverIsFoundBefore) {
  const Lattice lattice = Lattice::regular(0, 500'000, 1);
  const RankProfile reference = reference_table(lattice, Shape::log_normal, 5000);
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  ReleaseAnalyst analyst;
  analyst.most = 10;
  const ServedEpsilons found = served_epsilons(query, lattice, reference, 5000, analyst, Rational(1, 100), 10);
  ASSERT_TRUE(found.served_from.has_value());
  ASSERT_TRUE(found.not_served_to.has_value());
  EXPECT_LT(*found.not_served_to, *found.served_from);
  query.budget = Budget::pure(*found.served_from);
  query.expected_rows = 5000;
  const TypicalError typical = typical_error(query, lattice, Shape::log_normal, 5000, 400);
  EXPECT_LT(typical.mean.front(), 12);
}

TEST(ServedEpsilons, Refusals) {
  const Lattice lattice = Lattice::numbers(4);
  const RankProfile reference = counted(lattice, {1, 1, 1, 1});
  const QuantileQuery query = served_query(Rational(1, 2));
  EXPECT_THROW(served_epsilons(query, lattice, reference, 4, {}, 1, 1), Error);
  EXPECT_THROW(served_epsilons(query, lattice, reference, 4, {}, 0, 1), Error);
  EXPECT_THROW(served_epsilons(query, lattice, reference, 0, {}, 1, 2), Error);
  QuantileQuery several = query;
  several.quantiles = {Rational(1, 4), Rational(1, 2)};
  several.mechanism = Mechanism::automatic;
  EXPECT_THROW(served_epsilons(several, lattice, reference, 4, {}, 1, 2), Error);
  QuantileQuery zcdp = query;
  zcdp.budget = Budget::zcdp(Rational(1));
  EXPECT_THROW(served_epsilons(zcdp, lattice, reference, 4, {}, 1, 2), Error);
}

}  // namespace
}  // namespace fractile
