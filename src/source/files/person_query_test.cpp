// Queries that make one row of each person's records, from the file to the profile.
#include "source/files/person_query.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "libraries/fmt.hpp"
#include "source/entries/table_test_support.hpp"
#include "source/files/query_plan.hpp"

namespace fractile {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using source_test::holds;
using source_test::lattice_of;
using source_test::profile_of;

class PersonQueries : public EngineTest {
 protected:
  RankProfile count(const TableOptions& options, const std::string& column = "x", const std::string& person = "id",
                    const std::vector<std::string>& keys = {}) const {
    RandomBits bits = RandomBits::system();
    RecordSelection selection{.person = person};
    if (!keys.empty()) {
      selection.by = "region";
      selection.keys = GroupKeys(keys);
    }
    const Table table = Table::open(options);
    const std::vector<ColumnToCount> columns{{column, numbers, NullPolicy::drop, selection}};
    table.require_countable(columns);
    return table.count(columns, bits).front().profiles().front();
  }
  RankProfile of(const std::string& sql, const std::string& column = "x") const {
    return count({.file = folder.path("t.csv"), .sql = sql}, column);
  }
  Error refusal(const std::string& sql) const {
    return error_of([&] { Table::open({.file = folder.path("t.csv"), .sql = sql}); });
  }
  RankProfile values(const std::vector<double>& each) const { return profile_of<double>(numbers, each); }
  void SetUp() override {
    EngineTest::SetUp();
    folder.write("t.csv",
                 "id,x,region,flag\n"
                 "a,1.5,north,true\nb,4,south,false\na,2,south,false\n,9,north,true\nc,abc,north,true\nb,0,north,true\n"
                 "a,,north,\n\" \",7,north,true\n");
  }

  const Lattice numbers = lattice_of("-10", "20", "0.5");
};

constexpr const char* number = "CAST(x AS DECIMAL(18, 2))";

TEST_F(PersonQueries, AggregatesAreOfEachPersonsRecords) {
  const std::map<std::string, std::vector<double>> expected{
      {"sum(CAST(x AS DECIMAL(18, 2)))", {3.5, 4}},    {"count(*)", {3, 2, 1}},
      {"count(CAST(x AS DECIMAL(18, 2)))", {2, 2, 0}}, {"count(DISTINCT region)", {2, 2, 1}},
      {"min(CAST(x AS DECIMAL(18, 2)))", {1.5, 0}},    {"max(CAST(x AS DOUBLE))", {2, 4}},
      {"median(CAST(x AS DOUBLE))", {1.75, 2}},        {"quantile_disc(CAST(x AS DOUBLE), 0.9)", {2, 4}},
      {"quantile_cont(CAST(x AS DOUBLE), 1)", {2, 4}}, {"avg(CAST(x AS DECIMAL(18, 2)))", {1.75, 2}},
  };
  for (const auto& [aggregate, each] : expected) {
    EXPECT_EQ(of("SELECT id, " + aggregate + " AS x FROM input GROUP BY id"), values(each)) << aggregate;
  }
  EXPECT_EQ(of("SELECT id, CAST(any_flag AS INTEGER) AS x FROM (SELECT id, bool_or(CAST(flag AS BOOLEAN)) AS any_flag "
               "FROM input GROUP BY id)"),
            values({1, 1, 1}));
}

TEST_F(PersonQueries, GoesRowByRowBelowAndAbove) {
  EXPECT_EQ(of("SELECT id, total / visits AS x FROM (SELECT id, sum(cost) AS total, count(cost) AS visits FROM (SELECT "
               "id, CAST(x AS DECIMAL(18, 2)) * 2 AS cost FROM input WHERE region <> 'nowhere') GROUP BY id) WHERE "
               "total > 7"),
            values({4}));
  EXPECT_EQ(of("SELECT * FROM (SELECT * FROM (SELECT count(*) AS x, id FROM (SELECT * FROM input) GROUP BY id) p)"),
            values({3, 2, 1}));
  EXPECT_EQ(of("select ID as id, count(*) as x from input i where i.x > '0' group by Id"), values({2, 1, 1}));
}

// The engine groups such columns in another way unless it is told not to.
TEST_F(PersonQueries, PersonsMayBeSmallNumbers) {
  for (const char* type : {"TINYINT", "UTINYINT", "SMALLINT", "DECIMAL(2, 1)"}) {
    const std::string file =
        write_parquet("small.parquet", std::string("SELECT CAST(i % 3 AS ") + type + ") AS id FROM range(7) t(i)");
    EXPECT_EQ(count({.file = file, .sql = "SELECT id, count(*) AS x FROM input GROUP BY id"}), values({3, 2, 2}))
        << type;
  }
}

// A person's row is in one group.
TEST_F(PersonQueries, GroupsAreOfPersons) {
  const std::string sql = "SELECT id, min(region) AS region, count(*) AS x FROM input GROUP BY id";
  EXPECT_EQ(count({.file = folder.path("t.csv"), .sql = sql}, "x", "id", {"north", "south"}), values({3, 2, 1}));
}

TEST_F(PersonQueries, AreOfThatPersonAlone) {
  const std::string sql = "SELECT id, count(*) AS x FROM input GROUP BY id";
  const auto refused = [&](const std::string& person) {
    return error_of([&] { count({.file = folder.path("t.csv"), .sql = sql}, "x", person); });
  };
  EXPECT_TRUE(holds(refused(""), "person = \"id\""));
  EXPECT_TRUE(holds(refused("x"), "person = \"id\""));
  EXPECT_EQ(Table::open({.file = folder.path("t.csv"), .sql = sql}).person_of_rows(), "id");
  EXPECT_EQ(Table::open({.file = folder.path("t.csv"), .sql = "SELECT id, x FROM input"}).person_of_rows(), "");
}

// A failure in a record makes an argument missing there, and ends nothing.
TEST_F(PersonQueries, JoinOneRowOfAPersonWithAnother) {
  const std::string visits = folder.write("v.csv", "id,cost\na,10\na,5\nb,1\nd,8\n,3\n\" \",2\n");
  const auto joined = [&](const std::string& kind) {
    return count(
        {.file = folder.path("t.csv"),
         .sql = "SELECT id, CASE WHEN total IS NULL THEN 0 ELSE total END + CASE WHEN spent IS NULL THEN 0 ELSE spent "
                "END AS x FROM (SELECT id, sum(CAST(x AS DECIMAL(18, 2))) AS total FROM input GROUP BY id) " +
                kind + " JOIN (SELECT id, sum(CAST(cost AS DECIMAL(18, 2))) AS spent FROM v GROUP BY id) USING (id)",
         .tables = {{"v", visits}}});
  };
  EXPECT_EQ(joined(""), values({18.5, 5}));
  EXPECT_EQ(joined("LEFT"), values({18.5, 5, 0}));
  EXPECT_EQ(joined("RIGHT"), values({18.5, 5, 8}));
  EXPECT_EQ(joined("FULL"), values({18.5, 5, 0, 8}));
  const TableOptions three{
      .file = folder.path("t.csv"),
      .sql =
          "SELECT * FROM (SELECT id, a + b + c AS x FROM (SELECT id, count(*) AS a FROM input GROUP BY id) JOIN "
          "(SELECT "
          "count(*) AS b, ID FROM v GROUP BY ID) USING (id) LEFT JOIN (SELECT id, max(CAST(cost AS INTEGER)) AS c FROM "
          "(SELECT id, cost FROM v) GROUP BY id) AS of_v USING (id) WHERE c > 1)",
      .tables = {{"v", visits}}};
  EXPECT_EQ(count(three), values({15}));
  // A person whom the first file does not have is one person in the others.
  const TableOptions chain{.file = folder.path("t.csv"),
                           .sql =
                               "SELECT id, 1 AS x FROM (SELECT id, count(*) AS a FROM input GROUP BY id) FULL JOIN "
                               "(SELECT id, count(*) AS b FROM v GROUP BY id) USING (id) FULL JOIN (SELECT id, "
                               "count(*) AS c FROM w GROUP BY id) USING (id)",
                           .tables = {{"v", visits}, {"w", folder.write("w.csv", "id\nd\ne\na\n")}}};
  EXPECT_EQ(count(chain), values({1, 1, 1, 1, 1}));
  EXPECT_EQ(Table::open(three).person_of_rows(), "id");
}

// With all records of a person in both files or in neither, all other rows are the same.
TEST_F(PersonQueries, JoinedRowsAreOfOnePersonAlone) {
  std::string left = "id,x\n";
  std::string right = "id,x\n";
  for (int i = 0; i < 300; ++i) {
    left += fmt::format("p{},{}\n", i % 41, i % 7);
    right += fmt::format("p{},{}\n", i % 53, i % 11);
  }
  const auto counted = [&](const std::string& without) {
    const auto lines = [&](const std::string& text) {
      std::string kept;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at) + 1;
        if (without.empty() || text.substr(at, without.size() + 1) != without + ",") kept += text.substr(at, end - at);
        at = end;
      }
      return kept;
    };
    folder.write("left.csv", lines(left));
    folder.write("right.csv", lines(right));
    return count(
        {.file = folder.path("left.csv"),
         .sql = "SELECT id, CASE WHEN n IS NULL THEN 0 ELSE n END - CASE WHEN m IS NULL THEN 0 ELSE m END AS x FROM "
                "(SELECT id, sum(CAST(x AS INTEGER)) AS n FROM input GROUP BY id) FULL JOIN (SELECT id, "
                "max(CAST(x AS INTEGER)) AS m FROM r GROUP BY id) USING (id)",
         .threads = without.empty() ? 4U : 1U,
         .tables = {{"r", folder.path("right.csv")}}});
  };
  const RankProfile all = counted("");
  EXPECT_EQ(all.records(), 53U);
  for (const char* const person : {"p0", "p40", "p41", "p52"}) {
    const RankProfile fewer = counted(person);
    std::uint64_t moved = 0;
    for (std::size_t k = 0; k < all.distinct(); ++k) moved += all.count(k) - fewer.equal(all.position(k) / 2);
    EXPECT_EQ(fewer.records(), 52U);
    EXPECT_EQ(moved, 1U);
  }
}

// Records of one table, with one row of each person's records in others: SELECT ... FROM visits JOIN (...) USING (id) GROUP BY id.
TEST_F(PersonQueries, GroupRecordsThatAreJoinedToPersons) {
  const std::string persons = folder.write("p.csv", "id,age\na,30\na,40\nb,20\nd,50\n,60\n");
  const std::string costs = folder.write("c.csv", "id,cost\na,10\na,5\nb,1\nd,8\ne,2\n,3\n");
  const auto joined = [&](const std::string& from, const std::string& list, const std::string& where = "") {
    return count({.file = folder.path("t.csv"),
                  .sql = "SELECT id, " + list + " AS x FROM " + from + " " + where + " GROUP BY id",
                  .tables = {{"p", persons}, {"c", costs}}});
  };
  const std::string ages = "(SELECT id, max(CAST(age AS INTEGER)) AS age FROM p GROUP BY id)";
  // The table has a, a, a, b, b, c; the ages of a, b, d are 40, 20, 50.
  EXPECT_EQ(joined("input JOIN " + ages + " USING (id)", "count(*)"), values({3, 2}));
  EXPECT_EQ(joined("input v LEFT JOIN " + ages + " q USING (id)", "count(*)"), values({3, 2, 1}));
  EXPECT_EQ(joined(ages + " RIGHT JOIN input USING (id)", "count(age)"), values({3, 2, 0}));
  EXPECT_EQ(joined("input FULL JOIN " + ages + " USING (id)", "count(*)"), values({3, 2, 1, 1}));
  EXPECT_EQ(joined("input JOIN " + ages + " USING (id)", "count(*)", "WHERE age > 25"), values({3}));
  EXPECT_EQ(joined("(SELECT id, x FROM input WHERE region = 'north') JOIN " + ages + " USING (id)",
                   "sum(CASE WHEN age > 25 THEN CAST(x AS DECIMAL(18, 2)) ELSE 0 END)"),
            values({1.5, 0}));
  // Records below the mean of the same person's records: the same as with a window.
  EXPECT_EQ(joined("(SELECT id, CAST(cost AS INTEGER) AS cost FROM c) JOIN (SELECT id, avg(CAST(cost AS INTEGER)) AS "
                   "mean FROM c GROUP BY id) USING (id)",
                   "count(*)", "WHERE cost < mean"),
            values({1}));
  EXPECT_EQ(
      joined("c JOIN " + ages + " USING (id) LEFT JOIN (SELECT id, count(*) AS n FROM input GROUP BY id) USING (id)",
             "sum(CASE WHEN n IS NULL THEN 0 ELSE n END)"),
      values({6, 2, 0}));
  const TableOptions above{.file = folder.path("t.csv"),
                           .sql = "SELECT id, n / 2 AS x FROM (SELECT id, count(*) AS n FROM input JOIN " + ages +
                                  " USING (id) GROUP BY id) WHERE n > 2",
                           .tables = {{"p", persons}}};
  EXPECT_EQ(count(above), values({1.5}));
  EXPECT_EQ(Table::open(above).person_of_rows(), "id");
  const TableOptions twice{
      .file = folder.path("t.csv"),
      .sql = "SELECT id, n + m AS x FROM (SELECT id, count(*) AS n FROM input JOIN " + ages +
             " USING (id) GROUP BY id) JOIN (SELECT id, count(*) AS m FROM c GROUP BY id) USING (id)",
      .tables = {{"p", persons}, {"c", costs}}};
  EXPECT_EQ(count(twice), values({5, 3}));
}

// A window's result over each person's records is joined to them.
TEST_F(PersonQueries, GroupRecordsBesideWindowsOfTheirPersons) {
  const std::string incomes = folder.write("i.csv",
                                           "id,year,income\na,2020,5\na,2022,7\na,2021,9\nb,2021,1\nb,2021,3\n,2024,8\n"
                                           "c,old,4\n");
  const auto latest = [&](const std::string& sql) { return count({.file = incomes, .sql = sql}); };
  const std::string years = "CAST(year AS INTEGER) AS year, CAST(income AS INTEGER) AS income";
  // The latest income, and where there are several of one year, the greatest.
  EXPECT_EQ(
      latest("SELECT id, max(income) AS x FROM (SELECT id, " + years +
             ", max(CAST(year AS INTEGER)) OVER (PARTITION BY id) AS last FROM input) WHERE year = last GROUP BY id"),
      values({7, 3}));
  // The rows that WHERE leaves, as a window has them.
  EXPECT_EQ(
      latest("SELECT id, max(income) AS x FROM (SELECT id, " + years +
             ", max(CAST(year AS INTEGER)) OVER (PARTITION BY id) AS last FROM input WHERE CAST(year AS INTEGER) < "
             "2022) WHERE year = last GROUP BY id"),
      values({9, 3}));
  EXPECT_EQ(
      latest("SELECT id, count(*) AS x FROM (SELECT id, CAST(income AS INTEGER) / (1 + count(*) OVER (PARTITION BY "
             "ID)) AS part, count(DISTINCT year) OVER (PARTITION BY id) AS years FROM (SELECT * FROM input)) WHERE "
             "part > 1 AND years > 0 GROUP BY id"),
      values({3, 1}));
  // A name that is one of FROM, too, is that one; and a name of a SELECT inside is a column.
  EXPECT_EQ(latest("SELECT id, max(m) AS x FROM (SELECT id, 'old' AS income, max(TRY_CAST(income AS INTEGER)) OVER "
                   "(PARTITION BY id) AS m FROM input) GROUP BY id"),
            values({9, 3, 4}));
  EXPECT_EQ(latest("SELECT id, max(m) AS x FROM (SELECT id, y, max(y) OVER (PARTITION BY id) AS m FROM (SELECT id, "
                   "CAST(income AS INTEGER) AS y FROM input)) GROUP BY id"),
            values({9, 3, 4}));
  EXPECT_EQ(
      count({.file = incomes,
             .sql = "SELECT id, n - m AS x FROM (SELECT id, count(*) AS n FROM input GROUP BY id) JOIN (SELECT id, "
                    "count(*) AS m FROM (SELECT id, min(year) OVER (PARTITION BY id) AS first, year FROM input) "
                    "WHERE year > first GROUP BY id) USING (id)"}),
      values({1}));
  for (const auto& [sql, part] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT id, sum(CAST(income AS INTEGER)) OVER (PARTITION BY id) AS x FROM input",
            "the window function sum"},
           {"SELECT id, max(n) AS x FROM (SELECT id, count(*) OVER (PARTITION BY year) AS n FROM input) GROUP BY id",
            "a join by the column 'year'"},
           {"SELECT id, max(n) AS x FROM (SELECT id, count(*) OVER () AS n FROM input) GROUP BY id",
            "the window function"},
           {"SELECT id, max(n) AS x FROM (SELECT id, row_number() OVER (PARTITION BY id) AS n FROM input) GROUP BY id",
            "the window function row_number"},
           {"SELECT id, max(n) AS x FROM (SELECT id, count(*) OVER (PARTITION BY id ORDER BY year) AS n FROM input) "
            "GROUP "
            "BY id",
            "OVER (PARTITION BY id) AS last"},
           {"SELECT id, max(n) AS x FROM (SELECT id, count(*) OVER (PARTITION BY id ROWS 3 PRECEDING) AS n FROM input) "
            "GROUP BY id",
            "the window function count"},
           {"SELECT id, max(n) AS x FROM (SELECT id, CAST(income AS INTEGER) AS n, row_number() OVER (PARTITION BY id "
            "ORDER BY year) AS k FROM input) WHERE k = 1 GROUP BY id",
            "the window function row_number(...) OVER with ORDER BY"},
           {"SELECT id, max(n) AS x FROM (SELECT id, first(year) OVER (PARTITION BY id) AS n FROM input) GROUP BY id",
            "the window function first"},
           {"SELECT id, max(n) AS x FROM (SELECT id, sum(CAST(income AS DOUBLE)) OVER (PARTITION BY id) AS n FROM "
            "input) "
            "GROUP BY id",
            "DOUBLE"},
           {"SELECT id, max(n) AS x FROM (SELECT id, mode(income) OVER (PARTITION BY id) AS n FROM input) GROUP BY id",
            "the order of rows"},
           {"SELECT id, max(n) AS x FROM (SELECT lower(id) AS id, count(*) OVER (PARTITION BY id) AS n FROM input) "
            "GROUP BY "
            "id",
            "pass on the column 'id'"},
           {"SELECT id, max(n) AS x FROM (SELECT id, count(*) OVER (PARTITION BY id) AS n FROM input QUALIFY count(*) "
            "OVER "
            "(PARTITION BY id) > 1) GROUP BY id",
            "QUALIFY"},
           {"SELECT id, sum(m) AS x FROM (SELECT id, year AS y, max(CAST(Y AS INT)) OVER (PARTITION BY id) AS m FROM "
            "input) GROUP BY id",
            "the query makes 'Y' in the SELECT whose windows or WHERE read it"},
           {"SELECT id, sum(m) AS x FROM (SELECT id, CAST(year AS INT) AS y, 1 + count(*) OVER (PARTITION BY id) AS m "
            "FROM (SELECT id, year FROM input) WHERE y > 3) GROUP BY id",
            "write there what 'y' stands for, or make it in a SELECT inside"},
           {"SELECT p, max(n) AS x FROM (SELECT id AS p, count(*) OVER (PARTITION BY p) AS n FROM input) GROUP BY p",
            "the query makes 'p'"},
           {"WITH t AS (FROM input) SELECT id, count(t.year) AS x FROM t GROUP BY id", "WITH"},
           {"WITH t AS (FROM input) SELECT id, max(n) AS x FROM (SELECT id, year AS y, count(y) OVER (PARTITION BY id) "
            "AS n FROM t) GROUP BY id",
            "the query makes 'y'"},
       }) {
    const Error error = error_of([&] { Table::open({.file = incomes, .sql = sql}); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_TRUE(holds(error, part)) << sql << ": " << error.what() << "; " << error.hint();
  }
}

// With all records of a person in all files or in none, all other rows are the same, on any threads.
TEST_F(PersonQueries, RecordsThatAreJoinedAreOfOnePersonAlone) {
  const auto counted = [&](int without, std::uint32_t threads) {
    std::string visits = "id,x\n";
    std::string persons = "id,age\n";
    for (int i = 0; i < 4000; ++i) {
      if (i % 101 != without) visits += fmt::format("p{},{}\n", i % 101, i % 7);
      if (i % 71 != without) persons += fmt::format("p{},{}\n", i % 71, i % 50);
    }
    folder.write("visits.csv", visits);
    folder.write("persons.csv", persons);
    return count({.file = folder.path("visits.csv"),
                  .sql = "SELECT id, n - 30 AS x FROM (SELECT id, count(*) AS n FROM input LEFT JOIN (SELECT id, "
                         "max(CAST(age AS INTEGER)) AS age FROM p GROUP BY id) USING (id) WHERE CAST(x AS INTEGER) <> "
                         "age % 5 OR age IS NULL GROUP BY id)",
                  .threads = threads,
                  .tables = {{"p", folder.path("persons.csv")}}});
  };
  const RankProfile all = counted(-1, 1);
  EXPECT_EQ(all.records(), 101U);
  EXPECT_EQ(counted(-1, 4), all);
  for (const int person : {0, 70, 71, 100}) {
    const RankProfile fewer = counted(person, 2);
    std::uint64_t moved = 0;
    for (std::size_t k = 0; k < all.distinct(); ++k) moved += all.count(k) - fewer.equal(all.position(k) / 2);
    EXPECT_EQ(fewer.records(), 100U);
    EXPECT_EQ(moved, 1U);
  }
}

TEST_F(PersonQueries, RefuseOtherRecordsThatAreJoined) {
  const std::string visits = folder.write("v.csv", "id,cost\na,10\n");
  const std::string numbered = write_parquet("n.parquet", "SELECT 1 AS id, 2 AS cost");
  const std::string nobody = folder.write("o.csv", "who,cost\na,10\n");
  const std::string of_v = "(SELECT id, count(*) AS b FROM v GROUP BY id)";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"FROM input JOIN v USING (id) GROUP BY id", "a row for each pair of a person's"},
      {"FROM input JOIN (SELECT id, cost FROM v) USING (id) GROUP BY id", "a row for each pair of a person's"},
      {"FROM input p JOIN v q ON p.id = q.id GROUP BY id", "anything other than the person's"},
      {"FROM input CROSS JOIN " + of_v + " GROUP BY id", "anything other than the person's"},
      {"FROM input, " + of_v + " GROUP BY id", "anything other than the person's"},
      {"FROM input JOIN (SELECT id, count(*) AS x FROM v GROUP BY id) USING (x) GROUP BY id",
       "a join by the column 'x'"},
      {"FROM input JOIN " + of_v + " USING (id) GROUP BY region", "neither the person's column"},
      {"FROM input JOIN (SELECT id, count(*) AS region FROM v GROUP BY id) USING (id) WHERE input.region > '' GROUP BY "
       "id",
       "a column of the same name"},
      {"FROM input p LEFT JOIN " + of_v + " q USING (id) WHERE q.id > '' GROUP BY id", "its table's name"},
      {"FROM (SELECT region AS id, x FROM input) JOIN " + of_v + " USING (id) GROUP BY id", "pass on the column 'id'"},
      {"FROM (SELECT lower(id) AS id FROM input) JOIN " + of_v + " USING (id) GROUP BY id", "pass on the column 'id'"},
      {"FROM input AS t(a, id, c, d) JOIN " + of_v + " USING (id) GROUP BY id", "other names for its columns"},
      {"FROM input TABLESAMPLE 50% JOIN " + of_v + " USING (id) GROUP BY id", "TABLESAMPLE"},
      {"FROM input JOIN " + of_v + " TABLESAMPLE 50% USING (id) GROUP BY id", "TABLESAMPLE"},
      {"FROM (SELECT id FROM input LIMIT 3) JOIN " + of_v + " USING (id) GROUP BY id", "LIMIT"},
      {"FROM input JOIN (" + of_v +
           " JOIN (SELECT id, count(*) AS c FROM v GROUP BY id) USING (id)) USING (id) GROUP BY id",
       "in parentheses"},
      {"FROM input JOIN (SELECT id, count(*) AS b FROM n GROUP BY id) USING (id) GROUP BY id",
       "the person's column is VARCHAR and INTEGER"},
      {"FROM o JOIN " + of_v + " USING (id) GROUP BY id", "a table without the column 'id'"},
      {"FROM input JOIN (SELECT id, first(cost) AS b FROM v GROUP BY id) USING (id) GROUP BY id", "the order of rows"},
      {"FROM input JOIN " + of_v + " USING (id) GROUP BY id LIMIT 1", "LIMIT"},
  };
  for (const auto& [from, part] : refused) {
    const std::string sql = "SELECT id, count(*) AS x " + from;
    const TableOptions asked{
        .file = folder.path("t.csv"), .sql = sql, .tables = {{"v", visits}, {"n", numbered}, {"o", nobody}}};
    const Error error = error_of([&] { Table::open(asked); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_TRUE(holds(error, part)) << sql << ": " << error.what() << "; " << error.hint();
  }
}

// ON v.id = p.id, and names of tables before columns, where USING (id) and the names alone mean the same.
TEST_F(PersonQueries, MayNameTheirTables) {
  const std::string persons = folder.write("p.csv", "id,age\na,30\na,40\nb,20\nd,50\n,60\n");
  const std::string costs = folder.write("c.json", R"([{"id":"a","cost":10},{"id":"b","cost":1},{"id":"b","cost":2}])");
  const auto counted = [&](const std::string& sql) {
    return count({.file = folder.path("t.csv"), .sql = sql, .tables = {{"p", persons}, {"c", costs}}});
  };
  const std::string ages = "(SELECT id, max(CAST(age AS INTEGER)) AS age FROM p GROUP BY id)";
  const std::string visits = "(SELECT id, count(*) AS n FROM input GROUP BY id)";
  const std::vector<std::pair<std::string, std::string>> alike{
      {"SELECT v.id, v.n + q.age / 8 AS x FROM " + visits + " v JOIN " + ages + " q ON v.id = q.id",
       "SELECT id, n + age / 8 AS x FROM " + visits + " JOIN " + ages + " USING (id)"},
      {"SELECT q.ID AS id, V.n AS x FROM " + visits + " v JOIN " + ages + " q ON (q.id = v.id) WHERE Q.Age > 25",
       "SELECT id, n AS x FROM " + visits + " JOIN " + ages + " USING (id) WHERE age > 25"},
      {"SELECT v.id, v.n AS x FROM " + visits + " v LEFT JOIN " + ages + " q ON v.id = q.id WHERE q.age IS NULL",
       "SELECT id, n AS x FROM " + visits + " LEFT JOIN " + ages + " USING (id) WHERE age IS NULL"},
      {"SELECT q.id, q.age / 8 AS x FROM " + visits + " v RIGHT JOIN " + ages + " q ON v.id = q.id",
       "SELECT id, age / 8 AS x FROM " + visits + " RIGHT JOIN " + ages + " USING (id)"},
      {"SELECT v.id, v.n + w.m AS x FROM " + visits + " v JOIN " + ages +
           " q ON v.id = q.id LEFT JOIN (SELECT id, count(*) AS m FROM input GROUP BY id) w ON w.id = q.id WHERE v.n > "
           "2",
       "SELECT id, n + m AS x FROM " + visits + " JOIN " + ages +
           " USING (id) LEFT JOIN (SELECT id, count(*) AS m FROM input GROUP BY id) USING (id) WHERE n > 2"},
      {"SELECT v.id, count(*) AS x FROM input v JOIN " + ages +
           " q ON v.id = q.id WHERE q.age > 25 AND v.region = 'north' GROUP BY v.id",
       "SELECT id, count(*) AS x FROM input JOIN " + ages +
           " USING (id) WHERE age > 25 AND region = 'north' GROUP BY id"},
      {"SELECT input.id, count(q.age) AS x FROM " + ages + " q RIGHT JOIN input ON input.id = q.id GROUP BY input.id",
       "SELECT id, count(age) AS x FROM " + ages + " RIGHT JOIN input USING (id) GROUP BY id"},
      {"SELECT c.id, max(CAST(c.cost AS INTEGER)) AS x FROM c JOIN " + visits +
           " v ON v.id = c.id WHERE v.n > 1 GROUP BY c.id",
       "SELECT id, max(CAST(cost AS INTEGER)) AS x FROM (SELECT id, cost FROM c) JOIN " + visits +
           " USING (id) WHERE n > 1 GROUP BY id"},
      {"SELECT t.id, t.n / 2 AS x FROM (SELECT i.id, count(*) AS n FROM input i WHERE i.region = 'north' GROUP BY "
       "i.id) "
       "t WHERE t.n > 1",
       "SELECT id, n / 2 AS x FROM (SELECT id, count(*) AS n FROM input WHERE region = 'north' GROUP BY id) WHERE n > "
       "1"},
      {"SELECT w.id, max(w.n) AS x FROM (SELECT i.id, count(*) OVER (PARTITION BY i.id) AS n FROM input i) w GROUP BY "
       "w.id",
       "SELECT id, count(*) AS x FROM input GROUP BY id"},
  };
  for (const auto& [sql, plain] : alike) {
    EXPECT_EQ(counted(sql), counted(plain)) << sql;
    EXPECT_GT(counted(sql).records(), 0U) << sql;
  }
}

// Such names are refused where they have another meaning, or an unclear one.
TEST_F(PersonQueries, RefuseOtherNamesOfTables) {
  const std::string visits = folder.write("v.csv", "id,cost\na,10\n");
  const std::string of_input = "(SELECT id, count(*) AS a, count(*) AS d FROM input GROUP BY id)";
  const std::string of_v = "(SELECT id, count(*) AS b FROM v GROUP BY id)";
  const std::string third = "(SELECT id, count(*) AS c FROM v GROUP BY id)";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.a = q.b", "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.b", "anything other than the person's"},
      {"p.id, p.b AS x FROM " + of_v + " p JOIN (SELECT id, count(*) AS b FROM input GROUP BY id) q ON p.b = q.b",
       "a join by the column 'b'"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = p.id", "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON q.id = q.id", "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id AND q.b > 1",
       "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id >= q.id",
       "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON lower(p.id) = q.id",
       "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON id = q.id", "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p FULL JOIN " + of_v + " q ON p.id = q.id",
       "anything other than the person's"},
      {"*, a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id", "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id WHERE id > 'a'",
       "anything other than the person's"},
      {"p.id, p.a AS x FROM " + of_input + " p JOIN " + of_v + " p ON p.id = p.id", "anything other than the person's"},
      {"q.id, p.a AS x FROM " + of_input + " p LEFT JOIN " + of_v + " q ON p.id = q.id", "its table's name"},
      {"p.id, p.a AS x FROM " + of_input + " p LEFT JOIN " + of_v + " q ON p.id = q.id WHERE q.id IS NULL",
       "its table's name"},
      {"p.id, p.a AS x FROM " + of_input + " p RIGHT JOIN " + of_v + " q USING (id)", "its table's name"},
      {"p.id, p.a AS x FROM " + of_input + " p FULL JOIN " + of_v + " q USING (id)", "its table's name"},
      {"p.id, p.a AS x FROM " + of_input + " p LEFT JOIN " + of_v + " q ON p.id = q.id JOIN " + third +
           " r ON q.id = r.id",
       "anything other than the person's"},
      {"p.id, q.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id", "its table's name"},
      {"p.id, r.a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id", "its table's name"},
      {"p.id, count(*) AS x FROM input p JOIN v q ON p.id = q.id GROUP BY p.id", "a row for each pair of a person's"},
      {"p.region, count(*) AS x FROM input p JOIN " + of_v + " q ON p.id = q.id GROUP BY p.region",
       "a join by the column 'id'"},
  };
  for (const auto& [rest, part] : refused) {
    const TableOptions asked{.file = folder.path("t.csv"), .sql = "SELECT " + rest, .tables = {{"v", visits}}};
    const Error error = error_of([&] { Table::open(asked); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << rest;
    EXPECT_TRUE(holds(error, part)) << rest << ": " << error.what() << "; " << error.hint();
  }
}

// The engine writes 1e0 as 1.0, which it reads as a decimal.
TEST_F(PersonQueries, MayHoldDoubles) {
  EXPECT_EQ(
      of("SELECT id, n * 1e0 AS x FROM (SELECT id, count(*) AS n FROM input WHERE TRY_CAST(x AS DOUBLE) > 1e0 AND "
         "true GROUP BY id)"),
      values({2, 1}));
}

TEST_F(PersonQueries, RefuseOtherJoins) {
  const std::string visits = folder.write("v.csv", "id,cost\na,10\n");
  const std::string numbered = write_parquet("n.parquet", "SELECT 1 AS id, 2 AS cost");
  const std::string of_input = "(SELECT id, count(*) AS a FROM input GROUP BY id)";
  const std::string of_v = "(SELECT id, count(*) AS b FROM v GROUP BY id)";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"SELECT id, a AS x FROM " + of_input + " p JOIN " + of_v + " q ON p.id = q.id",
       "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " CROSS JOIN " + of_v, "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " NATURAL JOIN " + of_v, "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " POSITIONAL JOIN " + of_v, "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " SEMI JOIN " + of_v + " USING (id)", "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN " + of_v + " USING (id, a)", "anything other than the person's"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, count(*) AS a FROM v GROUP BY id) USING (a)",
       "a join by the column 'a'"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN v USING (id)", "not one row of each person"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, cost FROM v) USING (id)",
       "not one row of each person"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, count(*) AS A FROM v GROUP BY id) USING (id)",
       "two columns that are called"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT cost, count(*) AS b FROM v GROUP BY cost) USING (id)",
       "a join by the column 'id'"},
      {"SELECT id, p.b AS x FROM " + of_input + " p JOIN " + of_v + " USING (id)", "its table's name"},
      {"SELECT id, a AS x FROM " + of_input + " p JOIN " + of_v + " q USING (id) WHERE r.b > 1", "its table's name"},
      {"SELECT p.*, a AS x FROM " + of_input + " p JOIN " + of_v + " USING (id)", "its table's name"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN " + of_v + " TABLESAMPLE 50% USING (id)", "TABLESAMPLE"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, count(*) AS b FROM v GROUP BY id LIMIT 3) USING (id)",
       "LIMIT"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, first(cost) AS b FROM v GROUP BY id) USING (id)",
       "the order of rows"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN (SELECT id, count(*) AS b FROM n GROUP BY id) USING (id)",
       "the person's column is VARCHAR and INTEGER"},
      {"SELECT id, a AS x FROM " + of_input + " JOIN " + of_v + " USING (id) LIMIT 1", "LIMIT"},
      {"SELECT b AS id, a AS x FROM " + of_input + " JOIN " + of_v + " USING (id)", "pass on the column 'id'"},
  };
  for (const auto& [sql, part] : refused) {
    const TableOptions asked{.file = folder.path("t.csv"), .sql = sql, .tables = {{"v", visits}, {"n", numbered}}};
    const Error error = error_of([&] { Table::open(asked); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_TRUE(holds(error, part)) << sql << ": " << error.what() << "; " << error.hint();
  }
}

TEST_F(PersonQueries, NothingOfARowEndsThem) {
  EXPECT_EQ(of("SELECT id, sum(CAST(x AS INTEGER)) AS x FROM input WHERE 1 / (CAST(x AS INTEGER) - 4) < 9 GROUP BY id"),
            values({4, 0}));
  const std::string large =
      write_parquet("large.parquet", "SELECT 'a' AS id, 9223372036854775807 AS v FROM range(100)");
  EXPECT_EQ(
      count({.file = large,
             .sql = "SELECT id, total / 9223372036854775807 AS x FROM (SELECT id, sum(v) AS total FROM input GROUP "
                    "BY id)"}),
      values({100}));
}

TEST_F(PersonQueries, RefuseWhatIsMoreThanTheMultiset) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"SELECT id, first(x) AS x FROM input GROUP BY id", "the order of rows"},
      {"SELECT id, any_value(x) AS x FROM input GROUP BY id", "min(x) or max(x)"},
      {"SELECT id, arg_max(x, region) AS x FROM input GROUP BY id", "ties"},
      {"SELECT id, string_agg(x) AS x FROM input GROUP BY id", "the order of rows"},
      {"SELECT id, len(list(x)) AS x FROM input GROUP BY id", "len is none of count"},
      {"SELECT id, stddev(CAST(x AS DOUBLE)) AS x FROM input GROUP BY id", "stddev is none of count"},
      {"SELECT id, approx_count_distinct(x) AS x FROM input GROUP BY id", "is none of count"},
      {"SELECT id, sum(CAST(x AS DOUBLE)) AS x FROM input GROUP BY id", "CAST(x AS DECIMAL(18, 2))"},
      {"SELECT id, sum(x) AS x FROM input GROUP BY id", "CAST(x AS DECIMAL(18, 2))"},
      {"SELECT id, avg(CAST(x AS FLOAT)) AS x FROM input GROUP BY id", "CAST(x AS DECIMAL(18, 2))"},
      {"SELECT id, sum(CAST(x AS DECIMAL(38, 2))) AS x FROM input GROUP BY id", "DECIMAL(38,2)"},
      {"SELECT id, sum(CAST(x AS HUGEINT)) AS x FROM input GROUP BY id", "HUGEINT"},
      {"SELECT id, min(CAST(x AS INTERVAL)) AS x FROM input GROUP BY id", "INTERVAL"},
      {"SELECT id, min([x]) AS x FROM input GROUP BY id", "LIST"},
      {"SELECT id, median(x) AS x FROM input GROUP BY id", "VARCHAR"},
      {"SELECT id, quantile_cont(CAST(x AS DOUBLE), 2) AS x FROM input GROUP BY id", "quantile_cont(x, 0.9)"},
      {"SELECT id, quantile_cont(CAST(x AS DOUBLE), [0.1]) AS x FROM input GROUP BY id", "quantile_cont(x, 0.9)"},
      {"SELECT id, sum(DISTINCT CAST(x AS INTEGER)) AS x FROM input GROUP BY id", "DISTINCT"},
      {"SELECT id, min(x, 2) AS x FROM input GROUP BY id", "further arguments"},
      {"SELECT id, min(x ORDER BY region) AS x FROM input GROUP BY id", "ORDER BY"},
      {"SELECT id, count(*) FILTER (WHERE x > '1') AS x FROM input GROUP BY id", "CASE WHEN"},
      {"SELECT id, count(*) FROM input GROUP BY id", "AS total"},
      {"SELECT id, count(*) + 1 AS x FROM input GROUP BY id", "is none of count"},
      {"SELECT id, x FROM input GROUP BY id, x", "one column alone"},
      {"SELECT id, count(*) AS x FROM input GROUP BY 1", "one column alone"},
      {"SELECT id, count(*) AS x FROM input GROUP BY ALL", "one column alone"},
      {"SELECT id, count(*) AS x FROM input GROUP BY ROLLUP (id)", "one column alone"},
      {"SELECT id, count(*) AS x FROM input GROUP BY lower(id)", "one column alone"},
      {"SELECT id, count(*) AS x FROM input GROUP BY other.id", "one column alone"},
      {"SELECT id, region AS x FROM input GROUP BY id", "neither the person's column nor an aggregate"},
      {"SELECT count(*) AS x FROM input GROUP BY id", "leaves the person's column 'id' out"},
      {"SELECT id AS who, count(*) AS x FROM input GROUP BY id", "another name"},
      {"SELECT id, count(*) AS x, count(*) AS X FROM input GROUP BY id", "two columns of the same name"},
      {"SELECT id, count(*) AS x FROM input GROUP BY id HAVING count(*) > 1", "HAVING"},
      {"SELECT id, count(*) AS x FROM input GROUP BY id ORDER BY x", "ORDER BY"},
      {"SELECT id, count(*) AS x FROM input GROUP BY id LIMIT 3", "LIMIT"},
      {"SELECT DISTINCT id, count(*) AS x FROM input GROUP BY id", "DISTINCT"},
      {"SELECT id, count(*) AS x FROM input GROUP BY id UNION ALL SELECT id, 1 FROM input", "UNION"},
      {"SELECT id, count(*) AS x FROM input a JOIN input b USING (id) GROUP BY id", "a join"},
      {"SELECT id, max(n) AS x FROM (SELECT id, count(*) AS n FROM input GROUP BY id, region) GROUP BY id", "GROUP BY"},
      {"SELECT sum(x) AS x FROM (SELECT id, count(*) AS x FROM input GROUP BY id)", "pass on the column 'id'"},
      {"SELECT id, x FROM (SELECT id, count(*) AS x FROM input GROUP BY id) LIMIT 1", "LIMIT"},
      {"SELECT id, x FROM (SELECT id, count(*) AS x FROM input GROUP BY id) TABLESAMPLE 50%", "TABLESAMPLE"},
      {"SELECT id, count(*) AS x FROM input TABLESAMPLE 50% GROUP BY id", "TABLESAMPLE"},
  };
  for (const auto& [sql, part] : refused) {
    const Error error = refusal(sql);
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_TRUE(holds(error, part)) << sql << ": " << error.what() << "; " << error.hint();
  }
}

// A column with the name of the person's column, but other contents, is not the person's, wherever it comes from.
TEST_F(PersonQueries, ThePersonIsTheTablesOwnColumn) {
  for (const char* sql : {
           "SELECT id, count(*) AS x FROM (SELECT region AS id FROM input) GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT lower(id) AS id FROM input) GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT * REPLACE (region AS id) FROM input) GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT * EXCLUDE (id), region AS id FROM input) GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT * RENAME (region AS id) FROM (SELECT region, x FROM input)) GROUP BY "
           "id",
           "SELECT id, count(*) AS x FROM (SELECT *, region AS id FROM input) GROUP BY id",
           "SELECT id, count(*) AS x FROM input AS t(a, b, id, d) GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT region FROM input) AS t(id) GROUP BY id",
           "SELECT id, x FROM (SELECT id, x FROM (SELECT id, count(*) AS x FROM input GROUP BY id) AS t(x, id))",
           "SELECT x AS id, id AS x FROM (SELECT id, count(*) AS x FROM input GROUP BY id)",
           "SELECT '1' AS id, x FROM (SELECT id, count(*) AS x FROM input GROUP BY id)",
           "SELECT x FROM (SELECT id, count(*) AS x FROM input GROUP BY id)",
           "SELECT id, count(*) AS x FROM (SELECT y.id, id FROM (SELECT id, struct_pack(id := x) AS y FROM input)) "
           "GROUP BY id",
           "SELECT id, count(*) AS x FROM (SELECT y.* FROM (SELECT id, struct_pack(id := x) AS y FROM input)) GROUP BY "
           "id",
           "SELECT y.ID, id, x FROM (SELECT id, x, struct_pack(id := x) AS y FROM (SELECT id, count(*) AS x FROM input "
           "GROUP BY id))",
           "SELECT id, count(*) AS x FROM (SELECT y.id, id FROM (SELECT id, struct_pack(id := x) AS y FROM input)) "
           "JOIN (SELECT id, count(*) AS n FROM input GROUP BY id) USING (id) GROUP BY id",
       }) {
    const Error error = refusal(sql);
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_FALSE(holds(error, "more than one column")) << sql;
  }
}

// The engine calls the second of two columns `id` of a subquery `id_1`, and a constant by its digits.
TEST_F(PersonQueries, NoOtherColumnIsCalledAsThePersons) {
  folder.write("t.csv", "id_1,x,2.5,id\na,1,c,p\na,2,c,q\nb,3,d,r\n");
  for (const char* sql : {
           "SELECT id_1, count(*) AS x FROM (SELECT x AS id, x AS id, id_1 FROM input) GROUP BY id_1",
           "SELECT id_1, count(*) AS x FROM (SELECT x AS ID, id, id_1 FROM input) GROUP BY id_1",
           "SELECT id_1, count(*) AS x FROM (SELECT x AS id, * FROM input) GROUP BY id_1",
           "SELECT id_1, count(*) AS x FROM (SELECT id, *, x AS y FROM input) GROUP BY id_1",
           "SELECT \"2.5\", count(*) AS x FROM (SELECT 2.5, \"2.5\" FROM input) GROUP BY \"2.5\"",
       }) {
    EXPECT_TRUE(holds(refusal(sql), "does not pass on the column")) << sql;
  }
  const auto counted = [&](const std::string& sql, const std::string& person) {
    return count({.file = folder.path("t.csv"), .sql = sql}, "x", person);
  };
  EXPECT_EQ(counted("SELECT id_1, count(*) AS x FROM (SELECT id, id_1, x FROM input) GROUP BY id_1", "id_1"),
            values({2, 1}));
  EXPECT_EQ(counted("SELECT id_1, count(*) AS x FROM (SELECT *, upper(x) AS y FROM input) GROUP BY id_1", "id_1"),
            values({2, 1}));
}

TEST_F(PersonQueries, AnswersDoNotDependOnThreadsOrOrder) {
  const std::string one = write_parquet(
      "one.parquet", "SELECT 'p' || (i % 997) AS id, CAST(i % 77 AS DECIMAL(9, 2)) / 8 AS v FROM range(60000) t(i)");
  const std::string other =
      write_parquet("other.parquet",
                    "SELECT 'p' || (i % 997) AS id, CAST(i % 77 AS DECIMAL(9, 2)) / 8 AS v FROM range(60000) t(i) "
                    "ORDER BY hash(i)");
  for (const char* aggregate :
       {"sum(CAST(v AS DECIMAL(18, 3)))", "median(v)", "max(v)", "avg(CAST(v AS DECIMAL(18, 3)))"}) {
    const std::string sql = std::string("SELECT id, ") + aggregate + " AS x FROM input GROUP BY id";
    const RankProfile first = count({.file = one, .sql = sql, .threads = 1});
    EXPECT_EQ(first.records(), 997U);
    EXPECT_EQ(count({.file = one, .sql = sql, .threads = 4}), first) << aggregate;
    EXPECT_EQ(count({.file = other, .sql = sql, .threads = 3, .memory = TableOptions::least_memory}), first)
        << aggregate;
  }
}

// 0 and -0 are equal, and texts of them are not: which one an engine meets first must not show.
TEST_F(PersonQueries, ThereIsOneZero) {
  for (const char* zeros : {"(1, 0.0::DOUBLE), (2, -0.0::DOUBLE)", "(1, -0.0::DOUBLE), (2, 0.0::DOUBLE)"}) {
    const std::string file = write_parquet(
        "zeros.parquet", std::string("SELECT 'a' AS id, v FROM (VALUES ") + zeros + ") t(place, v) ORDER BY place");
    for (const char* aggregate : {"min(v)", "max(v)", "quantile_disc(v, 0)"}) {
      const std::string sql = std::string(
                                  "SELECT id, CASE WHEN CAST(m AS VARCHAR) = '-0.0' THEN 5 ELSE 1 END AS x FROM "
                                  "(SELECT id, ") +
                              aggregate + " AS m FROM input GROUP BY id)";
      EXPECT_EQ(count({.file = file, .sql = sql}), values({1})) << zeros << aggregate;
    }
  }
}

TEST(PersonQueryPlan, HasOneGrouping) {
  using source_detail::Grouping;
  using source_detail::require_row_wise_plan_of;
  const std::string scan = R"({"name":"PARQUET_SCAN","children":[]})";
  const auto over = [](const std::string& step, const std::string& below) {
    return R"({"name":")" + step + R"(","children":[)" + below + "]}";
  };
  const auto plan = [](const std::string& top) { return "[" + top + "]"; };
  const std::string grouped = over("PROJECTION", over("HASH_GROUP_BY", over("FILTER", scan)));
  EXPECT_NO_THROW(require_row_wise_plan_of(plan(grouped), {}, Grouping::once));
  EXPECT_THROW(require_row_wise_plan_of(plan(grouped)), Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("HASH_GROUP_BY", grouped)), {}, Grouping::once), Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("HASH_JOIN", grouped)), {}, Grouping::once), Error);
  const std::string joined = over("FILTER", over("HASH_JOIN", grouped + "," + grouped));
  EXPECT_NO_THROW(require_row_wise_plan_of(plan(joined), {}, Grouping::joined));
  EXPECT_NO_THROW(require_row_wise_plan_of(plan(over("HASH_JOIN", joined + "," + grouped)), {}, Grouping::joined));
  EXPECT_THROW(require_row_wise_plan_of(plan(joined), {}, Grouping::once), Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("HASH_GROUP_BY", joined)), {}, Grouping::joined), Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("HASH_JOIN", grouped + "," + over("HASH_JOIN", grouped))), {},
                                        Grouping::joined),
               Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("NESTED_LOOP_JOIN", grouped + "," + grouped)), {}, Grouping::joined),
               Error);
  const std::string nested = over("HASH_GROUP_BY", over("FILTER", over("HASH_JOIN", scan + "," + grouped)));
  EXPECT_NO_THROW(require_row_wise_plan_of(plan(nested), {}, Grouping::nested));
  EXPECT_THROW(require_row_wise_plan_of(plan(nested), {}, Grouping::joined), Error);
  EXPECT_THROW(require_row_wise_plan_of(plan(over("WINDOW", nested)), {}, Grouping::nested), Error);
}

}  // namespace
}  // namespace fractile
