#include "source/counting/selected_records.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libraries/fmt.hpp"
#include "source/entries/table_test_support.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using source_detail::quote_literal;
using source_test::error_of;
using source_test::lattice_of;
using source_test::profile_of;

const Lattice ages = lattice_of("0", "120", "1");

RankProfile profile_of_ages(const std::vector<double>& numbers) { return profile_of<double>(ages, numbers); }

RecordSelection by_person(std::uint32_t most) { return {.person = "who", .records_per_person = most}; }
RecordSelection by_key(std::vector<std::string> keys) { return {.by = "city", .keys = std::move(keys)}; }

class SelectedRecords : public source_test::EngineTest {
 protected:
  std::vector<RankProfile> select(const TableOptions& options, const RecordSelection& selection,
                                  NullPolicy policy = NullPolicy::drop) const {
    RandomBits bits = RandomBits::system();
    return Table::open(options).count({{"age", ages, policy, selection}}, bits).front().profiles();
  }
  std::vector<RankProfile> select_text(const std::string& text, const RecordSelection& selection,
                                       NullPolicy policy = NullPolicy::drop, const std::string& name = "t.csv") const {
    return select({.file = folder.write(name, text)}, selection, policy);
  }
  void refuse(const std::string& text, const RecordSelection& selection, const std::string& message) const {
    const Error error = error_of([&] { select_text(text, selection, NullPolicy::error); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(std::string(error.what()), folder.path("t.csv") + ": " + message);
    EXPECT_EQ(error.hint().find("secret"), std::string::npos);
  }
};

TEST_F(SelectedRecords, OfPersonsWithFewRecordsAllCount) {
  const std::string text = "who,age\na,1\nb,2\na,3\nc,150\nb,-5\n";
  const Table table = open(folder.write("t.csv", text));
  RandomBits bits = RandomBits::system();
  EXPECT_EQ(table.count({{"age", ages, NullPolicy::drop, by_person(2)}}, bits).front().profiles()[0],
            table.profile("age", ages, NullPolicy::drop));
  EXPECT_EQ(select_text(text, by_person(1))[0].records(), 3U);
}

TEST_F(SelectedRecords, GroupsArePartsOfTheTable) {
  const std::string text = "city,age\nx,1\ny,2\nx,3\nz,4\n,5\nX,6\n\"x \",7\ny,nan\n";
  const std::vector<RankProfile> groups = select_text(text, by_key({"y", "x", "w"}));
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0], profile_of_ages({2}));
  EXPECT_EQ(groups[1], profile_of_ages({1, 3}));
  EXPECT_EQ(groups[2], profile_of_ages({}));
}

// A record whose text in one key column is listed counts in no group unless all its texts together are a key.
TEST_F(SelectedRecords, GroupsOfSeveralColumnsArePartsOfTheTable) {
  const std::string text =
      "city,sex,age\nx,f,1\nx,m,2\ny,f,3\ny,m,4\nx,d,5\nz,f,6\nx,,7\n,f,8\nx,f,9\n\"x \",f,10\nx,F,11\nf,x,12\n";
  const auto by = [](GroupKeys keys) { return RecordSelection{.by = {"city", "sex"}, .keys = std::move(keys)}; };
  EXPECT_EQ(select_text(text, by(GroupKeys::crossed({{"x", "y"}, {"m", "f"}}))),
            (std::vector{profile_of_ages({2}), profile_of_ages({1, 9}), profile_of_ages({4}), profile_of_ages({3})}));
  EXPECT_EQ(select_text(text, by(GroupKeys::tuples({{"y", "m"}, {"x", "f"}, {"w", "m"}}))),
            (std::vector{profile_of_ages({4}), profile_of_ages({1, 9}), profile_of_ages({})}));
  const RecordSelection turned{.by = {"sex", "city"}, .keys = GroupKeys::tuples({{"f", "x"}})};
  EXPECT_EQ(select_text(text, turned)[0], profile_of_ages({1, 9}));
}

TEST_F(SelectedRecords, OtherKeysAreOneOfTheGroups) {
  const std::string text = "city,sex,age\nx,f,1\ny,f,2\n,f,3\nrest,f,4\ny,m,5\nx,m,6\nx,,7\n";
  RecordSelection selection{.by = {"city", "sex"}, .keys = GroupKeys::crossed({{"x", "rest"}, {"f"}})};
  EXPECT_EQ(select_text(text, selection), (std::vector{profile_of_ages({1}), profile_of_ages({4})}));
  selection.others = {"rest", ""};
  EXPECT_EQ(select_text(text, selection), (std::vector{profile_of_ages({1}), profile_of_ages({2, 3, 4})}));
  selection.others = {"rest"};
  EXPECT_EQ(error_of([&] { select_text(text, selection); }).code(), ErrorCode::usage);
}

// No value of the column's type stands for all other keys.
TEST_F(SelectedRecords, OtherKeysAreNoValueOfTheColumnsType) {
  const std::string file =
      write_parquet("numbers.parquet", "SELECT * FROM (VALUES (1, 1), (2, 2), (7, 3), (NULL, 4)) t(city, age)");
  const RecordSelection selection{.by = "city", .keys = {"01", "rest"}, .others = {"rest"}};
  EXPECT_EQ(select({.file = file}, selection), (std::vector{profile_of_ages({1}), profile_of_ages({2, 3, 4})}));
}

/// Each of a person's records with another key may be the one that is chosen.
TEST_F(SelectedRecords, PersonsAreSampledAmongOtherKeysToo) {
  std::string text = "who,city,age\n";
  for (int p = 0; p < 2000; ++p) text += fmt::format("{0},x,1\n{0},y,2\n", p);
  const RecordSelection selection{.person = "who", .by = "city", .keys = {"x", "rest"}, .others = {"rest"}};
  const std::vector<RankProfile> groups = select_text(text, selection);
  EXPECT_EQ(groups[0].records() + groups[1].records(), 2000U);
  EXPECT_NEAR(static_cast<double>(groups[1].records()), 1000, 150);
}

TEST_F(SelectedRecords, KeysOfSeveralColumnsAreNotPutTogether) {
  const std::string text = "city,sex,age\n\"a,b\",c,1\na,\"b,c\",2\nab,c,3\na,bc,4\n\"a,b,c\",,5\n";
  const RecordSelection both{.by = {"city", "sex"},
                             .keys = GroupKeys::tuples({{"a", "b,c"}, {"a,b", "c"}, {"a", "bc"}})};
  EXPECT_EQ(select_text(text, both), (std::vector{profile_of_ages({2}), profile_of_ages({1}), profile_of_ages({4})}));
}

TEST_F(SelectedRecords, KeysOfSeveralColumnsAreValuesOfTheirTypes) {
  const std::string file =
      write_parquet("typed.parquet",
                    "SELECT * FROM (VALUES (1, DATE '2024-01-31', 1), (1, DATE '2024-02-01', 2), (2, DATE "
                    "'2024-01-31', 3)) t(city, day, age)");
  const auto profiles = [&](const std::vector<std::vector<std::string>>& tuples) {
    return select({.file = file}, {.by = {"city", "day"}, .keys = GroupKeys::tuples(tuples)});
  };
  EXPECT_EQ(profiles({{"2", "2024-1-31"}, {"01", "2024-02-01"}}),
            (std::vector{profile_of_ages({3}), profile_of_ages({2})}));
  const auto refused = [&](const std::vector<std::vector<std::string>>& tuples) {
    return std::string(error_of([&] { profiles(tuples); }).what());
  };
  EXPECT_EQ(refused({{"1", "2024-01-31"}, {"2", "x"}}), "key 2 is no value of column 'day', which is DATE");
  EXPECT_EQ(refused({{"1", "2024-01-31"}, {"01", "2024-02-01"}}),
            "key 2 is the same as another one in column 'city', which is INTEGER");
}

TEST_F(SelectedRecords, SamplesAreDrawnAmongListedKeysAndNumbers) {
  std::string text = "who,city,age\n";
  for (int i = 0; i < 50; ++i) text += "p,elsewhere,9\np,x,\np,,9\n";
  const std::vector<RankProfile> groups = select_text(
      text + "p,x,1\np,y,2\n", {.person = "who", .records_per_person = 2, .by = "city", .keys = {"x", "y"}});
  EXPECT_EQ(groups[0], profile_of_ages({1}));
  EXPECT_EQ(groups[1], profile_of_ages({2}));
}

TEST_F(SelectedRecords, OverAllGroupsAPersonKeepsNoMore) {
  std::string text = "who,city,age\n";
  for (int p = 0; p < 100; ++p) {
    for (const char* city : {"x", "y", "z", "x"}) text += fmt::format("{},{},{}\n", p, city, p);
  }
  for (const std::uint32_t most : {1U, 2U, 3U, 4U, 9U}) {
    const std::vector<RankProfile> groups =
        select_text(text, {.person = "who", .records_per_person = most, .by = "city", .keys = {"x", "y", "z"}});
    for (std::uint64_t p = 0; p < 100; ++p) {
      EXPECT_EQ(groups[0].equal(p) + groups[1].equal(p) + groups[2].equal(p), std::min(most, 4U));
    }
  }
}

TEST_F(SelectedRecords, PersonsAreTexts) {
  EXPECT_EQ(select_text("who,age\n1,30\n1.0,31\n 1,32\n1,33\n", by_person(1))[0].records(), 3U);
  EXPECT_EQ(
      select({.file = write_parquet("t1.parquet", "SELECT * FROM (VALUES (1, 30), (1, 31), (2, 32)) t(who, age)")},
             by_person(1))[0]
          .records(),
      2U);
  EXPECT_EQ(select({.file = write_parquet("t2.parquet",
                                          "SELECT CAST(who AS DECIMAL(4, 2)) AS who, age FROM (VALUES ('1.5', 30), "
                                          "('1.50', 31)) t(who, age)")},
                   by_person(1))[0]
                .records(),
            1U);
}

TEST_F(SelectedRecords, AllFormatsAreReadAlike) {
  const std::string csv = "who,city,age\n7,M\xC3\xBCnchen,1\n8,\"a,\"\"b\"\"\",2\n7,M\xC3\xBCnchen,3\n";
  const std::string json =
      "{\"who\":7,\"city\":\"M\xC3\xBCnchen\",\"age\":1}\n{\"who\":8,\"city\":\"a,\\\"b\\\"\",\"age\":2}\n"
      "{\"who\":7,\"city\":\"M\xC3\xBCnchen\",\"age\":3}\n{\"age\":4}\n";
  const std::string file = folder.write("t.csv", csv);
  run_sql("COPY (SELECT CAST(who AS BIGINT) AS who, city, CAST(age AS DOUBLE) AS age FROM read_csv(" +
          quote_literal(file) + ", all_varchar = true)) TO " + quote_literal(folder.path("t.parquet")));
  const RecordSelection both{
      .person = "who", .records_per_person = 2, .by = "city", .keys = {"M\xC3\xBCnchen", "a,\"b\""}};
  const std::vector<RankProfile> expected{profile_of_ages({1, 3}), profile_of_ages({2})};
  EXPECT_EQ(select({.file = file}, both), expected);
  EXPECT_EQ(select({.file = folder.write("t.ndjson", json)}, both), expected);
  EXPECT_EQ(select({.file = folder.path("t.parquet")}, both), expected);
  EXPECT_EQ(select({.file = file, .sql = "SELECT who, city, CAST(age AS INTEGER) AS age FROM input"}, both), expected);
}

TEST_F(SelectedRecords, ColumnsMayBeTheSame) {
  EXPECT_EQ(select_text("age\n1\n1\n2\n", {.person = "age", .by = "age", .keys = {"1"}})[0], profile_of_ages({1}));
  const std::string json = "{\"age\":1}\n{\"age\":1}\n{\"age\":2}\n";
  EXPECT_EQ(select_text(json, {.person = "age"}, NullPolicy::drop, "t.ndjson")[0], profile_of_ages({1, 2}));
}

TEST_F(SelectedRecords, RecordsOfNobodyAreLeftOutOrRefused) {
  const std::string text = "who,city,age\na,x,1\n,x,2\n\"\",x,3\n\" \t\",z,4\nb,x,5\n";
  EXPECT_EQ(select_text(text, by_person(1))[0], profile_of_ages({1, 5}));
  refuse(text, by_person(1), "row 2, column 'who': empty or NULL");
  const RecordSelection both{.person = "who", .by = "city", .keys = {"x"}};
  refuse("who,city,age\na,x,1\n,elsewhere,2\n", both, "row 2, column 'who': empty or NULL");
  refuse("who,city,age\na,x,1\nsecret,x,\n", both, "row 2, column 'age': empty, NULL or NaN");
  EXPECT_EQ(select_text("who,city,age\na,,1\nb,x,2\n", both, NullPolicy::error)[0], profile_of_ages({2}));
  EXPECT_EQ(error_of([&] {
              select({.file = write_parquet("t3.parquet", "SELECT * FROM (VALUES ('a', 1), (NULL, 2)) t(who, age)")},
                     by_person(1), NullPolicy::error);
            }).what(),
            folder.path("t3.parquet") + ": row 2, column 'who': empty or NULL");
}

// The memory behind a NULL whole number names no person: it is 0 in one file, and an earlier number in another.
TEST_F(SelectedRecords, WholeNumbersOfPersonsThatAreNullAreNobody) {
  for (const std::string type : {"TINYINT", "INTEGER", "BIGINT", "UINTEGER"}) {
    const std::string file = write_parquet("w.parquet", "SELECT CAST(CASE WHEN i % 2 = 0 THEN i // 2 END AS " + type +
                                                            ") AS who, CAST(i AS INTEGER) AS age FROM range(100) t(i)");
    const RankProfile all = select({.file = file}, by_person(1000))[0];
    EXPECT_EQ(all.records(), 50U) << type;
    EXPECT_EQ(select({.file = file}, by_person(1))[0], all) << type;
    EXPECT_EQ(error_of([&] { select({.file = file}, by_person(1), NullPolicy::error); }).what(),
              file + ": row 2, column 'who': empty or NULL");
  }
}

// Numbers of 32 bits come as they are, others as BIGINT.
TEST_F(SelectedRecords, WholeNumbersOfAnyWidthCountAlike) {
  const std::string numbers =
      "(VALUES ('x', 7), ('y', NULL), ('x', 0), ('z', 2), ('y', -128), ('x', 120), ('y', 127), ('y', 7)) t(city, age)";
  for (const RecordSelection& selection :
       {by_key({"x", "y"}), RecordSelection{.person = "city", .records_per_person = 9}}) {
    std::vector<std::vector<RankProfile>> all;
    for (const std::string type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}) {
      const std::string file =
          write_parquet(type + ".parquet", "SELECT city, CAST(age AS " + type + ") AS age FROM " + numbers);
      all.push_back(select({.file = file}, selection));
      EXPECT_EQ(all.back(), all.front()) << type;
      EXPECT_EQ(error_of([&] { select({.file = file}, selection, NullPolicy::error); }).what(),
                file + ": row 2, column 'age': empty, NULL or NaN");
    }
  }
  const std::string widest = "(VALUES ('x', -2147483648), ('x', 2147483647), ('y', 2147483647)) t(city, age)";
  const std::string file = write_parquet("widest.parquet", "SELECT city, CAST(age AS INTEGER) AS age FROM " + widest);
  const Lattice lattice = lattice_of("-2147483648", "2147483647", "1");
  RandomBits bits = RandomBits::system();
  const CountedColumn counted =
      open(file).count({{"age", lattice, NullPolicy::drop, by_key({"x", "y"})}}, bits).front();
  EXPECT_EQ(counted.profiles()[0], profile_of<double>(lattice, std::vector<double>{-2147483648.0, 2147483647.0}));
  EXPECT_EQ(counted.profiles()[1], profile_of<double>(lattice, std::vector<double>{2147483647.0}));
}

TEST_F(SelectedRecords, BadCellsArePlacedButNotShown) {
  refuse("who,age\na,1\nsecret,secret\n", by_person(1), "row 2, column 'age': not a number");
  refuse("who,age\na,1\nsecret,1,1\n", by_person(1), "line 3 has more or fewer cells than the header");
}

TEST_F(SelectedRecords, WrongSelections) {
  const Table table = open(folder.write("t.csv", "who,city,age\na,x,1\n"));
  const auto code = [&](const RecordSelection& selection) {
    return error_of([&] { table.require_countable({{"age", ages, NullPolicy::drop, selection}}); }).code();
  };
  EXPECT_EQ(code(by_person(0)), ErrorCode::usage);
  EXPECT_EQ(code(by_key({})), ErrorCode::usage);
  EXPECT_EQ(code({.keys = {"x"}}), ErrorCode::usage);
  EXPECT_EQ(code({.by = {"city", "who"}, .keys = {"x"}}), ErrorCode::usage);
  EXPECT_EQ(code({.by = {"city", "city"}, .keys = GroupKeys::tuples({{"x", "x"}})}), ErrorCode::usage);
  EXPECT_EQ(code({.by = {"city", "town"}, .keys = GroupKeys::tuples({{"x", "x"}})}), ErrorCode::data);
  EXPECT_EQ(code(by_key({"x", ""})), ErrorCode::usage);
  EXPECT_EQ(code(by_key({"x", "y", "x"})), ErrorCode::usage);
  EXPECT_EQ(code({.person = "whom"}), ErrorCode::data);
  EXPECT_EQ(code({.by = "town", .keys = {"x"}}), ErrorCode::data);
  std::vector<std::string> many;
  for (int i = 0; i < 100'000; ++i) many.push_back(std::to_string(i));
  EXPECT_NO_THROW(table.require_countable({{"age", ages, NullPolicy::drop, by_key(many)}}));
  many.emplace_back("x");
  EXPECT_EQ(code(by_key(many)), ErrorCode::usage);
  const Error unknown = error_of([&] {
    table.require_countable({{"age", ages, NullPolicy::drop, {.person = "Who"}}});
  });
  EXPECT_NE(unknown.hint().find("did you mean 'who'?"), std::string::npos);
}

/// 20,000 persons with records of ages 0 .. 3, one of each, always in that order.
TEST_F(SelectedRecords, SamplesAreUniformThroughTheEngine) {
  const TableOptions table{
      .file = write_parquet("t4.parquet", "SELECT i // 4 AS who, i % 4 AS age FROM range(80000) t(i)")};
  for (const std::uint32_t most : {1U, 3U}) {
    const RankProfile kept = select(table, by_person(most))[0];
    std::vector<std::uint64_t> counts;
    for (std::uint64_t age = 0; age < 4; ++age) {
      // With three kept: how often this age was left out.
      counts.push_back(most == 1 ? kept.equal(age) : 20'000 - kept.equal(age));
    }
    EXPECT_EQ(kept.records(), 20'000U * most);
    EXPECT_GT(testing::chi_square_p(counts, {0.25, 0.25, 0.25, 0.25}), 1e-9);
    EXPECT_LT(testing::chi_square_p({5600, 4800, 4800, 4800}, {0.25, 0.25, 0.25, 0.25}), 1e-9);
  }
}

/// 5,000 persons named by texts that are long and short, with 1 to 19 records in three groups, some of them alike.
const char* const many_rows =
    "SELECT CASE WHEN p % 3 = 0 THEN 'person number ' || p ELSE CAST(p AS VARCHAR) END AS who, "
    "CASE i % 4 WHEN 0 THEN 'x' WHEN 1 THEN 'y' ELSE 'z' END AS city, (p * 31 + i // 2 * 7) % 100 AS age "
    "FROM range(5000) persons(p), range(19) records(i) WHERE i <= p % 19";

TEST_F(SelectedRecords, TheSampleIsAFunctionOfEachPersonsRecords) {
  RandomBits bits = RandomBits::system();
  RecordSelection selection{.person = "who", .records_per_person = 3, .by = "city", .keys = {"z", "x"}};
  selection.sampling_key = SamplingKey::draw(bits);
  const auto with_order = [&](const std::string& name, const std::string& order) {
    return write_parquet(name, "SELECT * FROM (" + std::string(many_rows) + ") ORDER BY " + order);
  };
  const std::string in_order = with_order("by_person.parquet", "who, city, age");
  const std::vector<RankProfile> kept = select({.file = in_order}, selection);
  EXPECT_LT(kept[0].records() + kept[1].records(), 15'000U);
  EXPECT_EQ(select({.file = with_order("shuffled.parquet", "hash(who || city || age)")}, selection), kept);
  EXPECT_EQ(select({.file = with_order("by_age.parquet", "age DESC, who")}, selection), kept);
  EXPECT_EQ(select({.file = in_order, .threads = 1}, selection), kept);
  EXPECT_EQ(select({.file = in_order, .threads = 3, .memory = TableOptions::least_memory}, selection), kept);
  EXPECT_EQ(select({.file = in_order, .sql = "SELECT who, city, age FROM input"}, selection), kept);
  selection.keys = {"x", "z"};
  EXPECT_EQ(select({.file = in_order}, selection), (std::vector{kept[1], kept[0]}));
  selection.sampling_key = SamplingKey::draw(bits);
  EXPECT_NE(select({.file = in_order}, selection), (std::vector{kept[1], kept[0]}));
}

/// By the definition in the proof, from each person's records.
TEST_F(SelectedRecords, RanksAreOfAllKeysOfARecord) {
  RecordSelection selection{.person = "who", .records_per_person = 2, .by = {"city", "sex"}};
  selection.keys = GroupKeys::crossed({{"x", "y"}, {"f", "m", "d"}});
  selection.sampling_key = SamplingKey::of_bytes(std::string(32, 's'));
  std::string text = "who,city,sex,age\n";
  std::vector<std::vector<double>> kept(selection.keys.size());
  for (int person = 0; person < 300; ++person) {
    const std::string who = std::to_string(person);
    std::vector<std::pair<SamplingKey::Rank, std::size_t>> ranks;  // all of one age: the groups alone tell them apart
    const int age = person % 100;
    for (std::size_t group = 0; group < selection.keys.size(); ++group) {
      const GroupKey key = selection.keys[group];
      text += who + "," + key[0] + "," + key[1] + "," + std::to_string(age) + "\n";
      const Position position = ages.position_of(static_cast<double>(age));
      ranks.emplace_back(selection.sampling_key->rank(who, {position, sampled_group(key), 0}), group);
    }
    std::ranges::sort(ranks);
    for (std::size_t i = 0; i < 2; ++i) kept[ranks[i].second].push_back(age);
  }
  std::vector<RankProfile> expected;
  for (const std::vector<double>& group : kept) expected.push_back(profile_of_ages(group));
  EXPECT_EQ(select_text(text, selection), expected);
  selection.keys = GroupKeys::crossed({{"y", "x"}, {"d", "f", "m"}});
  const std::vector<RankProfile> turned = select_text(text, selection);
  EXPECT_EQ(turned[0], expected[5]);
  EXPECT_EQ(turned[4], expected[0]);
}

TEST_F(SelectedRecords, AnotherPersonChangesNobodysSample) {
  RandomBits bits = RandomBits::system();
  RecordSelection selection = by_person(2);
  selection.sampling_key = SamplingKey::draw(bits);
  const auto without = [&](const std::string& person) {
    return select(
        {.file = write_parquet("one_less_" + person + ".parquet",
                               "SELECT * FROM (" + std::string(many_rows) + ") WHERE who <> " + quote_literal(person))},
        selection)[0];
  };
  const auto alone = [&](const std::string& person) {
    return select({.file = write_parquet("alone_" + person + ".parquet", "SELECT * FROM (" + std::string(many_rows) +
                                                                             ") WHERE who = " + quote_literal(person))},
                  selection)[0];
  };
  const RankProfile all = without("nobody");
  for (const char* person : {"1", "20", "37", "4999", "person number 3", "person number 4998"}) {
    const RankProfile his = alone(person);
    EXPECT_LE(his.records(), 2U);
    EXPECT_EQ(RankProfile::merge(without(person), his), all) << person;
  }
}

TEST_F(SelectedRecords, WholeNumbersAndTheirTextsAreOnePerson) {
  RandomBits bits = RandomBits::system();
  RecordSelection selection{.person = "who", .records_per_person = 2, .by = "city", .keys = {"-7", "0", "12"}};
  selection.sampling_key = SamplingKey::draw(bits);
  const std::string rows = "(SELECT i % 1000 - 500 AS who, i % 20 - 7 AS city, i % 100 AS age FROM range(20000) t(i))";
  const std::string numbers = write_parquet("numbers.parquet", "SELECT * FROM " + rows);
  const std::string texts = write_parquet(
      "texts.parquet", "SELECT CAST(who AS VARCHAR) AS who, CAST(city AS VARCHAR) AS city, age FROM " + rows);
  EXPECT_EQ(select({.file = numbers}, selection), select({.file = texts}, selection));
}

TEST_F(SelectedRecords, ASeedMakesTheSampleReproducible) {
  const TableOptions table{
      .file = write_parquet("t5.parquet", "SELECT hash(i) % 5000 AS who, i % 100 AS age FROM range(50000) t(i)")};
  const auto sample = [&](std::uint64_t seed) {
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    return Table::open(table).count({{"age", ages, NullPolicy::drop, by_person(1)}}, bits).front().profiles();
  };
  EXPECT_EQ(sample(7), sample(7));
  EXPECT_NE(sample(7), sample(8));
}

TEST_F(SelectedRecords, FineLatticesAndManyKeys) {
  std::vector<std::string> keys;
  for (int i = 0; i < 50'000; ++i) keys.push_back(std::to_string(i));
  RandomBits bits = RandomBits::system();
  const Lattice fine = lattice_of("0", "1000000", "0.000001");
  const std::vector<RankProfile> groups =
      Table::open({.file = write_parquet("t6.parquet", "SELECT i % 60000 AS city, i AS age FROM range(120000) t(i)")})
          .count({{"age", fine, NullPolicy::drop, by_key(keys)}}, bits)
          .front()
          .profiles();
  ASSERT_EQ(groups.size(), keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    ASSERT_EQ(groups[k].records(), 2U);
    ASSERT_EQ(groups[k].equal(k * 1'000'000), 1U);
  }
}

}  // namespace
}  // namespace fractile
