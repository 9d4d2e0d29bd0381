// Several columns, by several columns of keys, are counted in one pass: each as if it were counted alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::ages_to_120;
using source_test::error_of;
using source_test::lattice_of;

const Lattice wages = lattice_of("0", "1000", "0.5");
const Lattice visit_days = Lattice::regular(0, 40'000, 1, ValueKind::date);

class SeveralColumns : public source_test::EngineTest {
 protected:
  /// Persons have several records, some in several towns.
  std::string people() const {
    std::string text = "who,town,sex,age,wage,born,mother\n";
    for (int i = 0; i < 5000; ++i) {
      const int who = i % 1700;
      text += "p" + std::to_string(who) + "," +
              (i % 3 == 0   ? "north"
               : i % 3 == 1 ? "south"
                            : "NA") +
              "," + (who % 2 == 0 ? "f" : "m") + "," + (i % 17 == 0 ? "" : std::to_string(i % 90)) + "," +
              (i % 11 == 0 ? "-9" : std::to_string(i % 800) + ".5") + ",19" + std::to_string(10 + i % 80) + "-01-0" +
              std::to_string(1 + i % 9) + "," + (i % 5 < 2 ? "f" : "m") + "\n";
    }
    return folder.write("people.csv", text);
  }

  static RecordSelection by(const std::string& column, std::vector<std::string> keys, bool with_persons) {
    RecordSelection selection{.by = column, .keys = std::move(keys)};
    if (!with_persons) return selection;
    selection.person = "who";
    selection.records_per_person = 2;
    selection.sampling_key = SamplingKey::of_bytes(std::string(32, 'k'));
    return selection;
  }

  static RecordSelection by_both(bool with_persons) {
    RecordSelection selection = by("town", {"north"}, with_persons);
    selection.by = {"town", "sex"};
    selection.keys = GroupKeys::tuples({{"north", "m"}, {"south", "f"}, {"north", "f"}});
    return selection;
  }

  static std::vector<ColumnToCount> all(bool with_persons) {
    return {{"age", ages_to_120, NullPolicy::drop, by("town", {"south", "north"}, with_persons)},
            {"wage", wages, NullPolicy::drop, by("sex", {"f", "m"}, with_persons)},
            {"wage", wages, NullPolicy::drop, by("town", {"north", "NA"}, with_persons)},
            {"age", ages_to_120},
            {"age", ages_to_120, NullPolicy::drop, by("sex", {"f", "m"}, with_persons)},
            {"wage", wages, NullPolicy::drop, by("mother", {"f", "m"}, with_persons)},
            {"born", visit_days, NullPolicy::drop, by("sex", {"m"}, with_persons)},
            {"age", ages_to_120, NullPolicy::drop, by_both(with_persons)}};
  }

  static void expect_as_alone(const Records& records, const std::vector<ColumnToCount>& columns) {
    RandomBits bits = RandomBits::unsafe_seeded(1);
    records.require_countable(columns);
    const std::vector<CountedColumn> together = records.count(columns, bits);
    ASSERT_EQ(together.size(), columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CountedColumn alone = records.count({columns[i]}, bits).front();
      EXPECT_EQ(together[i].profiles(), alone.profiles()) << i;
      EXPECT_EQ(together[i].keys(), columns[i].selection.keys.all()) << i;
      EXPECT_EQ(together[i].records_per_person(), columns[i].selection.records_per_person) << i;
      EXPECT_GT(together[i].profiles().front().records(), 0U) << i;
    }
  }
};

TEST_F(SeveralColumns, AreCountedInOneReadingAsEachAlone) {
  const std::string file = people();
  const std::string parquet = write_parquet(
      "people.parquet",
      "SELECT who, town, sex, age, CAST(wage AS DECIMAL(10, 1)) AS wage, born, mother FROM '" + file + "'");
  for (const std::string& table : {file, parquet}) {
    for (const bool with_persons : {false, true}) {
      SCOPED_TRACE(table + (with_persons ? " by persons" : ""));
      expect_as_alone(open(table), all(with_persons));
    }
  }
}

/// 4,000,000 numbers of 10^9 possible ones take 32 MB while they are read: more than counts may of the least limit.
TEST_F(SeveralColumns, CountsBeyondTheLimitOfMemoryAreTheSame) {
  const std::string file = write_parquet("many.parquet",
                                         "SELECT hash(i) % 1000000000 AS x, CASE WHEN i % 3 = 0 THEN 'north' ELSE "
                                         "'south' END AS town FROM range(4000000) t(i)");
  const Lattice fine = lattice_of("0", "1000000000", "1");
  const ColumnToCount alone{"x", fine};
  const ColumnToCount in_groups{"x", fine, NullPolicy::drop, by("town", {"south", "north"}, false)};
  const Table limited = Table::open({.file = file, .threads = 2, .memory = TableOptions::least_memory});
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const std::vector<RankProfile> all = open(file).count({alone}, bits).front().profiles();
  EXPECT_EQ(limited.count({alone}, bits).front().profiles(), all);
  const std::vector<RankProfile> groups = open(file).count({in_groups}, bits).front().profiles();
  EXPECT_EQ(limited.count({in_groups}, bits).front().profiles(), groups);
  const auto apart = limited.count_apart({in_groups, alone}, bits);
  EXPECT_EQ(apart[1]().profiles(), all);  // in any order
  EXPECT_EQ(apart[0]().profiles(), groups);
  // Without a folder for them, which is said before anything is read, they stay in memory.
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere", 1);
  for (const ColumnToCount& asked : {alone, in_groups}) {
    EXPECT_EQ(error_of([&] { limited.require_countable({asked}); }).what(),
              std::string("no temporary file for counts: No such file or directory"));
  }
  EXPECT_NO_THROW(limited.require_countable({{"x", ages_to_120}}));
  EXPECT_NO_THROW(open(file).require_countable({in_groups}));
  EXPECT_EQ(limited.count({in_groups}, bits).front().profiles(), groups);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

/// The columns, with samples of whole records wherever persons are bounded.
std::vector<ColumnToCount> of_whole_records(std::vector<ColumnToCount> columns) {
  for (ColumnToCount& each : columns) each.selection.whole_records = !each.selection.person.empty();
  return columns;
}

TEST_F(SeveralColumns, OfWholeRecordsHaveOneSample) {
  const std::string file = people();
  const std::string shuffled = write_parquet(
      "shuffled.parquet", "SELECT who, town, sex, age, CAST(wage AS DECIMAL(10, 1)) AS wage, born, mother FROM '" +
                              file + "' ORDER BY hash(who || town || wage)");
  const std::vector<ColumnToCount> columns = of_whole_records(all(true));
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const std::vector<CountedColumn> counted = open(file).count(columns, bits);
  const std::vector<CountedColumn> others =
      Table::open({.file = shuffled, .threads = 3, .memory = TableOptions::least_memory}).count(columns, bits);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(others[i].profiles(), counted[i].profiles()) << i;
    EXPECT_EQ(counted[i].records_per_person(), columns[i].selection.records_per_person) << i;
  }
  EXPECT_EQ(counted[3].profiles(), open(file).count({columns[3]}, bits).front().profiles());  // of all records
  // Two of each person's whole records, of which some have no age, and some lie in other towns.
  std::uint64_t of_wages = 0;
  for (const RankProfile& sex : counted[1].profiles()) of_wages += sex.records();
  EXPECT_EQ(of_wages, 2U * 1700);
  EXPECT_LT(counted[0].profiles()[0].records() + counted[0].profiles()[1].records(), 2600U);
}

/// With weights, too, a record that counts has the position and the units that it has alone.
TEST_F(SeveralColumns, OfWholeRecordsThatAllCountAreAsEachAlone) {
  std::vector<ColumnToCount> columns = all(true);
  for (ColumnToCount& each : columns) {
    each.selection.records_per_person = 9;
    if (each.column != "age" && !each.selection.person.empty())
      each.selection.weights = RecordWeights{"age", 0, 90, 10};
  }
  const Table table = open(people());
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const std::vector<CountedColumn> together = table.count(of_whole_records(columns), bits);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(together[i].profiles(), table.count({columns[i]}, bits).front().profiles()) << i;
  }
  EXPECT_GT(together[1].profiles().front().records(), 5000U);  // units of weight
}

TEST_F(SeveralColumns, OfWholeRecordsAgreeAboutPersons) {
  const std::string file = people();
  const auto refused = [&](const std::vector<ColumnToCount>& columns, const TableOptions& options) {
    return error_of([&] { Table::open(options).require_countable(columns); });
  };
  std::vector<ColumnToCount> columns = of_whole_records(all(true));
  const TableOptions with_missing{.file = file, .missing = {"NA"}};
  EXPECT_NO_THROW(Table::open(with_missing).require_countable(columns));  // towns are not numbers
  columns[1].column = "town";
  EXPECT_EQ(refused(columns, with_missing).field(), "missing");
  columns[1].selection.records_per_person = 3;
  EXPECT_EQ(refused(columns, {.file = file}).field(), "person");
  columns[1].selection.per_person = PerPerson::sum;
  EXPECT_EQ(refused({columns[1]}, {.file = file}).field(), "person");
}

TEST_F(SeveralColumns, AKeyThatIsMissingElsewhereIsAKeyHere) {
  const Table table = Table::open({.file = people(), .missing = {"NA", "-9"}});
  std::vector<ColumnToCount> columns = all(true);
  columns[1].selection.person = "town";  // whose NA is not a person
  expect_as_alone(table, columns);
}

TEST_F(SeveralColumns, SayWhichColumnCannotBeRead) {
  const std::string file = folder.write("p.csv", "a,b\n1,2\n3,x\n,4\n");
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const auto what = [&](const std::vector<ColumnToCount>& columns) {
    return std::string(error_of([&] { open(file).count(columns, bits); }).what());
  };
  EXPECT_NE(what({{"a", ages_to_120}, {"b", ages_to_120}}).find("row 2, column 'b': not a number"), std::string::npos);
  EXPECT_NE(what({{"a", ages_to_120}, {"a", ages_to_120, NullPolicy::error}}).find("row 3, column 'a': empty"),
            std::string::npos);
}

TEST_F(SeveralColumns, CarryTheStabilityOfTheirQuery) {
  const Table table = Table::open({.file = people(), .sql = "SELECT age, wage FROM input", .sql_stability = 3});
  RandomBits bits = RandomBits::unsafe_seeded(1);
  for (const CountedColumn& column : table.count({{"age", ages_to_120}, {"wage", wages}}, bits)) {
    EXPECT_EQ(column.sql_stability(), 3U);
  }
  const ColumnToCount with_rows{"age", ages_to_120, NullPolicy::drop, {}, true};
  EXPECT_EQ(error_of([&] { table.require_countable({with_rows}); }).field(), "public_rows");
  EXPECT_EQ(open(people()).count({with_rows}, bits).front().public_rows(), 5000U);
}

TEST_F(SeveralColumns, OfAFrameAreAsOfItsFile) {
  const std::vector<double> numbers{1, 2, 3, 30};
  const auto frame = [&] {
    const auto* const first = reinterpret_cast<const std::byte*>(numbers.data());
    return Frame::of(NumberBuffer{first, "g", numbers.size(), sizeof(double), nullptr}, "x");
  };
  Source source = Source::frame(frame());
  const std::unique_ptr<Records> records = source.open();
  expect_as_alone(*records, {{"x", ages_to_120}, {"x", wages}});
  EXPECT_EQ(records->columns().at(0).name, "x");
  EXPECT_THROW(source.open(), Error);  // it is used up
}

}  // namespace
}  // namespace fractile
