#include "quantiles/stages/granularity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "quantiles/joint/base_measure.hpp"
#include "quantiles/release/rank_error.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/draws.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;

Lattice lattice(const char* lower, const char* upper, const char* step) {
  return Lattice::regular(Rational::parse(lower), Rational::parse(upper), Rational::parse(step));
}

std::vector<std::uint64_t> strides(const Lattice& lattice) {
  std::vector<std::uint64_t> result;
  for (const RoundGrid& grid : round_grids(lattice)) result.push_back(grid.stride);
  return result;
}

TEST(Granularity, GridsAreThePowersOfTenThatFit) {
  using Strides = std::vector<std::uint64_t>;
  EXPECT_EQ(strides(lattice("-100", "100", "0.01")), (Strides{10, 100, 1000, 10'000}));
  EXPECT_EQ(strides(lattice("0", "125", "1")), (Strides{10, 100}));
  EXPECT_EQ(strides(lattice("0", "0.5", "0.25")), Strides{});
  EXPECT_EQ(strides(lattice("0", "100", "0.25")), (Strides{4, 40, 400}));
  EXPECT_EQ(strides(lattice("0.5", "99.5", "1")), Strides{});  // no whole numbers
  EXPECT_TRUE(round_grids(Lattice::explicit_points({0, 10, 20})).empty());
  const Lattice shifted = lattice("-7", "93", "1");
  for (const RoundGrid& grid : round_grids(shifted)) {
    EXPECT_EQ(shifted.at(grid.offset), Rational(0));
    EXPECT_TRUE(grid.contains(grid.offset + grid.stride));
    EXPECT_FALSE(grid.contains(grid.offset + 1));
  }
}

TEST(Granularity, NearestStaysOnTheGridAndTheLattice) {
  const RoundGrid grid{3, 10};
  EXPECT_EQ(grid.nearest(0, 30), 3U);
  EXPECT_EQ(grid.nearest(7, 30), 3U);
  EXPECT_EQ(grid.nearest(8, 30), 13U);
  EXPECT_EQ(grid.nearest(29, 30), 23U);
  EXPECT_EQ(grid.nearest(29, 34), 33U);
}

TEST(Granularity, ScoresTellHowFarFromAFifthTheFinerRecordsAre) {
  const std::vector<RoundGrid> grids{{0, 10}, {0, 100}};
  // One record between candidates, two on 7, three on 20, one on 100.
  const RankProfile profile(Lattice::numbers(201), {4, 15, 41, 201}, std::vector<std::uint64_t>{1, 2, 3, 1});
  EXPECT_EQ(granularity_scores(profile, grids), (std::vector<std::uint64_t>{52, 72, 102}));
  // One, three and eight: a twelfth is finer than tens, a third than hundreds.
  const RankProfile round(Lattice::numbers(201), {15, 41, 201}, std::vector<std::uint64_t>{1, 3, 8});
  EXPECT_EQ(granularity_scores(round, grids), (std::vector<std::uint64_t>{143, 82, 112}));
}

TEST(Granularity, RecordsMoveToTheNearestOfTheGrid) {
  const RankProfile profile(Lattice::numbers(30), {1, 15, 17, 27, 59},
                            std::vector<std::uint64_t>{1, 2, 3, 4, 5});  // 0, 7, 8, 13, 29
  const RankProfile coarse = on_grid(profile, {3, 10});
  EXPECT_EQ(coarse, RankProfile(Lattice::regular(3, 23, 10), {1, 3, 5}, std::vector<std::uint64_t>{3, 7, 5}));
}

TEST(Granularity, FindsWholeNumbersAmongHundredths) {
  const Lattice hundredths = lattice("0", "1000", "0.01");
  const std::vector<RoundGrid> grids = round_grids(hundredths);
  ProfileBuilder whole(hundredths);
  ProfileBuilder any(hundredths);
  for (std::int64_t i = 0; i < 1000; ++i) {
    whole.add(i * 7919 % 1000);
    any.add(static_cast<double>(i * 7919 % 99991) / 100);
  }
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const Exponent rate = Rational(1, 10);
  const std::optional<RoundGrid> found =
      select_granularity(whole.finish(), grids, rate, testing::FreeDraws(bits).part());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->stride, 100U);
  EXPECT_FALSE(select_granularity(any.finish(), grids, rate, testing::FreeDraws(bits).part()).has_value());
}

// Hours of work: only seven in ten are multiples of ten. At a fortieth of epsilon = 1, with 1,000 records.
TEST(Granularity, FindsWholeNumbersOfWhichMostAreTens) {
  const Lattice hundredths = lattice("0", "1000", "0.01");
  const std::vector<RoundGrid> grids = round_grids(hundredths);
  ProfileBuilder builder(hundredths);
  for (std::int64_t i = 0; i < 1000; ++i) builder.add(i % 10 < 7 ? 40 : 10 + i % 57);
  const RankProfile hours = builder.finish();
  const Exponent rate =
      granularity_rate(preliminary_calibration(QuantileQuery{{Rational(1, 2)}, Budget::pure(Rational(1))}));
  RandomBits bits = RandomBits::system();
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::optional<RoundGrid> grid = select_granularity(hours, grids, rate, testing::FreeDraws(bits).part());
    if (grid && grid->stride == 100) ++found;
  }
  EXPECT_GT(found, 3300);
}

// Lemma 6 of rank_error.md, at an epsilon at which the least score is all but certain: of all tables of 23 records.
TEST(Granularity, NoMoreRecordsAreFinerThanTheWorstCaseSays) {
  const std::vector<RoundGrid> grids{{0, 10}, {0, 100}, {0, 1000}};
  const QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(100'000))};
  constexpr std::uint64_t records = 23;
  const std::uint64_t most = finer_records(query, FindGranularity{grids}, records, Rational(1, 100)).value();
  EXPECT_LT(most, records);
  for (std::uint64_t a = 0; a <= records; ++a) {
    for (std::uint64_t b = a; b <= records; ++b) {
      for (std::uint64_t c = b; c <= records; ++c) {
        ProfileBuilder builder(lattice("0", "1000", "1"));
        builder.add_position(3, a);
        builder.add_position(21, b - a);
        builder.add_position(201, c - b);
        builder.add_position(2001, records - c);
        const std::vector<std::uint64_t> scores = granularity_scores(builder.finish(), grids);
        const std::uint64_t least = *std::ranges::min_element(scores);
        const std::array finer{std::uint64_t{0}, a, b, c};
        for (std::size_t j = 1; j < scores.size(); ++j) {
          if (scores[j] != least) continue;
          EXPECT_LE(finer[j], most) << a << ' ' << b << ' ' << c;
        }
      }
    }
  }
}

// Incomes to the unit, of which tens are no grid: a twentieth of the releases may find one, whatever the number of records.
TEST(Granularity, IsSeldomFoundWhereThereIsNone) {
  const Lattice units = lattice("0", "500000", "1");
  const std::vector<RoundGrid> grids = round_grids(units);
  std::mt19937_64 generator(3);
  std::lognormal_distribution<double> income(10.5, 0.8);
  RandomBits bits = RandomBits::system();
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1)), neighbors};
    const Exponent rate = granularity_rate(preliminary_calibration(query));
    for (const int records : {20, 50, 100, 200, 1000}) {
      ProfileBuilder builder(units);
      for (int i = 0; i < records; ++i) builder.add(static_cast<std::int64_t>(income(generator)));
      const RankProfile incomes = builder.finish();
      const auto draws = static_cast<int>(effort(1000));
      int found = 0;
      for (int i = 0; i < draws; ++i) {
        found += select_granularity(incomes, grids, rate, testing::FreeDraws(bits).part()) ? 1 : 0;
      }
      // 4.8 deviations above the twentieth: one run in a million.
      EXPECT_LE(found, draws * 0.05 + 4.8 * std::sqrt(draws * 0.05 * 0.95)) << records << to_string(neighbors);
    }
  }
}

/// Expects the measures to be sums of single weights, and draws to follow these.
void expect_measure(const BaseMeasure& base, Split lowest, Split highest) {
  std::vector<double> law;
  uint128 sum = 0;
  for (Split s = lowest; s <= highest; ++s) {
    const uint128 weight = base.mass(s, s + 1);
    EXPECT_EQ(base.mass(lowest, s), sum);
    sum += weight;
    EXPECT_GT(weight, 0U);
    EXPECT_EQ(base.holder(sum - 1), s);
    EXPECT_EQ(base.holder(sum - weight), s);
    law.push_back(static_cast<double>(weight));
  }
  EXPECT_EQ(base.total(), sum);
  for (double& p : law) p /= static_cast<double>(sum);
  std::vector<std::uint64_t> counts(law.size());
  RandomBits bits = RandomBits::system();
  for (std::uint64_t i = 0; i < effort(20'000); ++i) ++counts[base.draw(lowest, highest + 1, bits) - lowest];
  EXPECT_GT(chi_square_p(counts, law), 1e-9);
}

TEST(BaseMeasure, MassesAreSumsOfWeightsAndDrawsFollowThem) {
  const Split lowest = 5;
  const Split highest = 70;
  for (const std::optional<Edge>& edge :
       {std::optional<Edge>{}, std::optional<Edge>{{true, 3}}, std::optional<Edge>{{false, 6}}}) {
    for (const RoundNumbers& numbers :
         {RoundNumbers{}, RoundNumbers{{{3, 7}}, {}}, RoundNumbers{{}, {{1, 5}}}, RoundNumbers{{{1, 2}}, {{5, 10}}}}) {
      const BaseMeasure base(lowest, highest, 2, edge, numbers);
      expect_measure(base, lowest, highest);
      if (!edge || numbers.any()) continue;
      for (Split s = lowest + 1; s <= highest; ++s) {  // falls off towards the open end, never the other way
        const uint128 before = base.mass(s - 1, s);
        const uint128 weight = base.mass(s, s + 1);
        EXPECT_TRUE(edge->is_left ? before <= weight : weight <= before);
      }
    }
  }
}

// From a 32nd of the range inwards, the weight doubles whenever the distance to zero halves, down to one candidate or the grid's
// stride; zero itself has four times that.
TEST(BaseMeasure, FallsAwayFromZeroByOctaves) {
  const BaseMeasure base(0, 256, 1, {}, {}, Origin{0, 256});
  const auto weight = [](const BaseMeasure& of, Split at) { return static_cast<std::uint64_t>(of.mass(at, at + 1)); };
  for (const auto& [at, expected] : std::vector<std::pair<Split, std::uint64_t>>{
           {256, 1}, {9, 1}, {8, 2}, {5, 2}, {4, 4}, {3, 4}, {2, 8}, {1, 16}, {0, 64}}) {
    EXPECT_EQ(weight(base, at), expected) << at;
  }
  const BaseMeasure middle(0, 512, 1, {}, {}, Origin{256, 256});
  for (Split s = 0; s <= 256; ++s) EXPECT_EQ(weight(middle, 256 + s), weight(middle, 256 - s)) << s;
  const BaseMeasure on_fours(0, 256, 1, {}, {{{0, 4}}, {}}, Origin{0, 256});
  EXPECT_EQ(weight(on_fours, 1), 4U);  // no finer than the grid
  EXPECT_EQ(weight(on_fours, 0), 4U * 4 * (1 + 4 * 128));
  EXPECT_EQ(weight(on_fours, 4), 4U * (1 + 4 * 128));
}

TEST(BaseMeasure, MassesFromAnOriginAreSumsOfWeightsAndDrawsFollowThem) {
  for (const Origin& origin : {Origin{0, 500}, Origin{60, 70}, Origin{-20, 150}, Origin{130, 130}}) {
    for (const RoundNumbers& numbers : {RoundNumbers{}, RoundNumbers{{{0, 3}}, {}}, RoundNumbers{{}, {{5, 10}}}}) {
      expect_measure(BaseMeasure(4, 130, 2, {}, numbers, origin), 4, 130);
    }
  }
}

TEST(BaseMeasure, ZeroIsWhereTheLatticeHasItOrNowhere) {
  const auto zero = [](std::int64_t lower, std::int64_t upper) { return origin_of(Lattice::regular(lower, upper, 1)); };
  EXPECT_EQ(zero(0, 1000)->candidate, 0);
  EXPECT_EQ(zero(0, 1000)->reach, 1000U);
  EXPECT_EQ(zero(-100, 50)->candidate, 100);
  EXPECT_EQ(zero(-100, 50)->reach, 100U);
  EXPECT_EQ(zero(10, 1000)->candidate, -10);
  EXPECT_EQ(zero(10, 1000)->reach, 1000U);
  EXPECT_EQ(zero(-1000, -10)->candidate, 1000);
  EXPECT_FALSE(zero(2000, 2100));  // far outside: all weights would be one
  EXPECT_FALSE(zero(0, 31));       // too few
  EXPECT_TRUE(zero(0, 32));
  EXPECT_FALSE(origin_of(Lattice::explicit_points({1, 2, 5})));
}

TEST(BaseMeasure, HeapsWeighEightTimesWhatOthersOfTheirGridDo) {
  const auto weights = [](const RoundNumbers& numbers) {
    const BaseMeasure base(0, 99, 1, {}, numbers);
    return std::array{base.mass(31, 32), base.mass(32, 33), base.mass(40, 41)};
  };
  using Weights = std::array<uint128, 3>;
  EXPECT_EQ(weights({}), (Weights{1, 1, 1}));
  EXPECT_EQ(weights({RoundGrid{0, 4}, {}}), (Weights{1, 513, 513}));
  EXPECT_EQ(weights({{}, RoundGrid{0, 20}}), (Weights{1, 1, 8}));
  EXPECT_EQ(weights({RoundGrid{0, 4}, RoundGrid{0, 20}}), (Weights{1, 513, uint128{8} * 513}));
}

}  // namespace
}  // namespace fractile
