// Names of columns, of persons' columns and of keys, in files and in queries over them: all are checked before anything is charged.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/files/input_file.hpp"

namespace fractile {
namespace {

using source_test::ages_to_120;
using source_test::error_of;

class NamedColumns : public source_test::EngineTest {
 protected:
  /// A Parquet file of whole numbers, whose names may be twins: the engine writes none, so letters are put in their place.
  std::string parquet_of(const std::string& name, const std::string& select, const std::string& written,
                         const std::string& wanted) const {
    const std::string file = write_parquet(name, select);
    std::string bytes = source_detail::InputFile::open(file).head(std::size_t{1} << 20);
    for (std::size_t at = 0; (at = bytes.find(written, at)) != std::string::npos; at += wanted.size())
      bytes.replace(at, written.size(), wanted);
    return folder.write(name, bytes);
  }
  std::string ages_by_two_names() const {
    return parquet_of("two.parquet", "SELECT 5 AS \"Age\", 40 AS aqe, 7 AS \"Age_1\" FROM range(3)", "aqe", "age");
  }
  std::string ages_by_one_name() const {
    return parquet_of("one.parquet", "SELECT 5 AS age, 40 AS aqe FROM range(3)", "aqe", "age");
  }
  static std::uint64_t equal(const TableOptions& options, const std::string& column, std::uint64_t age) {
    return Table::open(options).profile(column, ages_to_120, NullPolicy::drop).equal(age);
  }
  static std::string words_of(const Error& error) { return std::string(error.what()) + " / " + error.hint(); }
};

TEST_F(NamedColumns, AreFoundByLetterCaseInEveryFormat) {
  const std::string csv = folder.write("t.csv", "Age,age,Age_1\n5,40,7\n5,40,7\n5,40,7\n");
  const std::string tsv = folder.write("t.tsv", "Age\tage\tAge_1\n5\t40\t7\n5\t40\t7\n5\t40\t7\n");
  for (const std::string& file : {csv, tsv, ages_by_two_names()}) {
    EXPECT_EQ(equal({.file = file}, "Age", 5), 3u) << file;
    EXPECT_EQ(equal({.file = file}, "age", 40), 3u) << file;
    EXPECT_EQ(equal({.file = file}, "Age_1", 7), 3u) << file;
    EXPECT_EQ(error_of([&] { open(file).require_countable("AGE"); }).code(), ErrorCode::data) << file;
  }
}

TEST_F(NamedColumns, TwinsAreRefusedBeforeRowsAreRead) {
  for (const std::string& file : {folder.write("t.csv", "age,age\n5,40\n"), ages_by_one_name()}) {
    const Error error = error_of([&] { open(file).require_countable("age"); });
    EXPECT_NE(words_of(error).find("has more than one column 'age'"), std::string::npos) << words_of(error);
  }
}

TEST_F(NamedColumns, QueriesThatNameTwinsAreRefused) {
  const std::vector<std::string> files{folder.write("t.csv", "Age,age,x,Age_1\n5,40,1,7\n"), ages_by_two_names(),
                                       ages_by_one_name()};
  for (const std::string& file : files) {
    for (const std::string sql :
         {"SELECT TRY_CAST(age AS DOUBLE) AS y FROM input", "SELECT \"AGE\" AS y FROM input",
          "SELECT 1 AS y FROM input WHERE input.Age > 3", "SELECT * EXCLUDE (age) FROM input"}) {
      const Error error = error_of([&] { Table::open({.file = file, .sql = sql}); });
      EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
      EXPECT_NE(words_of(error).find("which SQL does not distinguish"), std::string::npos) << sql << words_of(error);
    }
    const Table all = Table::open({.file = file, .sql = "SELECT * FROM input"});
    for (const char* name : {"age", "Age", "age_1"}) EXPECT_THROW(all.require_countable(name), Error) << file << name;
  }
  EXPECT_EQ(equal({.file = files[0], .sql = "SELECT TRY_CAST(\"Age_1\" AS DOUBLE) AS y FROM input"}, "y", 7), 1u);
  EXPECT_EQ(equal({.file = files[1], .sql = "SELECT * FROM input"}, "Age_1", 7), 3u);
  const Table twice = Table::open({.file = files[0], .sql = "SELECT x AS y, x AS y, x AS z FROM input"});
  EXPECT_NE(words_of(error_of([&] { twice.require_countable("y"); })).find("more than one column"), std::string::npos);
  EXPECT_NO_THROW(twice.require_countable("z"));
}

// Every ID differs and id is one person: with `ID` bounded in its place, 300 records of one person counted for one.
TEST_F(NamedColumns, PersonsAreThoseOfTheNamedColumn) {
  const std::string parquet = parquet_of("p.parquet",
                                         "SELECT i AS \"ID\", CASE WHEN i < 300 THEN 0 ELSE i END AS iq, "
                                         "CASE WHEN i < 300 THEN 9 ELSE 2 END AS x FROM range(500) t(i)",
                                         "iq", "id");
  std::string csv = "ID,id,x\n";
  for (int i = 0; i < 500; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i < 300 ? 0 : i) + (i < 300 ? ",9\n" : ",2\n");
  }
  for (const std::string& file : {parquet, folder.write("p.csv", csv)}) {
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const auto profiles =
        open(file).count({{"x", ages_to_120, NullPolicy::drop, {.person = "id"}}}, bits).front().profiles();
    EXPECT_EQ(profiles.at(0).equal(9), 1u) << file;
    EXPECT_EQ(profiles.at(0).equal(2), 200u) << file;
    EXPECT_THROW(Table::open({.file = file, .sql = "SELECT id, x FROM input"}), Error) << file;
  }
}

TEST_F(NamedColumns, ColumnsWithoutANameTakeNoOther) {
  const std::string file = folder.write("t.csv", ",column0\n1,40\n");
  EXPECT_EQ(equal({.file = file}, "column0", 40), 1u);
  EXPECT_EQ(equal({.file = file}, "column0_", 1), 1u);
}

// A month and 30 days are equal, and have different texts.
TEST_F(NamedColumns, PersonsThatTheirTextsDoNotDistinguishAreRefusedBySchema) {
  const ColumnToCount by_person{"x", ages_to_120, NullPolicy::drop, {.person = "p"}};
  for (const std::string type : {"DOUBLE", "FLOAT", "INTERVAL", "DOUBLE[]", "STRUCT(a DOUBLE)"}) {
    const std::string file = write_parquet("p.parquet", "SELECT CAST(NULL AS " + type + ") AS p, 1 AS x");
    const Error error = error_of([&] { open(file).require_countable({by_person}); });
    EXPECT_EQ(error.code(), ErrorCode::data) << type;
    EXPECT_NE(words_of(error).find("does not identify persons"), std::string::npos) << words_of(error);
    const bool is_nested = type.find_first_of("[(") != std::string::npos;  // such a cell is no BIGINT
    EXPECT_EQ(words_of(error).find("CAST(p AS") == std::string::npos, is_nested) << words_of(error);
  }
  for (const std::string type : {"DECIMAL(10, 2)", "UBIGINT", "UUID", "DATE", "VARCHAR"}) {
    const std::string file = write_parquet("p.parquet", "SELECT CAST(NULL AS " + type + ") AS p, 1 AS x");
    EXPECT_NO_THROW(open(file).require_countable({by_person})) << type;
  }
}

// They once were one person, whose records were those of all.
TEST_F(NamedColumns, NotANumberIsNobody) {
  const std::string csv = folder.write("p.csv", "p,x\nnan,1\nNaN,1\nNaT,1\nNAN,1\n,1\n  ,1\nNancy,1\nna,1\nnan.,1\n");
  RandomBits bits = RandomBits::unsafe_seeded(1);
  EXPECT_EQ(
      open(csv).count({{"x", ages_to_120, NullPolicy::drop, {.person = "p"}}}, bits).front().profiles().at(0).records(),
      3u);
  EXPECT_THROW((void)open(csv).count({{"x", ages_to_120, NullPolicy::error, {.person = "p"}}}, bits), Error);
}

using TypedKeys = NamedColumns;

TEST_F(TypedKeys, AreComparedAsValues) {
  struct Case {
    std::string type;
    std::string cell;
    std::vector<std::string> keys;
  };
  const std::vector<Case> cases{{"DOUBLE", "1", {"1", "2"}},
                                {"DOUBLE", "-0.0", {"0"}},
                                {"DOUBLE", "0.0", {"-0"}},
                                {"FLOAT", "0.1", {"0.10"}},
                                {"DECIMAL(10, 2)", "1", {"1", "2"}},
                                {"DECIMAL(10, 2)", "1.50", {"1.5"}},
                                {"INTEGER", "1", {"1.0", "2.0"}},
                                {"UBIGINT", "18446744073709551615", {"18446744073709551615"}},
                                {"BOOLEAN", "true", {"True", "false"}},
                                {"DATE", "2024-01-05", {"2024-01-05"}},
                                {"VARCHAR", "1", {"1", "1.0"}}};
  for (const auto& [type, cell, keys] : cases) {
    const std::string file = write_parquet("k.parquet", "SELECT CAST('" + cell + "' AS " + type + ") AS k, 9 AS x");
    const RecordSelection selection{.by = "k", .keys = keys};
    EXPECT_NO_THROW(open(file).require_countable({{"x", ages_to_120, NullPolicy::drop, selection}})) << type;
    RandomBits bits = RandomBits::unsafe_seeded(1);
    EXPECT_EQ(
        open(file).count({{"x", ages_to_120, NullPolicy::drop, selection}}, bits).front().profiles().at(0).records(),
        1u)
        << type << cell;
  }
}

TEST_F(TypedKeys, ThatAreNoValuesAreRefusedBySchema) {
  struct Case {
    std::string type;
    std::vector<std::string> keys;
    std::string words;
  };
  const std::vector<Case> cases{
      {"INTEGER", {"1", "1.5"}, "key 2 is no value of column 'k', which is INTEGER"},
      {"INTEGER", {"1", "1.0"}, "key 2 is the same as another one in column 'k', which is INTEGER"},
      {"INTEGER", {"north"}, "key 1 is no value"},
      {"DOUBLE", {"nan"}, "key 1 is no value"},
      {"DOUBLE", {"1_0"}, "key 1 is no value"},
      {"DECIMAL(10, 2)", {"1.005"}, "key 1 is no value"},
      {"BOOLEAN", {"1", "2"}, "key 1 is no value"},
      {"DATE", {"yesterday"}, "key 1 is no value"}};
  for (const auto& [type, keys, words] : cases) {
    const std::string file = write_parquet("k.parquet", "SELECT CAST(NULL AS " + type + ") AS k, 9 AS x");
    const ColumnToCount by_key{"x", ages_to_120, NullPolicy::drop, {.by = "k", .keys = keys}};
    const Error error = error_of([&] { open(file).require_countable({by_key}); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << type;
    EXPECT_NE(words_of(error).find(words), std::string::npos) << words_of(error);
    EXPECT_EQ(words_of(error).find("north"), std::string::npos);
  }
}

using SaidNames = NamedColumns;

// The header line that was forgotten, and records of JSON read as a header.
TEST_F(SaidNames, QueriesOverTextSayNoneThatTheAskerDidNot) {
  const std::string csv = folder.write("p.csv", "Alice Jones,51,secret\nBob,30,x\n");
  for (const std::string sql : {"SELECT * FROM input", "SELECT age FROM input", "SELECT secre FROM input",
                                "SELECT input.jones AS x FROM input", "SELECT sum(x, 3) AS secret FROM input",
                                "SELECT x.y AS z FROM input", "FROM input SELECT lower(age, 1) AS x"}) {
    const Error error = error_of([&] {
      const Table table = Table::open({.file = csv, .sql = sql, .sql_stability = 1});
      table.require_countable("age");
    });
    EXPECT_EQ(words_of(error).find("Jones"), std::string::npos) << words_of(error);
    EXPECT_EQ(words_of(error).find("51"), std::string::npos) << words_of(error);
    if (sql.find("secret") == std::string::npos) {
      EXPECT_EQ(words_of(error).find("secret"), std::string::npos) << words_of(error);
    }
  }
  const std::string numbers = folder.write("n.csv", "age\n1\n");
  const Error typed = error_of([&] { Table::open({.file = numbers, .sql = "SELECT age * 2 AS x FROM input"}); });
  EXPECT_NE(words_of(typed).find("'*(VARCHAR, INTEGER_LITERAL)'"), std::string::npos) << words_of(typed);
}

TEST_F(SaidNames, JsonIsNoHeaderPackedOrNot) {
  const auto packed = [&](const std::string& text) {
    run_sql("COPY (SELECT " + source_detail::quote_literal(text) + " AS t) TO " +
            source_detail::quote_literal(folder.path("p.csv.gz")) +
            " (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIM '\x1f', COMPRESSION gzip)");
    return folder.path("p.csv.gz");
  };
  for (const std::string text : {"{\"id\": 17, \"age\": 35}", "{ \"id\": 17, \"age\": 35}", "[ {\"id\": 17}]",
                                 "\xEF\xBB\xBF { \"id\": 17}", "{\t\"id\": 17}"}) {
    for (const std::string& file : {folder.write("p.csv", text + "\n"), packed(text)}) {
      for (const std::string sql : {"", "SELECT * FROM input"}) {
        const Error error = error_of([&] { Table::open({.file = file, .sql = sql}); });
        EXPECT_NE(words_of(error).find("is JSON by its first bytes, not CSV"), std::string::npos) << words_of(error);
        EXPECT_EQ(words_of(error).find("17"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace fractile
