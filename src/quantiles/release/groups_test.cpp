#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/audit/groups_test_support.hpp"
#include "quantiles/release/release.hpp"
#include "support/neighbors.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::both_relations;
using testing::chi_square_p;
using testing::effort;

const Lattice five = Lattice::regular(0, 4, 1);

TEST(GroupQuery, IsTheQueryUnderAddRemove) {
  const QuantileQuery asked = query_of({"1/2"}, pure("1"), Mechanism::automatic, Neighbors::add_remove, 3);
  EXPECT_EQ(group_query(asked).neighbors, Neighbors::add_remove);
  EXPECT_EQ(group_query(asked).records_per_person, 3U);
}

TEST(GroupQuery, CountsAReplacedRecordTwice) {
  const QuantileQuery asked = query_of({"1/2"}, pure("1"), Mechanism::automatic, Neighbors::change_one, 3);
  EXPECT_EQ(group_query(asked).neighbors, Neighbors::add_remove);
  EXPECT_EQ(group_query(asked).records_per_person, 6U);
}

TEST(GroupQuery, RefusesWhatIsNotProved) {
  const Budget approximate = Budget::approximate(Rational(1), Rational::parse("1e-6"));
  const auto refused = [&](Neighbors neighbors, std::uint32_t persons, const Budget& budget, Mechanism mechanism) {
    try {
      group_query(query_of({"1/2"}, budget, mechanism, neighbors, persons));
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  EXPECT_FALSE(refused(Neighbors::add_remove, 1, approximate, Mechanism::independent));
  EXPECT_TRUE(refused(Neighbors::add_remove, 2, approximate, Mechanism::independent));
  EXPECT_TRUE(refused(Neighbors::change_one, 1, approximate, Mechanism::independent));
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_FALSE(refused(Neighbors::add_remove, most, pure("1"), Mechanism::joint));
  EXPECT_FALSE(refused(Neighbors::change_one, most / 2, pure("1"), Mechanism::joint));
  EXPECT_TRUE(refused(Neighbors::change_one, most / 2 + 1, pure("1"), Mechanism::joint));
  EXPECT_TRUE(refused(Neighbors::add_remove, 0, pure("1"), Mechanism::joint));
}

TEST(ReleaseGroups, ShowsThePromise) {
  const QuantileQuery asked = query_of({"1/4", "1/2"}, pure("ln 3"), Mechanism::joint, Neighbors::change_one, 2);
  RandomBits bits = RandomBits::unsafe_seeded(3);
  const RankProfile empty(five, {}, {});
  const Release groups = release({"x", "y"}, {empty, empty}, asked, bits);
  ASSERT_EQ(groups.groups.size(), 2U);
  EXPECT_EQ(groups.keys(), (std::vector<GroupKey>{"x", "y"}));
  EXPECT_TRUE(groups.ran_alike());
  EXPECT_EQ(groups.query.neighbors, Neighbors::change_one);
  EXPECT_EQ(groups.query.records_per_person, 2U);
  EXPECT_EQ(groups.cost().to_string(), asked.budget.to_string());
  EXPECT_EQ(groups.unsafe_seed, 3U);
  for (const Release::Group& group : groups.groups) EXPECT_EQ(group.indices.size(), 2U);
  EXPECT_THROW(groups.only(), Error);
}

TEST(ReleaseGroups, RefusesWhatDoesNotFit) {
  const QuantileQuery asked = query_of({"1/2"}, pure("1"), Mechanism::automatic);
  const RankProfile empty(five, {}, {});
  RandomBits bits = testing::placed_bits({});  // refused before any is drawn
  EXPECT_THROW(release({"x", "y"}, {empty}, asked, bits), Error);
  EXPECT_THROW(release({"x", ""}, {empty, empty}, asked, bits), Error);
  EXPECT_THROW(release(std::vector<GroupKey>(), {}, asked, bits), Error);
  for (const Lattice& other : {Lattice::regular(0, 3, 1), Lattice::regular(1, 5, 1),
                               Lattice::explicit_points({0, 1, 2, 3, 4}), Lattice::regular(0, 4, 1, ValueKind::date)}) {
    EXPECT_THROW(release({"x", "y"}, {empty, RankProfile(other, {}, {})}, asked, bits), Error);
  }
}

TEST(ReleaseGroups, ReleasesEveryGroupAsIfItWereAlone) {
  EXPECT_TRUE(rc::check("any tables", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Mechanism mechanism = *rc::gen::elementOf(std::vector<Mechanism>(
        {Mechanism::approximate, Mechanism::joint_total, Mechanism::tree, Mechanism::independent}));
    const QuantileQuery asked = query_of({"0.1", "1/2"}, pure("2"), mechanism, *rc::gen::elementOf(both_relations),
                                         *rc::gen::inRange<std::uint32_t>(1, 4));
    std::vector<RankProfile> profiles;
    for (int g = 0; g < 3; ++g) {
      ProfileBuilder builder(five);
      for (const auto value : *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 5)))
        builder.add(value);
      profiles.push_back(builder.finish());
    }
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    RandomBits same_bits = RandomBits::unsafe_seeded(seed);
    const Release groups = release({"a", "b", "c"}, profiles, asked, bits);
    for (std::size_t g = 0; g < profiles.size(); ++g) {
      RandomBits own = same_bits.split().value();
      RC_ASSERT(groups.groups[g].indices == release(profiles[g], group_query(asked), own).only().indices);
    }
  }));
}

/// Few or many records, that are round numbers, heap on some or do neither.
std::vector<RankProfile> unlike_groups(const Lattice& lattice) {
  std::vector<RankProfile> profiles;
  for (const std::int64_t records : {0, 3, 40, 400, 6'000}) {
    for (const std::int64_t unit : {1, 7, 1'000}) {
      ProfileBuilder builder(lattice);
      for (std::int64_t i = 0; i < records; ++i) builder.add(i * 7'919 % 100'000 / unit * unit);
      profiles.push_back(builder.finish());
    }
  }
  return profiles;
}

// A group's findings decide what it runs, and nothing about the next group, with which it shares its plan.
TEST(ReleaseGroups, RunWhatTheyWouldRunAlone) {
  const Lattice lattice = Lattice::regular(0, 200'000, 1);
  const std::vector<RankProfile> profiles = unlike_groups(lattice);
  std::vector<GroupKey> keys;
  for (std::size_t i = 0; i < profiles.size(); ++i) keys.emplace_back(std::to_string(i));
  std::vector<QuantileQuery> queries{query_of({"1/2"}, pure("1"), Mechanism::automatic),
                                     query_of({"1/4", "1/2", "3/4"}, Budget::zcdp(Rational(1)), Mechanism::automatic)};
  QuantileQuery many = query_of({}, pure("1"), Mechanism::automatic);
  for (int i = 1; i < 20; ++i) many.quantiles.emplace_back(i, 20);
  queries.push_back(many);
  QuantileQuery with_intervals = query_of({"1/4", "1/2"}, pure("2"), Mechanism::automatic);
  with_intervals.intervals = IntervalRequest{Rational(9, 10)};
  queries.push_back(with_intervals);
  std::set<std::string> found;
  for (const QuantileQuery& asked : queries) {
    RandomBits bits = RandomBits::unsafe_seeded(5);
    RandomBits same_bits = RandomBits::unsafe_seeded(5);
    const Release groups = release(keys, profiles, asked, bits);
    for (std::size_t g = 0; g < profiles.size(); ++g) {
      RandomBits own = same_bits.split().value();
      const Release alone = release(profiles[g], group_query(asked), own);
      const Release::Group& group = groups.groups[g];
      EXPECT_EQ(group.indices, alone.only().indices) << g;
      EXPECT_EQ(group.used, alone.only().used) << g;
      EXPECT_EQ(group.intervals, alone.only().intervals) << g;
      ASSERT_EQ(group.spent.size(), alone.only().spent.size()) << g;
      for (std::size_t i = 0; i < group.spent.size(); ++i) {
        EXPECT_EQ(group.spent[i].part, alone.only().spent[i].part);
        EXPECT_EQ(group.spent[i].amount, alone.only().spent[i].amount);
      }
      found.insert(group.used.granularity ? group.used.granularity->to_string() : "");
    }
  }
  EXPECT_GE(found.size(), 3U);  // not looked for, none, and some
}

std::vector<std::vector<std::uint64_t>> indices_of(const Release& release) {
  std::vector<std::vector<std::uint64_t>> indices;
  for (const Release::Group& group : release.groups) indices.push_back(group.indices);
  return indices;
}

/// 600 groups with the same records, of which several are drawn by one thread at a time.
Release many_groups(std::size_t threads, std::uint64_t seed) {
  ReleaseOptions options = query_of({"1/4", "1/2"}, pure("1/10"), Mechanism::automatic);
  options.threads = threads;
  std::vector<GroupKey> keys;
  for (int i = 0; i < 600; ++i) keys.emplace_back(std::to_string(i));
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  const std::array<std::uint64_t, 2> counts{4, 5};
  const RankProfile records(five, {0, 3}, counts);
  return detail::release(keys, std::vector<RankProfile>(keys.size(), records), options, bits, {});
}

TEST(ReleaseGroups, AreTheSameForAnyNumberOfThreads) {
  const auto one = indices_of(many_groups(1, 7));
  for (const std::size_t threads : {std::size_t{2}, std::size_t{3}, std::size_t{16}, ~std::size_t{0}}) {
    EXPECT_EQ(indices_of(many_groups(threads, 7)), one) << threads;
  }
  EXPECT_NE(indices_of(many_groups(1, 8)), one);
}

/// With the same bits, groups of equal records would have equal values, so that different values would tell of their records.
TEST(ReleaseGroups, HaveBitsOfTheirOwn) {
  std::vector<std::vector<std::uint64_t>> indices = indices_of(many_groups(2, 7));
  std::map<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>, std::uint64_t> pairs;
  std::map<std::vector<std::uint64_t>, double> singles;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    ++singles[indices[i]];
    for (const std::size_t distance : {1U, 2U}) {  // within a piece, and from one piece to the next
      if (i + distance < indices.size()) ++pairs[{indices[i], indices[i + distance]}];
    }
  }
  double expected = 0;
  for (const auto& [each, count] : singles)
    expected += count * count / 600.0;  // equal neighbors, were they independent
  double equal = 0;
  for (const auto& [pair, count] : pairs) equal += pair.first == pair.second ? static_cast<double>(count) : 0;
  EXPECT_NEAR(equal, 2 * expected, 8 * std::sqrt(2 * expected));
}

RandomBits without_bits() {
  return RandomBits::from_source([](std::span<std::byte>) { throw Error(ErrorCode::internal, "no bits"); });
}

/// A source that splits into sources of which the last has no bits.
class FailingLast : public RandomSource {
 public:
  using RandomSource::RandomSource;
  std::vector<std::unique_ptr<DrawSource>> split(std::size_t pieces) override {
    std::vector<std::unique_ptr<DrawSource>> sources = RandomSource::split(pieces - 1);
    sources.push_back(std::make_unique<RandomSource>(none_));
    return sources;
  }

 private:
  RandomBits none_ = without_bits();
};

TEST(ReleaseGroups, AFailureInAThreadIsThrown) {
  ReleaseOptions options = query_of({"1/2"}, pure("1"), Mechanism::automatic);
  const std::vector<RankProfile> profiles(3, RankProfile(five, {}, {}));
  for (const std::size_t threads : {1U, 4U}) {
    options.threads = threads;
    RandomBits bits = RandomBits::unsafe_seeded(1);
    FailingLast source(bits);
    EXPECT_THROW(release_with({"x", "y", "z"}, profiles, options, source), Error);
    RandomBits none = without_bits();  // which are not split
    EXPECT_THROW(detail::release({"x", "y", "z"}, profiles, options, none, {}), Error);
  }
}

TEST(ReleaseGroups, HaveTheLawThatIsAudited) {
  const RankProfile first(five, {1, 5}, std::vector<std::uint64_t>{2, 3});
  const RankProfile second(five, {3, 4, 9}, std::vector<std::uint64_t>{1, 1, 2});
  for (const Neighbors neighbors : both_relations) {
    for (const QuantileQuery& asked :
         {query_of({"0.9"}, pure("3"), Mechanism::exponential, neighbors, 2),
          query_of({"1/3", "1/2"}, pure("4"), Mechanism::independent, neighbors),
          query_of({"1/2"}, Budget::zcdp(Rational(2)), Mechanism::exponential, neighbors)}) {
      const OutputLaw law = product(release_law(group_query(asked), five.size(), 1)(first),
                                    release_law(group_query(asked), five.size(), 1)(second));
      for (const Filter filter : {Filter{}, Filter::stress()}) {
        std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
        RandomBits bits = RandomBits::system();
        for (std::uint64_t i = 0; i < effort(filter.prefix_bits == 64 ? 20'000 : 7'000); ++i) {
          const Release groups = detail::release({"x", "y"}, {first, second}, asked, bits, filter);
          std::vector<std::uint64_t> both = groups.groups[0].indices;
          both.insert(both.end(), groups.groups[1].indices.begin(), groups.groups[1].indices.end());
          ++counts[both];
        }
        std::vector<std::uint64_t> observed;
        std::vector<double> expected;
        for (const auto& [output, p] : law) {
          observed.push_back(counts[output]);
          expected.push_back(p.to_double());
        }
        EXPECT_EQ(counts.size(), observed.size());  // nothing outside the law
        EXPECT_GT(chi_square_p(observed, expected), 1e-9) << to_string(asked.mechanism);
      }
    }
  }
}

}  // namespace
}  // namespace fractile
