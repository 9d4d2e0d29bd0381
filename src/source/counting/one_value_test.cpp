// One value of each person, through the entries that users call: files of all formats, and columns in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::error_of;
using source_test::lattice_of;

const Lattice cents = lattice_of("-20", "20", "0.25");
const Lattice up_to_twelve = lattice_of("0", "12", "1");

struct Row {
  std::string who;
  std::string city;
  std::optional<std::int64_t> cents;  // hundredths
};

std::string decimal_text(std::int64_t hundredths) {
  const std::int64_t size = std::abs(hundredths);
  return fmt::format("{}{}.{:02}", hundredths < 0 ? "-" : "", size / 100, size % 100);
}

std::vector<Row> random_rows(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return random() % n; };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < size; ++i) {
    Row row{fmt::format("p{}", below(60)), std::string(1, static_cast<char>('w' + below(4))),
            static_cast<std::int64_t>(below(1200)) - 500};
    if (below(20) == 0) row.who.clear();
    if (below(20) == 0) row.cents.reset();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "who,city,x\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{}\n", row.who, row.city, row.cents ? decimal_text(*row.cents) : "");
  }
  return text;
}

std::string json_of(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format(R"({{"x":{},"who":"{}","city":"{}"}})", row.cents ? decimal_text(*row.cents) : "null", row.who,
                        row.city) +
            "\n";
  }
  return text;
}

Rational value_of(PerPerson how, std::vector<std::int64_t> hundredths) {
  std::ranges::sort(hundredths);
  std::int64_t sum = 0;
  for (const std::int64_t each : hundredths) sum += each;
  const auto size = static_cast<std::int64_t>(hundredths.size());
  const auto zeros = std::ranges::count(hundredths, 0);
  switch (how) {
    case PerPerson::sum:
      return {sum, 100};
    case PerPerson::mean:
      return {sum, 100 * size};
    case PerPerson::count:
      return size;
    case PerPerson::min:
      return {hundredths.front(), 100};
    case PerPerson::max:
      return {hundredths.back(), 100};
    case PerPerson::median:
      return {hundredths[(hundredths.size() - 1) / 2], 100};
    case PerPerson::any:
      return zeros < size ? 1 : 0;
    case PerPerson::all:
      return zeros == 0 ? 1 : 0;
  }
  return 0;
}

/// The profiles by definition: one per key, or one in all; each person has a value in at most the permitted number of groups.
std::vector<RankProfile> defined(const std::vector<Row>& rows, const Lattice& lattice, PerPerson how,
                                 const std::vector<std::string>& keys) {
  std::map<std::pair<std::string, std::string>, std::vector<std::int64_t>> of_persons;
  for (const Row& row : rows) {
    const bool is_listed = keys.empty() || std::ranges::find(keys, row.city) != keys.end();
    if (row.who.empty() || !row.cents || !is_listed) continue;
    of_persons[{keys.empty() ? "" : row.city, row.who}].push_back(*row.cents);
  }
  std::vector<RankProfile> profiles;
  for (std::size_t k = 0; k < std::max<std::size_t>(1, keys.size()); ++k) {
    ProfileBuilder builder(lattice);
    for (const auto& [at, hundredths] : of_persons) {
      if (!keys.empty() && at.first != keys[k]) continue;
      builder.add_position(lattice.position_of(value_of(how, hundredths)), 1);
    }
    profiles.push_back(builder.finish());
  }
  return profiles;
}

RecordSelection one_value(PerPerson how, const std::vector<std::string>& keys = {}, std::uint32_t most = 1) {
  RecordSelection selection{.person = "who", .records_per_person = most};
  selection.per_person = how;
  if (keys.empty()) return selection;
  selection.by = "city";
  selection.keys = GroupKeys(keys);
  return selection;
}

class OneValue : public source_test::EngineTest {
 protected:
  static std::vector<RankProfile> counted(const TableOptions& options, const Lattice& lattice,
                                          const RecordSelection& selection, NullPolicy policy = NullPolicy::drop,
                                          const std::string& column = "x") {
    RandomBits bits = RandomBits::unsafe_seeded(7);
    const Table table = Table::open(options);
    const std::vector<ColumnToCount> columns{{column, lattice, policy, selection}};
    table.require_countable(columns);
    return table.count(columns, bits).front().profiles();
  }
  std::vector<RankProfile> of_text(const std::string& text, const Lattice& lattice, const RecordSelection& selection,
                                   NullPolicy policy = NullPolicy::drop, const std::string& column = "x") const {
    return counted({.file = folder.write("one.csv", text)}, lattice, selection, policy, column);
  }
};

// Multiples of 1/100 are not doubles: the errors of sums of text and JSON are too small to change a position, except for some
// means.
TEST_F(OneValue, IsThatOfTheDefinitionInAllFormats) {
  const std::vector<Row> rows = random_rows(500, 1);
  const std::string csv = folder.write("t.csv", csv_of(rows));
  const std::string json = folder.write("t.ndjson", json_of(rows));
  const std::string parquet = write_parquet(
      "t.parquet", "SELECT who, city, CAST(x AS DECIMAL(9, 2)) AS x FROM read_csv('" + csv + "', all_varchar = true)");
  for (const PerPerson how : all_per_person) {
    const bool are_counts = how == PerPerson::count || how == PerPerson::any || how == PerPerson::all;
    const Lattice& lattice = are_counts ? up_to_twelve : cents;
    for (const std::vector<std::string>& keys : {std::vector<std::string>{}, {"y", "w", "nowhere"}}) {
      const RecordSelection selection = one_value(how, keys, keys.empty() ? 1 : 4);
      const std::vector<RankProfile> expected = defined(rows, lattice, how, keys);
      EXPECT_EQ(counted({.file = parquet}, lattice, selection), expected) << to_string(how);
      if (how == PerPerson::mean) continue;
      EXPECT_EQ(counted({.file = csv}, lattice, selection), expected) << to_string(how);
      EXPECT_EQ(counted({.file = json}, lattice, selection), expected) << to_string(how);
    }
  }
}

TEST_F(OneValue, NoThreadsMemoryOrOrderDecides) {
  std::vector<Row> rows = random_rows(30'000, 2);
  const std::string csv = folder.write("t.csv", csv_of(rows));
  std::ranges::shuffle(rows, std::mt19937(3));
  const std::string turned = folder.write("turned.csv", csv_of(rows));
  for (const PerPerson how : all_per_person) {
    const RecordSelection selection = one_value(how, {"w", "x", "y", "z"}, 2);
    const std::vector<RankProfile> once = counted({.file = csv, .threads = 1}, cents, selection);
    EXPECT_EQ(counted({.file = csv, .threads = 4}, cents, selection), once) << to_string(how);
    EXPECT_EQ(counted({.file = turned, .threads = 3, .memory = TableOptions::least_memory}, cents, selection), once);
  }
}

/// The numbers of records added and removed.
std::pair<std::uint64_t, std::uint64_t> moved(const std::vector<RankProfile>& a, const std::vector<RankProfile>& b) {
  std::uint64_t added = 0;
  std::uint64_t taken = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::map<Position, std::int64_t> change;
    for (std::size_t i = 0; i < a[k].distinct(); ++i)
      change[a[k].position(i)] -= static_cast<std::int64_t>(a[k].count(i));
    for (std::size_t i = 0; i < b[k].distinct(); ++i)
      change[b[k].position(i)] += static_cast<std::int64_t>(b[k].count(i));
    for (const auto& [position, by] : change) (by > 0 ? added : taken) += static_cast<std::uint64_t>(std::abs(by));
  }
  return {added, taken};
}

// One more person, with any number of records, adds one value and moves none. One more record moves only that person's value.
TEST_F(OneValue, OnePersonChangesWhatTheProofSays) {
  const std::vector<std::string> keys{"w", "x", "y", "z"};
  std::mt19937 random(5);
  for (const PerPerson how : all_per_person) {
    for (int trial = 0; trial < 4; ++trial) {
      const std::vector<Row> rows = random_rows(300, static_cast<std::uint32_t>(random()));
      std::vector<Row> more = rows;
      for (int i = 0; i < 40; ++i)
        more.push_back({"new", keys[random() % 4], static_cast<std::int64_t>(random() % 999)});
      std::vector<Row> longer = rows;
      longer.push_back({rows[5].who.empty() ? "p1" : rows[5].who, "x", std::int64_t{1700}});
      const std::string before = csv_of(rows);
      const auto change = [&](const std::vector<Row>& after, const RecordSelection& selection) {
        return moved(of_text(before, cents, selection), of_text(csv_of(after), cents, selection));
      };
      EXPECT_EQ(change(more, one_value(how)), (std::pair<std::uint64_t, std::uint64_t>{1, 0})) << to_string(how);
      EXPECT_EQ(change(more, one_value(how, keys, 3)), (std::pair<std::uint64_t, std::uint64_t>{3, 0}));
      const auto [added, taken] = change(longer, one_value(how));
      EXPECT_LE(added, 1U);
      EXPECT_LE(taken, 1U);
    }
  }
}

TEST_F(OneValue, RecordsOfNobodyAndWithoutANumberAreNone) {
  const std::string text = "who,x\na,1\n,5\n\" \",5\nNaN,5\na,\nb,\na,2\n";
  EXPECT_EQ(of_text(text, cents, one_value(PerPerson::sum))[0],
            source_test::profile_of<double>(cents, std::vector<double>{3}));
  EXPECT_EQ(of_text(text, up_to_twelve, one_value(PerPerson::count))[0],
            source_test::profile_of<double>(up_to_twelve, std::vector<double>{2}));
  EXPECT_EQ(std::string(
                error_of([&] { of_text(text, up_to_twelve, one_value(PerPerson::count), NullPolicy::error); }).what()),
            folder.path("one.csv") + ": row 2, column 'who': empty or NULL");
  EXPECT_EQ(std::string(error_of([&] {
                          of_text("who,x\na,z\nb,\n", up_to_twelve, one_value(PerPerson::count), NullPolicy::error);
                        }).what()),
            folder.path("one.csv") + ": row 2, column 'x': empty, NULL or NaN");
}

TEST_F(OneValue, CountsAreOfAnyColumn) {
  const std::string text = "who,x\na,first\nb,second\na,\"  \"\na,NA\na,third\n";
  const Lattice lattice = up_to_twelve;
  const auto two_and_one = source_test::profile_of<double>(lattice, std::vector<double>{2, 1});
  EXPECT_EQ(counted({.file = folder.write("t.csv", text), .missing = {"NA"}}, lattice, one_value(PerPerson::count))[0],
            two_and_one);
  const std::string typed =
      write_parquet("t.parquet",
                    "SELECT * FROM (VALUES ('a', DATE '2024-01-31'), ('b', DATE '2024-01-31'), ('a', NULL), ('a', DATE "
                    "'2024-02-01')) t(who, x)");
  EXPECT_EQ(counted({.file = typed}, lattice, one_value(PerPerson::count))[0], two_and_one);
  // The engine cannot write this time as text.
  const std::string times =
      write_parquet("times.parquet",
                    "SELECT who, [CAST(x AS TIMESTAMP_NS)] AS x FROM (VALUES ('a', '1677-09-21 12:00:00'), ('b', "
                    "'2024-01-31 00:00:00'), ('a', '2024-01-31 00:00:00')) t(who, x)");
  EXPECT_EQ(counted({.file = times, .missing = {"NA"}}, lattice, one_value(PerPerson::count))[0], two_and_one);
}

// NaN is a missing value in a column of doubles, and also where a text says it.
TEST_F(OneValue, CountsAreOneWhateverHoldsTheNumbers) {
  const std::string text = "who,x\na,1.5\na,NaN\nb,nan\nb,2\na,3\n";
  const auto two_and_one = source_test::profile_of<double>(up_to_twelve, std::vector<double>{2, 1});
  EXPECT_EQ(of_text(text, up_to_twelve, one_value(PerPerson::count))[0], two_and_one);
  const std::string rows = "read_csv('" + folder.path("one.csv") + "', all_varchar = true)";
  const std::string texts = write_parquet("texts.parquet", "SELECT who, x FROM " + rows);
  EXPECT_EQ(counted({.file = texts}, up_to_twelve, one_value(PerPerson::count))[0], two_and_one);
  const std::string doubles = write_parquet("doubles.parquet", "SELECT who, CAST(x AS DOUBLE) AS x FROM " + rows);
  EXPECT_EQ(counted({.file = doubles}, up_to_twelve, one_value(PerPerson::count))[0], two_and_one);
}

// A person with records of several keys of one group has one value in it, made of all these records; other keys are in no group.
TEST_F(OneValue, OfMergedGroupsAreMadeAnew) {
  const std::vector<Row> rows = random_rows(600, 5);
  const std::vector<std::string> keys{"w", "x", "z"};
  std::vector<Row> merged_rows = rows;
  for (Row& row : merged_rows) row.city = row.city == "z" ? "other" : row.city == "y" ? "nowhere" : "here";
  std::vector<Row> listed = rows;
  std::erase_if(listed, [](const Row& row) { return row.city == "y"; });
  for (const PerPerson how : all_per_person) {
    RecordSelection selection = one_value(how, keys, 2);
    selection.merged = MergedGroups{"city", {"here", "other"}, {0, 0, 1}};
    EXPECT_EQ(of_text(csv_of(rows), cents, selection), defined(merged_rows, cents, how, {"here", "other"}));
    selection.records_per_person = 1;
    selection.merged = MergedGroups{{}, {}, {0, 0, 0}};
    EXPECT_EQ(of_text(csv_of(rows), cents, selection), defined(listed, cents, how, {}));
    selection.records_per_person = 2;
    EXPECT_EQ(error_of([&] { selection.validate(); }).field(), "records_per_person");
  }
  RecordSelection selection = one_value(PerPerson::sum, keys, 2);
  for (const MergedGroups& wrong :
       {MergedGroups{"city", {"here", "other"}, {0, 0}}, MergedGroups{"city", {"here", "other"}, {0, 0, 2}},
        MergedGroups{"city", {}, {0, 0, 0}}, MergedGroups{{}, {"here"}, {0, 0, 0}}}) {
    selection.merged = wrong;
    EXPECT_THROW(selection.validate(), Error);
  }
  selection.merged = MergedGroups{"city", {"here", "other"}, {0, 0, 1}};
  selection.per_person.reset();
  EXPECT_THROW(selection.validate(), Error) << "records add up";
}

TEST_F(OneValue, TruthValuesAre) {
  const std::string file = write_parquet(
      "t.parquet",
      "SELECT * FROM (VALUES ('a', true), ('b', false), ('a', false), ('c', NULL), ('d', true)) t(who, x)");
  EXPECT_EQ(counted({.file = file}, up_to_twelve, one_value(PerPerson::any))[0],
            source_test::profile_of<double>(up_to_twelve, std::vector<double>{1, 0, 1}));
  EXPECT_EQ(counted({.file = file}, up_to_twelve, one_value(PerPerson::all))[0],
            source_test::profile_of<double>(up_to_twelve, std::vector<double>{0, 0, 1}));
  EXPECT_EQ(error_of([&] { counted({.file = file}, up_to_twelve, one_value(PerPerson::sum)); }).code(),
            ErrorCode::data);
}

TEST_F(OneValue, OfTimesAreLeastGreatestAndMedian) {
  const std::string file = write_parquet(
      "t.parquet",
      "SELECT * FROM (VALUES ('a', DATE '2024-01-05'), ('a', DATE '2024-01-02'), ('b', DATE '2024-01-03')) "
      "t(who, x)");
  const Rational first = read_value(ValueKind::date, "2024-01-01");
  const Lattice days = Lattice::regular(first, first + Rational(30), 1, ValueKind::date);
  const auto at = [&](std::initializer_list<int> each) {
    ProfileBuilder builder(days);
    for (const int day : each) builder.add(first.to_int64() + day - 1);
    return builder.finish();
  };
  EXPECT_EQ(counted({.file = file}, days, one_value(PerPerson::max))[0], at({5, 3}));
  EXPECT_EQ(counted({.file = file}, days, one_value(PerPerson::median))[0], at({2, 3}));
  const Error error = error_of([&] { counted({.file = file}, days, one_value(PerPerson::sum)); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.field(), "per_person");
}

// A column of decimals with up_to_twelve digits, whose sums have more.
TEST_F(OneValue, SumsReachBeyondTheDigitsOfTheColumn) {
  const std::string file = write_parquet(
      "t.parquet", "SELECT 'a' AS who, CAST(99.99 AS DECIMAL(4, 2)) AS x FROM range(1000) UNION ALL SELECT 'b', 1.00");
  const Lattice wide = lattice_of("0", "1000000", "0.01");
  EXPECT_EQ(counted({.file = file}, wide, one_value(PerPerson::sum))[0],
            source_test::profile_of<double>(wide, std::vector<double>{99990, 1}));
  const std::string large = write_parquet(
      "large.parquet",
      "SELECT 'a' AS who, CAST(99999999999999.9999 AS DECIMAL(18, 4)) AS x FROM range(9) UNION ALL SELECT 'b', 1");
  const Lattice far = lattice_of("0", "900000000000000", "100");
  EXPECT_EQ(counted({.file = large}, far, one_value(PerPerson::sum))[0].equal(9'000'000'000'000), 1U);
}

TEST(OneValueSelection, IsRefusedWhereItIsNone) {
  RecordSelection selection{.person = ""};
  selection.per_person = PerPerson::sum;
  EXPECT_EQ(error_of([&] { selection.validate(); }).field(), "per_person");
  selection.person = "who";
  selection.validate();
  selection.records_per_person = 2;
  EXPECT_EQ(error_of([&] { selection.validate(); }).field(), "records_per_person");
  selection.by = "city";
  selection.keys = GroupKeys({"w"});
  selection.validate();
}

}  // namespace
}  // namespace fractile
