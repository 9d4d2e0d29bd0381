// Exact audits of weighted releases. They read all weighted files of two persons with one record each by the function that users call, and
// enumerate what the query publishes of each file. The audits stand in this room because quantiles and source do not know each other.
// Proof: docs/proofs/weights.md
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/audit/groups_test_support.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

constexpr std::int64_t size_of_lattice = 24;
const Lattice values = Lattice::regular(0, Rational(size_of_lattice - 1), 1);

/// Weights from 1 to 3 in steps of 1/2 count as 2 to 6 units.
const RecordWeights grid{"w", Rational(1), Rational(3), Rational(1, 2)};

/// The cells of a person's record; empty without a record.
using Record = std::string;
using File = std::vector<Record>;

/// No record, and records at both ends of the values. Their weights lie below, on, between and above the points of the grid, or are
/// missing.
std::vector<Record> all_records() {
  std::vector<Record> records{""};
  for (const char* value : {"0", "23"}) {
    for (const char* weight : {"", "0", "1.2", "1.25", "3", "100"})
      records.push_back(fmt::format("{},{}", value, weight));
  }
  return records;
}

class WeightsAudit : public source_test::EngineTest {
 protected:
  using Counting = std::function<RankProfile(const File&)>;

  CountedColumn read(const File& file, const RecordWeights& weights) const {
    std::string text = "x,w\n";
    for (const Record& record : file) {
      if (!record.empty()) text += record + "\n";
    }
    RecordSelection selection;
    selection.weights = weights;
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const Table table = open(folder.write("t.csv", text));
    return std::move(table.count({{"x", values, NullPolicy::drop, selection}}, bits).front());
  }

  /// The counting that ships.
  RankProfile counted(const File& file) const { return read(file, grid).profiles().front(); }

  /// Mutants. The first counts a weight above the largest one in full, up to 100. The second multiplies all counts by the number of
  /// records.
  RankProfile whole(const File& file) const {
    return read(file, {"w", Rational(1), Rational(100), Rational(1, 2)}).profiles().front();
  }
  RankProfile by_the_others(const File& file) const {
    const RankProfile alone = counted(file);
    std::size_t there = 0;
    for (const Record& record : file) there += record.empty() ? 0U : 1U;
    std::vector<Position> positions;
    std::vector<std::uint64_t> counts;
    for (std::size_t k = 0; k < alone.distinct(); ++k) {
      positions.push_back(alone.position(k));
      counts.push_back(there * alone.count(k));
    }
    return {alone.lattice(), std::move(positions), counts};
  }

  /// The profile of each file.
  using Profiles = std::map<File, RankProfile>;
  static Profiles profiles_of(const Counting& counting) {
    const std::vector<Record> records = all_records();
    Profiles profiles;
    for (const Record& a : records) {
      for (const Record& b : records) profiles.emplace(File{a, b}, counting({a, b}));
    }
    return profiles;
  }

  /// The largest loss between files that differ in one person's record. `query` is the query over units.
  static Enclosure attained(const QuantileQuery& query, const Profiles& profiles) {
    const LawOfTable law = release_law(query, size_of_lattice, 1);
    const std::vector<Record> records = all_records();
    Enclosure largest = Enclosure::of(Rational(0));
    for (const Record& other : records) {
      const OutputLaw without = law(profiles.at({"", other}));
      for (const Record& one : records) {
        const OutputLaw with = law(profiles.at({one, other}));
        for (const Enclosure& loss : {max_log_ratio(with, without), max_log_ratio(without, with)}) {
          if (certainly_less(largest, loss)) largest = loss;
        }
      }
    }
    return largest;
  }

  static QuantileQuery asked(const char* quantile, const char* epsilon) {
    return query_of({quantile}, pure(epsilon), Mechanism::exponential);
  }
};

TEST_F(WeightsAudit, OneWeightedRecordKeepsThePromise) {
  const Profiles profiles = profiles_of([&](const File& file) { return counted(file); });
  for (const char* quantile : {"0", "1/2"}) {
    for (const char* epsilon : {"0.1", "1", "4"}) {
      const QuantileQuery query = asked(quantile, epsilon);
      const Enclosure loss = attained(over_weights(query, grid), profiles);
      EXPECT_TRUE(certainly_at_most(loss, Enclosure::of(query.budget.epsilon()))) << loss.to_string();
      EXPECT_GT(loss.to_double(), 0.2 * query.budget.epsilon().to_double());
    }
  }
}

// If one person can change several weights, the promise covers changes of this many records.
TEST_F(WeightsAudit, SoManyChangedWeightsKeepThePromise) {
  RecordWeights calibrated = grid;
  calibrated.stability = 2;
  const QuantileQuery query = asked("0", "1");
  const LawOfTable law = release_law(over_weights(query, calibrated), size_of_lattice, 1);
  for (const Record& one : all_records()) {  // the other's weight moves from one end of the grid to the other
    const OutputLaw with = law(counted({one, "23,1"}));
    const OutputLaw without = law(counted({"", "23,3"}));
    EXPECT_TRUE(certainly_at_most(max_log_ratio(with, without), Enclosure::of(Rational(1)))) << one;
    EXPECT_TRUE(certainly_at_most(max_log_ratio(without, with), Enclosure::of(Rational(1)))) << one;
  }
}

TEST_F(WeightsAudit, AQueryThatForgetsWeightsIsCaught) {
  const Enclosure loss = attained(asked("0", "1"), profiles_of([&](const File& file) { return counted(file); }));
  EXPECT_FALSE(certainly_at_most(loss, Enclosure::of(Rational(1))));
}

TEST_F(WeightsAudit, AWeightThatCountsWholeIsCaught) {
  const Enclosure loss =
      attained(over_weights(asked("0", "1"), grid), profiles_of([&](const File& file) { return whole(file); }));
  EXPECT_FALSE(certainly_at_most(loss, Enclosure::of(Rational(1))));
}

TEST_F(WeightsAudit, AWeightThatOthersDecideIsCaught) {
  const Enclosure loss =
      attained(over_weights(asked("0", "1"), grid), profiles_of([&](const File& file) { return by_the_others(file); }));
  EXPECT_FALSE(certainly_at_most(loss, Enclosure::of(Rational(1))));
}

TEST_F(WeightsAudit, AReleaseIsThatOfTheTableOfUnits) {
  const File file{"0,1.2", "23,100", "7,2.5", "9,"};
  const CountedColumn weighted = read(file, grid);
  const CountedColumn units(weighted.profiles().front(), 6);
  const std::vector<Rational> deciles{{1, 10}, {3, 10}, {1, 2}, {7, 10}, {9, 10}};
  for (const Mechanism mechanism :
       {Mechanism::automatic, Mechanism::approximate, Mechanism::joint, Mechanism::joint_total, Mechanism::joint_tree,
        Mechanism::independent, Mechanism::tree}) {
    for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 2))}) {
      QuantileQuery query{deciles, budget};
      query.mechanism = mechanism;
      QuantileQuery of_units = query;
      of_units.records_per_person = 6;
      RandomBits bits = RandomBits::unsafe_seeded(5);
      RandomBits same_bits = RandomBits::unsafe_seeded(5);
      const Release one = release(weighted, {query}, bits);
      const Release other = release(units, {of_units}, same_bits);
      EXPECT_EQ(one.groups.front().indices, other.groups.front().indices) << to_string(mechanism);
      EXPECT_EQ(one.query.records_per_person, 6U);
      const StatisticsRequest beside{{Rational(8)}, true};
      const Release with = release(weighted, {query, {}, beside}, bits);
      const Release other_with = release(units, {of_units, {}, beside}, same_bits);
      EXPECT_EQ(with.groups.front().statistics, other_with.groups.front().statistics) << to_string(mechanism);
    }
  }
}

TEST(OverWeights, AsksOfUnits) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  query.records_per_person = 3;
  query.expected_rows = 1000;
  RecordWeights weights = grid;
  weights.mean = Rational(5, 4);
  EXPECT_EQ(over_weights(query, weights).records_per_person, 18U);
  EXPECT_EQ(over_weights(query, weights).expected_rows, 2500U);
  weights.stability = 10;
  EXPECT_EQ(over_weights(query, weights).records_per_person, 60U);
}

TEST(OverWeights, RefusesWhatIsNotProved) {
  const auto field_of = [](const QuantileQuery& query, const RecordWeights& weights) {
    return source_test::error_of([&] { over_weights(query, weights); }).field();
  };
  const QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  QuantileQuery replaced = query;
  replaced.neighbors = Neighbors::change_one;
  EXPECT_EQ(field_of(replaced, grid), "neighbors");
  QuantileQuery of_population = query;
  of_population.intervals = IntervalRequest{Rational(9, 10)};
  EXPECT_EQ(field_of(of_population, grid), "of");
  QuantileQuery told = query;
  told.expected_rows = 10;
  EXPECT_EQ(field_of(told, grid), "expected_weight");
  QuantileQuery of_many = query;
  of_many.records_per_person = 1'000'000'000;
  EXPECT_EQ(field_of(of_many, grid), "weight_step");
  RecordWeights calibrated = grid;
  calibrated.stability = 1;
  QuantileQuery of_two = query;
  of_two.records_per_person = 2;
  EXPECT_EQ(field_of(of_two, calibrated), "weight_stability");
}

}  // namespace
}  // namespace fractile
