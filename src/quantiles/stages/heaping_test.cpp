#include "quantiles/stages/heaping.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/draws.hpp"
#include "support/preliminary_outcome.hpp"
#include "support/profiles.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::as_if_found;
using testing::effort;
using testing::FreeDraws;
using testing::profile_of;

std::vector<std::uint64_t> moduli_of(const Lattice& lattice, const std::optional<RoundGrid>& grid = {}) {
  std::vector<std::uint64_t> result;
  for (const HeapGrid& heap : heap_grids(lattice, grid)) result.push_back(heap.modulus);
  return result;
}

TEST(Heaping, HeapsAreMultiplesThatLieInTheLattice) {
  using Moduli = std::vector<std::uint64_t>;
  EXPECT_EQ(moduli_of(Lattice::regular(0, 1000, 1)), (Moduli{5, 7, 8, 10, 12, 15, 16, 20, 25, 30, 50, 60, 100}));
  EXPECT_EQ(moduli_of(Lattice::regular(1, 30, 1)), (Moduli{5, 7, 8, 10, 12, 15}));  // one multiple of 16 alone
  EXPECT_EQ(moduli_of(Lattice::regular(0, 100, Rational(1, 10)), RoundGrid{0, 10}).back(), 100U);
  EXPECT_EQ(moduli_of(Lattice::regular(0, 100, Rational(1, 10)), RoundGrid{0, 100}), (Moduli{5, 7, 8, 10}));
  EXPECT_TRUE(heap_grids(Lattice::explicit_points({0, 5, 10, 15}), {}).empty());
  const Lattice shifted = Lattice::regular(-13, 87, 1);
  for (const HeapGrid& heap : heap_grids(shifted, {})) {
    EXPECT_EQ(heap.grid.stride, heap.modulus);
    const Rational first = shifted.at(heap.grid.offset);
    EXPECT_EQ((first / Rational(heap.modulus)).denominator(), Rational(1));
    EXPECT_LT(heap.grid.offset, heap.modulus);
  }
}

// 32 log2(1 + 7 / modulus): the cost of a record off the heaps that is described by them.
TEST(Heaping, ScoresAreGainsInBits) {
  const Lattice lattice = Lattice::regular(0, 200, 1);
  const std::vector<HeapGrid> heaps = heap_grids(lattice, {});
  // Seven records on 3, two on 10, three on 100, four on 60, one between candidates.
  const RankProfile profile(lattice, {7, 21, 40, 121, 201}, std::vector<std::uint64_t>{7, 2, 1, 4, 3});
  const auto on = [](std::uint64_t modulus) {
    std::uint64_t records = 0;
    for (const auto& [value, count] : {std::pair{3, 7}, {10, 2}, {100, 3}, {60, 4}}) {
      if (static_cast<std::uint64_t>(value) % modulus == 0) records += static_cast<std::uint64_t>(count);
    }
    return records;
  };
  const std::vector<std::uint64_t> scores = heaping_scores(profile, heaps);
  ASSERT_EQ(scores.size(), heaps.size() + 1);
  EXPECT_EQ(scores[0], 96 * 17);
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    const double cost = 32 * std::log2(1 + 7.0 / static_cast<double>(heaps[i].modulus));
    const auto records = static_cast<double>(on(heaps[i].modulus));
    EXPECT_NEAR(static_cast<double>(scores[i + 1]), 96 * (17 - records) + 17 * cost, 17 * 0.5) << heaps[i].modulus;
  }
}

// For any origin and step of the lattice, scores are those of the definition, which counts one candidate at a time.
TEST(Heaping, ScoresCountTheRecordsOnEveryHeap) {
  EXPECT_TRUE(rc::check([] {
    const std::int64_t step_denominator = *rc::gen::element(1, 4, 10);
    const std::int64_t lower = *rc::gen::inRange(-40, 40);
    const Lattice lattice = Lattice::regular(lower, lower + *rc::gen::inRange(20, 300), Rational(1, step_denominator));
    std::optional<RoundGrid> grid;
    if (step_denominator > 1 && *rc::gen::arbitrary<bool>()) grid = round_grid(lattice, 1);
    const std::vector<HeapGrid> heaps = heap_grids(lattice, grid);
    std::map<Position, std::uint64_t> records;
    for (int i = *rc::gen::inRange(0, *rc::gen::element(60, 1'500)); i > 0; --i)  // few or many positions
      ++records[*rc::gen::inRange<Position>(0, 2 * lattice.size() + 1)];
    const RankProfile profile = profile_of(lattice, records);
    const std::vector<std::uint64_t> scores = heaping_scores(profile, heaps);
    RC_ASSERT(scores.size() == heaps.size() + 1);
    for (std::size_t i = 0; i < heaps.size(); ++i) {
      std::uint64_t on = 0;
      for (const auto& [position, count] : records) {
        if (position % 2 == 1 && heaps[i].grid.contains(position / 2)) on += count;
      }
      RC_ASSERT((scores[i + 1] + 96 * on - scores[0]) % std::max<std::uint64_t>(profile.records(), 1) == 0U);
      RC_ASSERT(scores[i + 1] + 96 * on >= scores[0]);
      RC_ASSERT(scores[i + 1] + 96 * on <= scores[0] + 40 * profile.records());
    }
  }));
}

Exponent rate_at(const char* epsilon) {
  return heaping_rate(preliminary_calibration(QuantileQuery{{Rational(1, 2)}, Budget::pure(Exponent::parse(epsilon))}));
}

/// The numbers of 1,000 releases that find each of the heaps, by modulus; at 0, no heaps.
std::vector<std::uint64_t> found_in(const RankProfile& profile, const Lattice& lattice) {
  const std::vector<HeapGrid> heaps = heap_grids(lattice, {});
  const Exponent rate = rate_at("1");
  RandomBits bits = RandomBits::system();
  std::vector<std::uint64_t> found(101);
  for (int i = 0; i < 1000; ++i) {
    const std::optional<RoundGrid> grid = select_heaps(profile, heaps, rate, FreeDraws(bits).part());
    ++found[grid ? grid->stride : 0];
  }
  return found;
}

// Four records in ten on multiples of 16, as pages of books are; and none that heap.
TEST(Heaping, FindsPagesInSixteensAndHardlyAnythingWhereThereIsNothing) {
  const Lattice pages = Lattice::regular(0, 1500, 1);
  ProfileBuilder books(pages);
  ProfileBuilder even(pages);
  for (std::int64_t i = 0; i < 1000; ++i) {
    books.add(i % 10 < 4 ? 16 * (10 + i % 31) : 100 + i * 7919 % 500);
    even.add(i * 7919 % 1499);
  }
  const std::vector<std::uint64_t> of_books = found_in(books.finish(), pages);
  EXPECT_GT(of_books[16] + of_books[8], 650U);
  EXPECT_GT(of_books[16], of_books[8]);
  EXPECT_LT(of_books[0], 250U);
  const std::vector<std::uint64_t> of_even = found_in(even.finish(), pages);
  EXPECT_GT(of_even[0], 750U);
  EXPECT_LT(of_even[5] + of_even[7] + of_even[8], 30U);
}

/// Hours of work: half of the records at 40, and most others at multiples of five.
RankProfile hours(const Lattice& lattice) {
  ProfileBuilder builder(lattice);
  for (std::int64_t i = 0; i < 1000; ++i) builder.add(i % 2 == 0 ? 40 : i % 10 < 7 ? 5 * (4 + i % 12) : 15 + i % 50);
  return builder.finish();
}

/// A query with so many expected rows that nothing depends on their number.
QuantileQuery told_evenly(std::int64_t parts, const Budget& budget) {
  QuantileQuery query{{}, budget};
  query.expected_rows = 1'000'000;
  for (std::int64_t i = 1; i < parts; ++i) query.quantiles.emplace_back(i, parts);
  return query;
}

TEST(Heaping, SomeQuantilesAreCountedWhereRecordsHeapAndSelectedWhereTheyDoNot) {
  const Lattice lattice = Lattice::regular(0, 150, 1);
  ProfileBuilder ages(lattice);
  for (std::int64_t i = 0; i < 1000; ++i) ages.add(17 + i * 7919 % 60);
  const QuantileQuery query = told_evenly(21, Budget::pure(Rational(20)));  // so that what is found is certain
  RandomBits bits = RandomBits::system();
  const Release heaped = release(hours(lattice), query, bits);
  EXPECT_EQ(heaped.only().used.mechanism, Mechanism::tree);
  EXPECT_TRUE(heaped.only().used.heaping);
  EXPECT_TRUE(heaped.only().used.widths.empty());
  const Release even = release(ages.finish(), query, bits);
  EXPECT_EQ(even.only().used.mechanism, Mechanism::joint_total);
  // Few quantiles are selected either way, many counted, and nothing is looked for.
  EXPECT_EQ(release(hours(lattice), told_evenly(11, query.budget), bits).only().used.mechanism, Mechanism::joint_total);
  const Release many = release(hours(lattice), told_evenly(31, query.budget), bits);
  EXPECT_EQ(many.only().used.mechanism, Mechanism::tree);
  EXPECT_FALSE(many.only().used.heaping);
}

TEST(Heaping, PlansPayForWhatTheyLookFor) {
  const QuantileQuery query = told_evenly(4, Budget::pure(Rational(1)));
  const QuantilePlan none = plan_of(query, Lattice::regular(0, 50, 1));
  const QuantilePlan heaps = plan_of(query, Lattice::regular(0, 150, 1));
  const QuantilePlan both = plan_of(query, Lattice::regular(0, 120, Rational(1, 1000)));
  EXPECT_EQ(shares_taken(none.stages()), 0);
  EXPECT_EQ(shares_taken(heaps.stages()), 1);
  EXPECT_EQ(shares_taken(both.stages()), 1);  // no granularity: no heaps of anything
  EXPECT_EQ(shares_taken(both.stages({{both.choice.grids.front(), {}}})), 2);
  EXPECT_EQ(query_after(query, 2).budget.epsilon(), Exponent(Rational(38, 40)));
  QuantileQuery plain = query;
  plain.mechanism = Mechanism::approximate;
  EXPECT_EQ(shares_taken(plan_of(plain, Lattice::regular(0, 150, 1)).stages()), 0);
}

// By the base measure, quantiles on heaps are selected more often, and errors are smaller.
TEST(Heaping, MakesQuantilesOfHeapsNearer) {
  const Lattice lattice = Lattice::regular(0, 1500, 1);
  ProfileBuilder builder(lattice);
  for (std::int64_t i = 0; i < 1000; ++i) builder.add(i % 2 == 0 ? 16 * (10 + i % 31) : 100 + i * 7919 % 500);
  const RankProfile profile = builder.finish();
  QuantileQuery query = told_evenly(11, Budget::pure(Rational(1)));
  query.mechanism = Mechanism::joint_total;
  const auto error_with = [&](Base base) {
    query.base = base;
    RandomBits bits = RandomBits::system();
    double error = 0;
    const std::uint64_t trials = effort(300, 300);
    for (std::uint64_t i = 0; i < trials; ++i) {
      const Release release = fractile::release(profile, query, bits);
      for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
        const QuantileFraction q = QuantileFraction::of(query.quantiles[j]);
        const std::uint64_t at = release.only().indices[j];
        error += static_cast<double>(interval_score(q, profile.below(at), profile.equal(at), profile.records())) /
                 static_cast<double>(q.denominator);
      }
    }
    return error / static_cast<double>(trials * query.quantiles.size());
  };
  EXPECT_LT(error_with(Base::adaptive), 0.85 * error_with(Base::uniform));
}

// A receipt's bound, which knows the findings, is no worse than a plan's, which must hold for all findings.
TEST(Heaping, WorstCasesKnowWhatWasFound) {
  const Lattice lattice = Lattice::regular(0, 1500, 1);
  QuantileQuery query = told_evenly(6, Budget::pure(Rational(1)));
  query.expected_rows = 20'000;
  const Rational confidence(19, 20);
  const WorstCase planned = worst_case(query, lattice, confidence);
  RandomBits bits = RandomBits::system();
  const Release release = fractile::release(hours(lattice), query, bits);
  const RoundGrid of_fives = heap_grids(lattice, {}).front().grid;
  const WorstCase none = worst_case(as_if_found(release, {}), confidence);
  const WorstCase fives = worst_case(as_if_found(release, PreliminaryOutcome{{{}, of_fives}}), confidence);
  for (std::size_t j = 0; j < query.quantiles.size(); ++j) {
    EXPECT_LT(none.ranks[j].value(), fives.ranks[j].value());
    EXPECT_EQ(fives.ranks[j].value(), planned.ranks[j].value());
  }
}

// Quantiles selected after looking for heaps in vain are bounded like those of a query with the rest of the budget.
TEST(Heaping, WorstCasesOfSelectionsHaveTheRestOfTheBudget) {
  const Lattice lattice = Lattice::regular(-1, 150, 1);  // zero is no end, so all weights are equal
  const QuantileQuery query = told_evenly(6, Budget::pure(Rational(1)));
  RandomBits bits = RandomBits::system();
  const Release release = as_if_found(fractile::release(hours(lattice), query, bits), {});
  QuantileQuery rest = query_after(query, 1);
  rest.base = Base::uniform;
  EXPECT_EQ(worst_case(release, Rational(19, 20)).ranks, worst_case(rest, lattice, Rational(19, 20)).ranks);
}

// The same bits give the heaps, and then the counts with the rest of the budget.
TEST(Heaping, CountsHaveTheRestOfTheBudget) {
  const Lattice lattice = Lattice::regular(0, 150, 1);
  const RankProfile profile = hours(lattice);
  const QuantileQuery query = told_evenly(21, Budget::pure(Rational(1)));
  const QuantileQuery rest = query_after(query, 1);
  const CountTreeShape shape = count_tree_shape(lattice.size());
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    const Release release = fractile::release(profile, query, bits);
    if (release.only().used.mechanism != Mechanism::tree) continue;
    ++counted;
    RandomBits again = RandomBits::unsafe_seeded(seed);
    FreeDraws draws(again);
    select_heaps(profile, heap_grids(lattice, {}), rate_at("1"), draws.part());
    const CountTreeNoise noise(rest, shape.height());
    EXPECT_EQ(release.only().indices, sample_tree_quantiles(profile, query.quantiles, shape, noise, draws.part()));
  }
  EXPECT_GT(counted, 10);
}

// Counts on a tree of few candidates that records heap on keep what is promised, with what finding the heaps left.
TEST(Heaping, WorstCasesOfCountsHaveTheRestOfTheBudget) {
  const Lattice lattice = Lattice::regular(0, 150, 1);
  const QuantileQuery query = told_evenly(21, Budget::pure(Rational(1)));
  RandomBits bits = RandomBits::system();
  const RoundGrid of_fives = heap_grids(lattice, {}).front().grid;
  const Release release =
      as_if_found(fractile::release(hours(lattice), query, bits), PreliminaryOutcome{{{}, of_fives}});
  QuantileQuery counted = query_after(query, 1);
  counted.mechanism = Mechanism::tree;
  EXPECT_EQ(worst_case(release, Rational(19, 20)).ranks, worst_case(counted, lattice, Rational(19, 20)).ranks);
}

}  // namespace
}  // namespace fractile
