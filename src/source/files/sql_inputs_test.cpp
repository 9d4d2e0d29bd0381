#include "source/files/sql_inputs.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using Names = std::vector<std::string>;

class SqlInputs : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (!IsSkipped()) connection_ = std::make_unique<Session>(Session::open({}));
  }

  void require(const std::string& sql) const {
    require_named_tables(SqlTree::of(*connection_, sql), {"input", "visits"});
  }
  void expect_refused(const std::string& sql, const std::string& words) const {
    const Error error = error_of([&] { require(sql); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << sql << ": " << error.what();
  }
  Names columns(const std::string& sql, const std::string& table = "input") const {
    return named_columns(SqlTree::of(*connection_, sql), table);
  }
  std::string column_refusal(const std::string& sql) const {
    return error_of([&] { columns(sql); }).what();
  }

  std::unique_ptr<Session> connection_;
};

TEST_F(SqlInputs, ColumnsThatAreNamedAloneAreKnown) {
  const auto read = [&](const std::string& sql) {
    const auto has_column = [](const std::string& name) {
      return name == "x" || name == "Y" || name == "y" || name == "v";
    };
    return columns_named_alone(SqlTree::of(*connection_, sql), has_column);
  };
  using Read = std::optional<std::set<std::string>>;
  EXPECT_EQ(read("SELECT CAST(x AS INTEGER) AS age FROM input"), Read({"x"}));
  EXPECT_EQ(read("SELECT i.x FROM input i JOIN visits USING (Y) WHERE visits.v > 1"), Read({"v", "x", "y"}));
  EXPECT_EQ(read("SELECT x.part FROM input ORDER BY y"), Read({"x", "y"}));
  EXPECT_EQ(read("SELECT 1 AS one FROM input"), Read(std::set<std::string>()));
  for (const char* sql :
       {"FROM input", "SELECT * FROM input", "SELECT i.* FROM input i", "SELECT * EXCLUDE (x) FROM input",
        "SELECT COLUMNS('x') FROM input", "SELECT input FROM input", "SELECT v FROM input v", "SELECT #1 FROM input",
        "SELECT x FROM input NATURAL JOIN visits", "SELECT x FROM (SELECT * FROM input)",
        "SELECT x FROM (PIVOT input ON x IN (1, 2) USING sum(y))", "SELECT v FROM (UNPIVOT input ON x, y)",
        "SELECT x FROM input t(x)", "SELECT t.x FROM input AS t(x, y)", "SELECT nothing FROM input",
        "SELECT input.nothing FROM input"}) {
    EXPECT_EQ(read(sql), Read()) << sql;
  }
}

TEST_F(SqlInputs, NamedTablesPass) {
  for (const char* sql : {
           "FROM input",
           "SELECT max(x) FROM INPUT",
           "SELECT i.x FROM input i JOIN Visits v ON i.k = v.k WHERE v.y > (SELECT avg(y) FROM visits)",
           "SELECT x FROM input UNION ALL SELECT y FROM visits ORDER BY 1 DESC NULLS LAST LIMIT 3",
           "WITH t AS (SELECT * FROM input), u AS MATERIALIZED (SELECT * FROM t) SELECT x FROM u, T",
           "WITH RECURSIVE t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < 9) SELECT t.x FROM t, input",
           "WITH input AS (SELECT x FROM input) SELECT x FROM input",
           "SELECT x FROM input, unnest([1, 2]) t(y), range(3), generate_series(1, 3)",
           "SELECT DISTINCT ON (x) sum(x) OVER (PARTITION BY y ORDER BY z) AS x FROM input QUALIFY row_number() OVER "
           "() = 1",
           "SELECT k, list(x ORDER BY y) FILTER (WHERE z) FROM input GROUP BY ROLLUP (k) HAVING count(*) > 1",
           "FROM (PIVOT input ON x IN (1, 2) USING sum(y))",
           "SELECT CAST(x AS DECIMAL(9, 2)), x::STRUCT(a INTEGER), [1, 2], {'a': 1} FROM input USING SAMPLE 10",
           "SELECT * REPLACE (x + 1 AS x), COLUMNS('a.*') FROM input, (VALUES (1, 2)) v(a, b)",
           "SELECT list_transform(x, lambda y: y + 1) FROM input TABLESAMPLE 10%",
       }) {
    EXPECT_NO_THROW(require(sql)) << sql;
  }
}

TEST_F(SqlInputs, NothingElseIsRead) {
  for (const char* sql : {
           "FROM 'x.csv'",
           "FROM input, 'x.parquet'",
           "SELECT x FROM people",
           "SELECT x FROM input WHERE x IN (SELECT x FROM 'x.json')",
           "SELECT (SELECT max(a) FROM 'x.csv') FROM input",
           "WITH t AS (FROM 'x.csv') SELECT 1 FROM input, t",
           "WITH \"x.csv\" AS (FROM \"x.csv\") SELECT 1 FROM input, \"x.csv\"",
           "SELECT 1 FROM input, (WITH \"x.csv\" AS (SELECT 1) FROM \"x.csv\") JOIN \"x.csv\" ON true",
           "SELECT x FROM input UNION ALL FROM 'x.csv'",
           "SELECT x FROM input ORDER BY (SELECT max(a) FROM 'x.csv')",
           "SELECT x FROM input LIMIT (SELECT max(a) FROM 'x.csv')",
           "SELECT * REPLACE ((SELECT max(a) FROM 'x.csv') AS x) FROM input",
           "SELECT sum(x) OVER (PARTITION BY (SELECT max(a) FROM 'x.csv')) FROM input",
           "SELECT x FROM input, sqlite_master",
           "SELECT x FROM input, duckdb_views",
           "FROM (PIVOT 'x.csv' ON x IN (1, 2) USING sum(y)), input",
       }) {
    expect_refused(sql, "which is not an input");
  }
  for (const char* sql : {"FROM main.input", "FROM temp.main.input", "FROM information_schema.tables", "FROM a.b.c",
                          "FROM input AT (VERSION => 3)"}) {
    expect_refused(sql, "by way of a schema");
  }
  for (const char* function : {"read_csv",
                               "read_csv_auto",
                               "read_json",
                               "read_json_auto",
                               "read_json_objects",
                               "read_ndjson",
                               "read_parquet",
                               "parquet_scan",
                               "parquet_metadata",
                               "parquet_schema",
                               "read_text",
                               "read_blob",
                               "glob",
                               "sniff_csv",
                               "duckdb_settings",
                               "duckdb_views",
                               "duckdb_functions",
                               "pragma_table_info",
                               "query",
                               "query_table",
                               "seq_scan",
                               "sqlite_scan",
                               "json_execute_serialized_sql",
                               "read_duckdb",
                               "summary",
                               "repeat",
                               "test_all_types",
                               "nothere"}) {
    expect_refused("FROM input, " + std::string(function) + "('x')", "by the table function " + std::string(function));
    expect_refused("SELECT (SELECT 1 FROM " + std::string(function) + "('x')) FROM input", "by the table function");
  }
  expect_refused("SELECT x FROM input WHERE fractile_take_0(x)", "names the function fractile_take_0");
  expect_refused("DESCRIBE input", "asks the engine about itself");
  for (const char* sql :
       {"SELECT 1 AS x", "SELECT * FROM range(10)", "VALUES (1)", "WITH t AS (SELECT 1 AS x) FROM t"}) {
    expect_refused(sql, "reads no table of people");
  }
}

TEST_F(SqlInputs, ColumnsAreThoseThatTheQueryNames) {
  EXPECT_EQ(columns("SELECT a + 1 AS x, input.b, \"c d\" FROM input WHERE e > 3 AND a < 2"),
            (Names{"a", "b", "c d", "e"}));
  EXPECT_EQ(columns("SELECT Age FROM INPUT i WHERE i.City = 'x'"), (Names{"Age", "City"}));
  EXPECT_EQ(columns("SELECT y FROM (SELECT a AS y FROM input WHERE b) WHERE y > 3"), (Names{"a", "b"}));
  EXPECT_EQ(columns("SELECT * FROM (SELECT a FROM input)"), (Names{"a"}));
  EXPECT_EQ(columns("SELECT TRY_CAST(x AS DOUBLE) AS x FROM input WHERE x IS NOT NULL"), (Names{"x"}));
  EXPECT_EQ(columns("SELECT count(*) FROM input"), Names{});
  EXPECT_EQ(columns("SELECT g, sum(x) OVER (PARTITION BY p ORDER BY o) FROM input GROUP BY g, h HAVING max(m) > 1"),
            (Names{"g", "x", "p", "o", "h", "m"}));
}

TEST_F(SqlInputs, ColumnsOfJoins) {
  const std::string join = "SELECT i.a, v.b FROM input i JOIN visits v ON i.k = v.l WHERE i.c > 1";
  EXPECT_EQ(columns(join), (Names{"a", "k", "c"}));
  EXPECT_EQ(columns(join, "visits"), (Names{"b", "l"}));
  EXPECT_EQ(columns("SELECT input.a FROM input JOIN visits USING (k)"), (Names{"a", "k"}));
  EXPECT_EQ(columns("SELECT a FROM input WHERE EXISTS (SELECT 1 FROM visits v WHERE v.k = input.k AND z)"),
            (Names{"a", "k"}));
  EXPECT_NE(column_refusal("SELECT a FROM input JOIN visits USING (k)").find("to which table the column 'a' belongs"),
            std::string::npos);
  EXPECT_EQ(columns("WITH t AS (SELECT a FROM input) SELECT x FROM t"), Names{"a"});
}

TEST_F(SqlInputs, NamesThatCouldMeanTwoThings) {
  EXPECT_NE(column_refusal("SELECT * FROM input").find("*"), std::string::npos);
  EXPECT_NE(column_refusal("SELECT i.* FROM input i").find("*"), std::string::npos);
  EXPECT_NE(column_refusal("SELECT COLUMNS('a') FROM input").find("*"), std::string::npos);
  EXPECT_NE(column_refusal("SELECT Age FROM input WHERE age > 3").find("differ only in letter case"),
            std::string::npos);
  for (const char* sql : {"SELECT a + 1 AS b FROM input WHERE b > 3", "SELECT a AS B, b + 1 AS c FROM input",
                          "SELECT a AS g, sum(x) AS s FROM input GROUP BY g"}) {
    EXPECT_NE(column_refusal(sql).find("as an alias and as a column"), std::string::npos) << sql;
  }
}

}  // namespace
}  // namespace fractile::source_detail
