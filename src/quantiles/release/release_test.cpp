#include "quantiles/release/release.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "quantiles/stages/plan.hpp"
#include "support/draws.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;

QuantileQuery query_for(std::initializer_list<const char*> texts, const char* epsilon) {
  QuantileQuery query{{}, Budget::pure(Exponent::parse(epsilon))};
  for (const char* text : texts) query.quantiles.push_back(Rational::parse(text));
  return query;
}

RankProfile table_of(const Lattice& lattice, const std::vector<std::int64_t>& values) {
  ProfileBuilder builder(lattice);
  for (const std::int64_t v : values) builder.add(v);
  return builder.finish();
}

std::vector<std::uint64_t> released(const RankProfile& profile, const QuantileQuery& query) {
  RandomBits bits = RandomBits::system();
  return release(profile, query, bits).only().indices;
}

TEST(Release, HasTheLawThatIsAudited) {
  const std::uint64_t subcells = 3;
  const std::vector<QuantileQuery> queries{query_for({"1/2"}, "1"), query_for({"1/4", "1/2", "3/4"}, "2"),
                                           query_for({"0.1", "0.2", "0.9"}, "ln 5")};
  const RankProfile profile(Lattice::numbers(4), {1, 3, 7}, std::vector<std::uint64_t>{2, 5, 1});
  for (QuantileQuery query : queries) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
      for (const Filter filter : {Filter{}, Filter::stress()}) {
        query.neighbors = neighbors;
        const Calibration calibration(query, levels_for(query.quantiles.size()));
        const QuantileTree tree(profile, query.quantiles, calibration, subcells);
        const OutputLaw law = quantile_law(tree);
        std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
        RandomBits bits = RandomBits::system();
        for (std::uint64_t i = 0; i < effort(filter.prefix_bits == 64 ? 40'000 : 12'000); ++i) {
          std::vector<std::uint64_t> drawn = sample_splits(
              tree, query.quantiles.size(), testing::FreeDraws(bits, filter).parts(2), Wanted::candidates);
          for (std::uint64_t& split : drawn) split = tree.candidate_of(split);
          ++counts[drawn];
        }
        std::vector<std::uint64_t> observed;
        std::vector<double> expected;
        for (const auto& [output, p] : law) {
          observed.push_back(counts[output]);
          expected.push_back(p.to_double());
        }
        EXPECT_EQ(counts.size(), law.size());  // nothing outside the law (operator[] above added what was not drawn)
        EXPECT_GT(chi_square_p(observed, expected), 1e-9) << query.quantiles.size();
      }
    }
  }
}

TEST(Release, IsOrderedAndOnTheLattice) {
  EXPECT_TRUE(rc::check("any data, any quantiles", [] {
    const Lattice lattice =
        Lattice::regular(0, *rc::gen::element<std::int64_t>(0, 1, 5, 200, std::int64_t{1} << 45), 1);
    const auto values = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-3, 30));
    QuantileQuery query{{},
                        Budget::pure(Exponent::parse(*rc::gen::element<std::string>("0.1", "5", "1e-300", "1e300")))};
    for (int i = 0; i <= 20; ++i) {
      if (*rc::gen::arbitrary<bool>()) query.quantiles.emplace_back(i, 20);
    }
    if (query.quantiles.empty()) query.quantiles.emplace_back(1, 2);
    query.neighbors = *rc::gen::element(Neighbors::add_remove, Neighbors::change_one);
    do {
      query.mechanism =
          *rc::gen::elementOf(std::vector<Mechanism>(std::begin(all_mechanisms), std::end(all_mechanisms)));
    } while (query.mechanism == Mechanism::exponential && query.quantiles.size() > 1);
    const bool has_base = query.mechanism != Mechanism::independent && query.mechanism != Mechanism::tree;
    query.base = has_base ? *rc::gen::element(Base::by_mechanism, Base::uniform, Base::adaptive) : Base::uniform;
    if (*rc::gen::arbitrary<bool>()) query.expected_rows = *rc::gen::inRange<std::uint64_t>(1, 1000);
    const auto indices = released(table_of(lattice, values), query);
    RC_ASSERT(indices.size() == query.quantiles.size());
    RC_ASSERT(std::ranges::is_sorted(indices));
    RC_ASSERT(indices.back() < lattice.size());
  }));
}

// With a huge budget the law is concentrated on the best outputs: every true quantile of tied data must come out.
TEST(Release, WithoutNoiseIsTheTrueQuantileHoweverTied) {
  const Lattice lattice = Lattice::regular(0, 99, 1);
  std::vector<std::int64_t> values(60, 40);  // 60 % at 40
  values.insert(values.end(), 20, 10);
  values.insert(values.end(), 20, 90);
  const RankProfile profile = table_of(lattice, values);
  const auto indices = released(profile, query_for({"0.1", "0.25", "0.5", "0.75", "0.9"}, "1e6"));
  EXPECT_EQ(indices, (std::vector<std::uint64_t>{10, 40, 40, 40, 90}));
  EXPECT_EQ(released(profile, query_for({"0.5"}, "1e6")), (std::vector<std::uint64_t>{40}));
}

// Where the median is zero and the eighth decile is not, zeros are taken to reach half way: the sixth decile is one, and the line to the
// eighth begins at 0.65.
TEST(Release, HalfOfWhatIsBetweenZeroAndAnotherIsZero) {
  const Lattice lattice = Lattice::regular(0, 199, 1);
  std::vector<std::int64_t> values(65, 0);
  values.insert(values.end(), 35, 90);
  const RankProfile profile = table_of(lattice, values);
  QuantileQuery query = query_for({"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}, "1");
  query.expected_rows = 100;
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    const Release release = fractile::release(profile, query, bits);
    const auto decile = [&](std::size_t i) { return release.only().indices[i - 1]; };
    const bool three = release.only().used.selected == 3;  // 0.2, 0.5 and 0.8, when the noisy count is near a hundred
    if (!three || decile(5) != 0 || decile(8) < 3) continue;
    ++seen;
    EXPECT_EQ(decile(6), 0U);
    EXPECT_NEAR(static_cast<double>(decile(7)), static_cast<double>(decile(8)) / 3,
                2);  // each is somewhere in its candidate
    EXPECT_GE(decile(9), decile(8));
  }
  EXPECT_GT(seen, 30U);
}

// Corollary 3.6 of approximate-quantiles 2021: with a huge budget the synthetic rows are the table.
TEST(Release, SyntheticRowsAreDistributedLikeTheTable) {
  const Lattice lattice = Lattice::regular(0, 999, 1);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 50; ++i) values.push_back(i * i % 307 + 5);
  const RankProfile profile = table_of(lattice, values);
  std::ranges::sort(values);
  for (const Mechanism mechanism : {Mechanism::approximate, Mechanism::joint_tree}) {
    QuantileQuery query{synthetic_rows(50), Budget::pure(Rational(10'000)), Neighbors::add_remove, 1, mechanism};
    const std::vector<std::uint64_t> rows = released(profile, query);
    std::int64_t largest = 0;
    for (std::uint64_t candidate = 0; candidate < lattice.size(); ++candidate) {
      const auto below = [&](const auto& column) {
        return std::ranges::count_if(column, [&](auto v) { return static_cast<std::uint64_t>(v) < candidate; });
      };
      largest = std::max<std::int64_t>(largest, std::abs(below(rows) - below(values)));
    }
    EXPECT_LE(largest, 2) << to_string(mechanism);
  }
  EXPECT_THROW(synthetic_rows(0), Error);
}

// The mechanism that is reported as chosen depends on public inputs alone.
TEST(Release, AutoChoosesFromWhatIsPublic) {
  const auto used = [](std::size_t m, const Budget& budget, std::optional<std::uint64_t> rows, const char* step) {
    const Lattice lattice = Lattice::regular(0, 100, Rational::parse(step));
    QuantileQuery query{{}, budget};
    for (std::size_t i = 1; i <= m; ++i) query.quantiles.emplace_back(static_cast<std::int64_t>(i), m + 1);
    query.mechanism = Mechanism::automatic;
    query.expected_rows = rows;
    RandomBits bits = RandomBits::system();
    return release(table_of(lattice, {1, 2, 3}), query, bits).only().used;
  };
  const Budget one = Budget::pure(Rational(1));
  EXPECT_EQ(used(1, one, {}, "1").mechanism, Mechanism::exponential);
  EXPECT_EQ(used(8, one, {}, "1").mechanism, Mechanism::joint_total);
  EXPECT_EQ(used(9, one, {}, "1").mechanism, Mechanism::tree);  // among at most 128
  EXPECT_EQ(used(10, one, {}, "0.5").mechanism, Mechanism::joint_total);
  EXPECT_EQ(used(2, one, {}, "10").mechanism, Mechanism::tree);  // among at most 16
  EXPECT_EQ(used(9, Budget::zcdp(Rational(1)), {}, "10").mechanism, Mechanism::approximate);
  EXPECT_EQ(used(120, one, 1'000'000, "0.1").widths, (std::vector<std::size_t>{10, 10}));
  EXPECT_LT(used(120, one, {}, "0.1").selected, 17U);  // three are counted
  EXPECT_EQ(used(120, one, 1000, "0.1").selected, 17U);
  EXPECT_EQ(used(120, one, 1'000'000, "0.1").selected, 120U);
  EXPECT_EQ(used(120, one, {}, "1").mechanism, Mechanism::tree);
  EXPECT_EQ(used(10, Budget::zcdp(Rational(1, 2)), {}, "1").mechanism, Mechanism::approximate);
  EXPECT_FALSE(used(10, one, {}, "1").granularity);
  EXPECT_TRUE(used(10, one, 1'000'000, "0.0001").granularity);
  EXPECT_FALSE(used(10, one, {}, "0.0001").granularity);  // three tell nothing of it
  EXPECT_TRUE(used(10, one, {}, "0.0001").rows);
  EXPECT_FALSE(used(10, one, {}, "1").reason.empty());
}

// The first of two levels has more of the budget where few records are expected a quantile; all of it is shared out.
TEST(Release, LevelsAreUnevenAmongFewRecords) {
  const Lattice lattice = Lattice::regular(0, 100, Rational(1, 10));
  const auto emphasis = [&](std::optional<std::uint64_t> rows, const Budget& budget) {
    QuantileQuery query{{}, budget};
    for (std::int64_t i = 1; i <= 120; ++i) query.quantiles.emplace_back(i, 121);
    query.mechanism = Mechanism::joint_tree;
    query.expected_rows = rows;
    return plan_of(query, lattice).recursion().shape.emphasis;
  };
  const Budget one = Budget::pure(Rational(1));
  const std::vector<Rational> uneven = emphasis(1000, one);
  ASSERT_EQ(uneven.size(), 2U);
  EXPECT_GT(uneven[0], uneven[1]);
  EXPECT_EQ(uneven[0] + uneven[1], Rational(2));
  EXPECT_TRUE(emphasis({}, one).empty());
  EXPECT_TRUE(emphasis(2000, one).empty());
  EXPECT_EQ(emphasis(2000, Budget::pure(Rational(1, 2))), uneven);
  EXPECT_TRUE(emphasis(1000, Budget::zcdp(Rational(1, 2))).empty());
}

TEST(Release, EmptyTablesAndSingleRecordsAreReleased) {
  const Lattice lattice = Lattice::regular(0, 9, 1);
  const RankProfile empty = table_of(lattice, {});
  std::vector<std::uint64_t> counts(10);
  const QuantileQuery median = query_for({"1/2"}, "1");
  RandomBits bits = RandomBits::system();
  for (std::uint64_t i = 0; i < effort(20'000); ++i) ++counts[release(empty, median, bits).only().indices[0]];
  EXPECT_GT(chi_square_p(counts, std::vector<double>(10, 0.1)), 1e-9);
  EXPECT_EQ(released(empty, query_for({"1/4", "1/2", "3/4"}, "1")).size(), 3U);
  EXPECT_EQ(released(table_of(lattice, {4}), query_for({"1/4", "1/2", "3/4"}, "1")).size(), 3U);
}

TEST(Release, TheLargestLatticeAndAMillionTiesAreNoTrouble) {
  const Lattice lattice = Lattice::regular(0, 4611686018427387903, 1);
  ProfileBuilder builder(lattice);
  builder.add_position(2'000'001, 1'000'000);
  builder.add_position(4'000'001, 1'000'000);
  const auto indices = released(builder.finish(), query_for({"0.25", "0.5", "0.75"}, "1"));
  EXPECT_EQ(indices[0], 1'000'000U);
  EXPECT_EQ(indices[2], 2'000'000U);
}

/// A release's success does not depend on the number of records, however many digits its quantiles have.
TEST(Release, AnyNumberOfRecordsGoesWithAnyQuantiles) {
  constexpr std::uint64_t most = RankProfile::max_records;
  const std::vector<std::uint64_t> counts{most / 10, most / 10 * 3, most / 10 * 4, most / 10};
  const RankProfile profile(Lattice::numbers(100), {21, 61, 101, 161}, counts);
  for (const Mechanism mechanism : all_mechanisms) {
    QuantileQuery query = query_for({"0.4999999995", "0.75"}, "1");
    if (mechanism == Mechanism::exponential) query.quantiles.pop_back();
    query.mechanism = mechanism;
    const std::vector<std::uint64_t> indices = released(profile, query);
    EXPECT_EQ(indices.front(), 50U) << to_string(mechanism);
  }
}

TEST(Release, RefusesBeforeLookingAtTheData) {
  const auto refuses = [](const QuantileQuery& query) { EXPECT_THROW(query.validate(), Error); };
  refuses(query_for({}, "1"));
  refuses(query_for({"0.5", "0.5"}, "1"));
  refuses(query_for({"0.5", "0.25"}, "1"));
  refuses(query_for({"-0.1"}, "1"));
  refuses(query_for({"1.1"}, "1"));
  refuses(query_for({"0.12345678901"}, "1"));
  refuses(query_for({"1/3", "0.123456789"}, "1"));
  QuantileQuery nobody = query_for({"0.5"}, "1");
  nobody.records_per_person = 0;
  refuses(nobody);
  QuantileQuery two = query_for({"0.25", "0.5"}, "1");
  two.mechanism = Mechanism::exponential;
  refuses(two);
  // Such noise once ended a release after its charge: it has no place in 64 bits.
  QuantileQuery wide = query_for({"0.5"}, "1e-20");
  wide.intervals = IntervalRequest{Rational(9, 10)};
  refuses(wide);
  wide.budget = Budget::zcdp(Rational(10).pow(-24));
  refuses(wide);
  wide.intervals.reset();
  wide.mechanism = Mechanism::tree;
  refuses(wide);
  EXPECT_THROW(Budget::pure(Exponent()), Error);
  EXPECT_THROW(Budget::zcdp(Rational(0)), Error);
}

/// Nothing ends a release after its charge at the least budgets that are accepted.
TEST(Release, EndsAtTheLeastBudgetsOfNoise) {
  const RankProfile table(Lattice::numbers(100), std::vector<Position>{7, 99}, std::vector<std::uint64_t>{2, 3});
  RandomBits bits = RandomBits::unsafe_seeded(5);
  const Budget rho = Budget::zcdp(Rational(1) / Rational(2).pow(70));
  for (const Budget& budget : {Budget::pure(Rational(1) / Rational(2).pow(48)), rho}) {
    for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
      QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, budget};
      query.intervals = IntervalRequest{Rational(9, 10), of};
      EXPECT_NO_THROW(release(table, query, bits));
    }
  }
  QuantileQuery counted{{Rational(1, 2)}, rho};
  counted.mechanism = Mechanism::tree;
  EXPECT_NO_THROW(release(table, counted, bits));
}

/// Counts alone are released for all of the budget, and a release of nothing is refused.
TEST(Release, OfStatisticsAloneHasNoQuantiles) {
  const Lattice lattice = Lattice::regular(0, 100, 1);
  const QuantileQuery query{{}, Budget::pure(Rational(1))};
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const CountedColumn counted(reference_table(lattice, Shape::normal, 50), 1);
  EXPECT_THROW(release(counted, {query, {}, StatisticsRequest{{}, true, Rational(1, 2)}}, bits), Error);
  EXPECT_THROW(release(counted, query, bits), Error) << "nothing is asked for";
  const Release alone = release(counted, {query, {}, StatisticsRequest{{}, true, Rational(1)}}, bits);
  EXPECT_TRUE(alone.only().indices.empty());
  ASSERT_TRUE(alone.only().statistics);
  EpsilonSum spent;
  for (const PartCost& part : alone.only().spent) spent += part.amount;
  EXPECT_EQ(spent.to_string(), "1");
}

/// Callers of the library need not call validate() before.
TEST(Release, ValidatesWhateverItIsAskedByItself) {
  const BoundsSearch search{Rational(1), 10};
  const Lattice lattice = Lattice::regular(0, 9, 1);
  const RankProfile table = table_of(lattice, {1, 2, 3});
  const RankProfile unbounded = table_of(search.lattice(), {1, 2, 3});
  const auto expect_refused = [&](const QuantileQuery& query, const char* what) {
    RandomBits bits = RandomBits::system();
    const auto code_of = [&](auto call) {
      try {
        call();
      } catch (const Error& error) {
        return error.code();
      }
      return ErrorCode::internal;
    };
    const ReleaseOptions to_find(query, BoundsToFind{search, Rational(1, 10)});
    EXPECT_EQ(code_of([&] { release(table, query, bits); }), ErrorCode::usage) << what;
    EXPECT_EQ(code_of([&] { release({"a", "b"}, {table, table}, query, bits); }), ErrorCode::usage) << what;
    EXPECT_EQ(code_of([&] { release(unbounded, to_find, bits); }), ErrorCode::usage) << what;
    if (query.quantiles.empty()) return;  // a release of statistics alone
    ReleaseOptions with_count(query);
    with_count.statistics = StatisticsRequest{{}, false, Rational(1, 2)};
    EXPECT_EQ(code_of([&] { release(table, with_count, bits); }), ErrorCode::usage) << what;
  };
  for (const bool has_intervals : {false, true}) {
    QuantileQuery usual = query_for({"1/4", "1/2"}, "1");
    usual.expected_rows = 3;
    if (has_intervals) usual.intervals = IntervalRequest{Rational(19, 20)};
    QuantileQuery query = usual;
    query.records_per_person = 0;
    expect_refused(query, "a person without records");
    query = usual;
    query.expected_rows = 0;
    expect_refused(query, "no expected rows, which no receipt can hold");
    query.expected_rows = RankProfile::max_records + 1;
    expect_refused(query, "more expected rows than a table has");
    query = usual;
    query.quantiles = {Rational(1, 2), Rational(1, 4)};
    expect_refused(query, "decreasing quantiles");
    query.quantiles = {Rational(11, 10)};
    expect_refused(query, "a quantile above 1");
    query.quantiles = {};
    expect_refused(query, "no quantiles");
    query = usual;
    query.mechanism = Mechanism::exponential;
    expect_refused(query, "two of what releases one");
    query = usual;
    query.budget = Budget::approximate(Rational(1), Rational(1, 1'000'000));
    expect_refused(query, "a delta that is not used");
  }
}

TEST(Release, ValidatesStatisticsWithoutQuantiles) {
  const RankProfile table = table_of(Lattice::regular(0, 9, 1), {1, 2, 3});
  ReleaseOptions options(QuantileQuery{{}, Budget::pure(Rational(1))});
  options.statistics = StatisticsRequest{{}, false, Rational(1)};
  RandomBits bits = RandomBits::system();
  EXPECT_EQ(release(table, options, bits).only().indices.size(), 0U);
  options.query.expected_rows = 0;  // no receipt can hold it
  EXPECT_THROW(release(table, options, bits), Error);
  options.query.expected_rows = RankProfile::max_records + 1;
  EXPECT_THROW(release(table, options, bits), Error);
}

TEST(Release, WithoutRandomBitsNothingIsReleased) {
  const Lattice lattice = Lattice::regular(0, 9, 1);
  RandomBits broken =
      RandomBits::from_source([](std::span<std::byte>) { throw Error(ErrorCode::internal, "no bits"); });
  EXPECT_THROW(release(table_of(lattice, {1}), query_for({"0.5"}, "1"), broken), Error);
}

TEST(Release, DrawsWithTheDefaultFilter) {
  const RankProfile profile = table_of(Lattice::regular(0, 9, 1), {1, 4, 4, 7});
  const QuantileQuery query = query_for({"1/4", "1/2"}, "1");
  std::size_t otherwise = 0;  // with another filter
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto bits = [&] { return RandomBits::unsafe_seeded(seed); };
    const auto one = [&](RandomBits b, Filter filter) {
      return detail::release(profile, query, b, filter).only().indices;
    };
    const auto two = [&](RandomBits b, Filter filter) {
      return detail::release({"a", "b"}, {profile, profile}, query, b, filter).groups[1].indices;
    };
    RandomBits first = bits();
    const std::vector<std::uint64_t> indices = release(profile, query, first).only().indices;
    EXPECT_EQ(indices, one(bits(), {}));
    otherwise += indices == one(bits(), Filter::stress()) ? 0U : 1U;
    RandomBits second = bits();
    EXPECT_EQ(release({"a", "b"}, {profile, profile}, query, second).groups[1].indices, two(bits(), {}));
  }
  EXPECT_GT(otherwise, 0U);
}

TEST(Release, SaysWhenItsBitsWereSeeded) {
  const Lattice lattice = Lattice::regular(0, 9, 1);
  RandomBits seeded = RandomBits::unsafe_seeded(3);
  EXPECT_EQ(release(table_of(lattice, {1}), query_for({"0.5"}, "1"), seeded).unsafe_seed, 3U);
  RandomBits bits = RandomBits::system();
  EXPECT_FALSE(release(table_of(lattice, {1}), query_for({"0.5"}, "1"), bits).unsafe_seed);
}

TEST(Calibration, NeverOverspendsZcdp) {
  EXPECT_TRUE(rc::check("levels times range squared over eight", [] {
    const Rational rho(*rc::gen::inRange(1, 1000), *rc::gen::inRange(1, 1000));
    QuantileQuery query{{Rational(1, 2)}, Budget::zcdp(rho)};
    query.neighbors = *rc::gen::element(Neighbors::add_remove, Neighbors::change_one);
    query.records_per_person = *rc::gen::inRange<std::uint32_t>(1, 5);
    const int levels = *rc::gen::inRange(1, 9);
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 50);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const Calibration calibration(query, levels);
    const auto cost = [&](bool alone, Neighbors seen) {
      const Rational range = calibration.rate(alpha, alone).coefficient() *
                             Rational(static_cast<std::int64_t>(score_range(alpha, seen))) *
                             Rational(query.records_per_person);
      return Rational(levels) * range * range / Rational(8);
    };
    RC_ASSERT(cost(true, query.neighbors) <= rho);
    RC_ASSERT(cost(false, query.neighbors) <= rho);
    if (query.neighbors == Neighbors::change_one) {
      RC_ASSERT(cost(false, Neighbors::add_remove) * Rational(2) <= rho);
    }
    RC_ASSERT(cost(true, query.neighbors) >= rho * Rational(999, 1000));
  }));
}

TEST(Release, WithoutValuesHasNoGroup) {
  const Lattice lattice = Lattice::regular(0, 10, 1);
  const Release none{{{Rational(1, 2)}, Budget::pure(Rational(1))}, lattice, {}};
  EXPECT_THROW(static_cast<void>(none.only()), Error);
}

}  // namespace
}  // namespace fractile
